// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/host/nic_routing.h"

#include "topology/routes/nic_ports.h"
#include "transport/model/nic/queue_pair.h"

namespace heddle {

std::uint32_t NicRouting::Choose(const DomainPorts::Node& node, NodeId peer,
                                 std::uint16_t source_port, std::uint16_t destination_port) {
  const std::uint32_t only = Only(node, peer);
  if (only != QueuePair::kParked || scratch_.empty()) return only;
  const std::size_t index =
      ChooseNicPort(routes_->nic_ports(), gpus_per_server_,
                    {node.id, peer, source_port, destination_port}, scratch_.size());
  return node.first_port + scratch_[index].value;
}

std::uint32_t NicRouting::Only(const DomainPorts::Node& node, NodeId peer) {
  const NodePair ends{node.id, peer};
  if (const std::uint32_t* port = known_.Find(ends)) return *port;
  routes_->NextHops(node.id, peer, &scratch_);
  if (scratch_.size() != 1) return QueuePair::kParked;
  const std::uint32_t port = node.first_port + scratch_[0].value;
  known_.Keep(ends, port);
  return port;
}

}  // namespace heddle
