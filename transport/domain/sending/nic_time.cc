// SPDX-License-Identifier: GPL-2.0-only
/// Counts how long GPUs with several NIC ports use them all (DomainBooks::nic_ports_used_ns).
#include "transport/domain/sending/nic_sending.h"

namespace heddle {

void NicSending::CountTime(DomainState& state, std::uint32_t port, bool comes) const {
  const DomainState::Node& node = state.nodes()[state.ports()[port].node];
  if (node.nics < 2) return;
  const std::vector<Attachment>& cables = state.context().graph->ports(node.id);
  const auto is_nic = [&](std::uint32_t i) {
    return state.context().graph->kind(cables[i].peer) == NodeKind::kSwitch;
  };
  if (!is_nic(port - node.first_port)) return;
  bool others = false;
  for (std::uint32_t i = 0; i < node.ports && !others; ++i) {
    const std::uint32_t other = node.first_port + i;
    others = other != port && is_nic(i) && own_.nics.any(state.ports()[other]);
  }
  const std::int64_t ns = (comes ? -state.now().ps : state.now().ps) / 1000;
  state.books().nic_ports_used_ns += ns;
  if (!others) state.books().nic_ports_open_ns += ns * node.nics;
}

}  // namespace heddle
