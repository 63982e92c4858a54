// SPDX-License-Identifier: GPL-2.0-only
#include "transport/forwarding.h"

#include <algorithm>
#include <map>

#include "core/check.h"

namespace heddle {

std::vector<HostPlace> PlaceHosts(const Graph& graph, const Routes& routes) {
  HEDDLE_INVARIANT(routes.class_count() <= 0xffff, "more than 65,535 destination classes");
  std::vector<HostPlace> places(graph.gpu_count());
  std::vector<std::uint16_t> members(routes.class_count(), 0);
  for (std::uint32_t gpu = 0; gpu < graph.gpu_count(); ++gpu) {
    const std::uint32_t host_class = routes.class_of(NodeId(gpu));
    places[gpu] = {static_cast<std::uint16_t>(host_class), members[host_class]++};
  }
  return places;
}

ForwardingTable::ForwardingTable(const Graph& graph, const Routes& routes, const std::vector<HostPlace>& places,
                                 NodeId node, std::uint32_t first_port) {
  bool only_gpus = true;
  std::uint32_t highest = 0;
  lowest_ = ~0U;
  for (const Attachment& port : graph.ports(node)) {
    only_gpus = only_gpus && graph.is_gpu(port.peer);
    if (!graph.is_gpu(port.peer)) continue;
    lowest_ = std::min(lowest_, port.peer.value);
    highest = std::max(highest, port.peer.value);
  }
  if (!only_gpus || graph.kind(node) != NodeKind::kNvSwitch) {
    BuildForClasses(graph, routes, places, node, first_port);
    return;
  }
  if (lowest_ > highest) return;
  direct_.resize(highest - lowest_ + 1);
  std::vector<PortId> hops;
  for (std::uint32_t gpu = lowest_; gpu <= highest; ++gpu) {
    routes.NextHops(node, NodeId(gpu), &hops);
    direct_[gpu - lowest_] = Store(hops, first_port);
  }
}

void ForwardingTable::BuildForClasses(const Graph& graph, const Routes& routes, const std::vector<HostPlace>& places,
                                      NodeId node, std::uint32_t first_port) {
  classes_.resize(routes.class_count());
  std::map<std::vector<std::uint32_t>, Set> known;  // next-hop sets are shared by the classes that have the same
  std::vector<PortId> hops;
  std::vector<std::uint32_t> key;
  for (std::uint32_t c = 0; c < routes.class_count(); ++c) {
    routes.NextHopsToClass(node, c, &hops);
    key.clear();
    for (PortId port : hops) key.push_back(port.value);
    auto [entry, is_new] = known.try_emplace(key);
    if (is_new) entry->second = Store(hops, first_port);
    classes_[c] = entry->second;
  }
  // GPUs on this very switch: one set each. All members of an attached class are attached here, so a class has a range of
  // its own, by place.
  std::map<std::uint16_t, std::vector<NodeId>> attached;
  for (const Attachment& port : graph.ports(node)) {
    if (graph.is_gpu(port.peer)) attached[places[port.peer.value].host_class].push_back(port.peer);
  }
  for (auto& [host_class, gpus] : attached) {
    std::uint32_t places_used = 0;
    for (NodeId gpu : gpus) places_used = std::max(places_used, places[gpu.value].index + 1U);
    const Set range{static_cast<std::uint32_t>(direct_.size()), kAttached};
    classes_[host_class] = range;
    direct_.resize(direct_.size() + places_used);
    for (NodeId gpu : gpus) {
      Set& set = direct_[range.first + places[gpu.value].index];
      if (set.count > 0) continue;  // a second cable to the same GPU
      routes.NextHops(node, gpu, &hops);
      set = Store(hops, first_port);
    }
  }
}

ForwardingTable::Set ForwardingTable::Store(const std::vector<PortId>& ports, std::uint32_t first_port) {
  const Set set{static_cast<std::uint32_t>(ports_.size()), static_cast<std::uint32_t>(ports.size())};
  for (PortId port : ports) ports_.push_back(first_port + port.value);
  return set;
}

}  // namespace heddle
