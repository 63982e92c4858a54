// SPDX-License-Identifier: GPL-2.0-only
#include "topology/tables/paths_to_switches.h"

#include <algorithm>
#include <map>
#include <utility>

namespace heddle {

SwitchWiring::SwitchWiring(const Graph& graph) : graph_(graph) {
  std::vector<std::uint32_t> index_of(graph.node_count(), kFar);
  const auto has_table = [&](NodeId node) {
    if (graph.kind(node) == NodeKind::kSwitch) return true;
    const std::vector<Attachment>& ports = graph.ports(node);
    return std::any_of(ports.begin(), ports.end(),
                       [&](const Attachment& port) { return !graph.is_gpu(port.peer); });
  };
  for (std::uint32_t i = graph.gpu_count(); i < graph.node_count(); ++i) {
    if (!has_table(NodeId(i))) continue;
    index_of[i] = size();
    nodes_.emplace_back(i);
  }
  std::map<std::vector<std::uint32_t>, std::size_t> group_of;
  for (std::uint32_t gpu = 0; gpu < graph.gpu_count(); ++gpu) {
    Group group;
    for (const Attachment& port : graph.ports(NodeId(gpu))) {
      if (index_of[port.peer.value] != kFar) group.switches.push_back(index_of[port.peer.value]);
    }
    std::sort(group.switches.begin(), group.switches.end());
    group.switches.erase(std::unique(group.switches.begin(), group.switches.end()),
                         group.switches.end());
    const auto [found, is_new] = group_of.emplace(group.switches, groups_.size());
    if (is_new) groups_.push_back(std::move(group));
    groups_[found->second].gpus.emplace_back(gpu);
  }
  neighbours_.resize(nodes_.size());
  for (std::uint32_t index = 0; index < size(); ++index) {
    const std::vector<Attachment>& ports = graph.ports(nodes_[index]);
    for (std::uint32_t port = 0; port < ports.size(); ++port) {
      const std::uint32_t peer = index_of[ports[port].peer.value];
      if (peer != kFar) neighbours_[index].push_back({peer, PortId(port)});
    }
    std::stable_sort(neighbours_[index].begin(), neighbours_[index].end(),
                     [](const Neighbour& a, const Neighbour& b) { return a.node < b.node; });
  }
}

std::vector<std::uint32_t> SwitchWiring::DistancesTo(
    const std::vector<std::uint32_t>& switches) const {
  std::vector<std::uint32_t> distance(size(), kFar), queue = switches;
  for (const std::uint32_t index : switches) distance[index] = 0;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    for (const Neighbour& next : neighbours_[queue[at]]) {
      if (distance[next.node] != kFar) continue;
      distance[next.node] = distance[queue[at]] + 1;
      queue.push_back(next.node);
    }
  }
  return distance;
}

ForwardingTables FillTables(
    const SwitchWiring& wiring,
    const std::function<PathsToGroup(const SwitchWiring::Group& group)>& ways,
    const PortChoice& choose) {
  ForwardingTables tables(wiring.graph());
  for (const SwitchWiring::Group& group : wiring.groups()) {
    const PathsToGroup ports = ways(group);
    for (const NodeId gpu : group.gpus) {
      for (std::uint32_t index = 0; index < wiring.size(); ++index) {
        if (ports[index].empty()) continue;
        tables.Set(wiring.node(index), gpu, ports[index][choose(index, gpu, ports[index])]);
      }
      for (const Attachment& port : wiring.graph().ports(gpu)) {
        if (!std::any_of(group.switches.begin(), group.switches.end(),
                         [&](std::uint32_t index) { return wiring.node(index) == port.peer; }))
          continue;
        if (tables.At(port.peer, gpu) == ForwardingTables::kNone)
          tables.Set(port.peer, gpu, port.peer_port);
      }
    }
  }
  return tables;
}

LeastDestinations::LeastDestinations(const SwitchWiring& wiring) : count_(wiring.size()) {
  for (std::uint32_t index = 0; index < wiring.size(); ++index)
    count_[index].assign(wiring.graph().ports(wiring.node(index)).size(), 0);
}

std::size_t LeastDestinations::operator()(std::uint32_t index, NodeId /*gpu*/,
                                          const std::vector<PortId>& ports) {
  std::vector<std::uint32_t>& count = count_[index];
  const auto least = std::min_element(ports.begin(), ports.end(), [&](PortId a, PortId b) {
    return count[a.value] < count[b.value];
  });
  ++count[least->value];
  return static_cast<std::size_t>(least - ports.begin());
}

}  // namespace heddle
