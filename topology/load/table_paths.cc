// SPDX-License-Identifier: GPL-2.0-only
#include "topology/load/table_paths.h"

#include <utility>

namespace heddle {

TablePaths::TablePaths(const Graph& graph, const ForwardingTables& tables,
                       std::vector<std::string> names, std::vector<std::string> labels)
    : GraphPaths(graph, std::move(names), std::move(labels)),
      gpus_(graph.gpu_count()),
      switches_(graph.node_count() - graph.gpu_count()),
      port_of_(std::size_t{gpus_} * switches_) {
  const auto cable_of = [&](NodeId node, const Attachment& port) {
    return 2 * port.link.value + (graph.link(port.link).a == node ? 0 : 1);
  };
  for (std::uint32_t i = 0; i < switches_; ++i) {
    const NodeId node(gpus_ + i);
    first_.push_back(static_cast<std::uint32_t>(ports_.size()));
    for (const Attachment& port : graph.ports(node))
      ports_.push_back({cable_of(node, port), port.peer.value});
    for (std::uint32_t gpu = 0; gpu < gpus_; ++gpu)
      port_of_[std::size_t{gpu} * switches_ + i] = tables.At(node, NodeId(gpu));
  }
  for (std::uint32_t gpu = 0; gpu < gpus_; ++gpu) {
    const std::vector<Attachment>& ports = graph.ports(NodeId(gpu));
    const bool only_one = ports.size() == 1 && graph.kind(ports.front().peer) == NodeKind::kSwitch;
    nic_.push_back(only_one ? Port{cable_of(NodeId(gpu), ports.front()), ports.front().peer.value}
                            : Port{0, gpu});
  }
}

WalkEnd TablePaths::Walk(std::uint32_t source, std::uint32_t destination,
                         std::vector<std::uint32_t>* cables) const {
  if (source == destination || nic_[source].next == source)
    return GraphPaths::Walk(source, destination, cables);
  cables->assign(1, nic_[source].cable);
  const std::uint16_t* port_of = port_of_.data() + std::size_t{destination} * switches_;
  // Tables without loops end after as many switches as there are.
  std::uint32_t node = nic_[source].next;
  for (std::uint32_t left = switches_; left > 0 && node >= gpus_; --left) {
    const std::uint16_t port = port_of[node - gpus_];
    if (port == ForwardingTables::kNone) return WalkEnd::kNoRoute;
    const Port& next = ports_[first_[node - gpus_] + port];
    cables->push_back(next.cable);
    node = next.next;
  }
  return node == destination ? WalkEnd::kArrived : WalkEnd::kNoRoute;
}

}  // namespace heddle
