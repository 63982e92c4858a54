// SPDX-License-Identifier: GPL-2.0-only
#include "topology/routes/routes.h"

#include <algorithm>

#include "topology/routes/equal_cost.h"

namespace heddle {

Routes::Routes(const Graph& graph, NicPorts nic_ports)
    : graph_(&graph), table_(RoutingOf(graph).MakeTable(graph)), nic_ports_(nic_ports) {}

void Routes::PortsToSwitch(NodeId node, NodeId destination, std::vector<PortId>* out) const {
  out->clear();
  const std::vector<Attachment>& ports = graph_->ports(node);
  for (std::uint32_t port = 0; port < ports.size(); ++port) {
    if (ports[port].peer == destination && is_up(ports[port].link)) out->push_back(PortId(port));
  }
}

std::uint32_t Routes::HopsToLinked(NodeId from, NodeId to) const {
  if (from == to) return 0;
  for (const Attachment& port : graph_->ports(from)) {
    if (port.peer == to && is_up(port.link)) return 1;
  }
  return kUnreachable;
}

Routes Routes::WithDown(std::vector<LinkId> down, Change* change) const {
  std::sort(down.begin(), down.end());
  down.erase(std::unique(down.begin(), down.end()), down.end());
  *change = {};
  return {graph_, table_->WithDown(std::move(down), change), nic_ports_};
}

}  // namespace heddle
