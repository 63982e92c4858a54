// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/switch/forwarding.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/check.h"

namespace heddle {

struct ForwardingTable::KnownSets {
  std::map<std::vector<PortId>, Set> sets;
  std::vector<PortId> scratch;
};

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

std::vector<SharedPlaces> PlaceHostsByEpoch(const Graph& graph, const RouteTimeline& timeline) {
  std::vector<SharedPlaces> places;
  for (const RouteEpoch& epoch : timeline.epochs()) {
    places.push_back(
        !places.empty() && epoch.change.moved.empty()
            ? places.back()
            : std::make_shared<const std::vector<HostPlace>>(PlaceHosts(graph, *epoch.routes)));
  }
  return places;
}

ForwardingTable::ForwardingTable(const Graph& graph, const Routes& routes,
                                 const std::vector<HostPlace>& places, NodeId node,
                                 std::uint32_t first_port) {
  std::uint32_t highest = 0;
  lowest_ = ~0U;
  for (const Attachment& port : graph.ports(node)) {
    if (!graph.is_gpu(port.peer)) continue;
    lowest_ = std::min(lowest_, port.peer.value);
    highest = std::max(highest, port.peer.value);
  }
  if (routes.is_core(node)) {
    BuildForClasses(graph, routes, places, node, first_port);
  } else if (lowest_ <= highest) {
    direct_.resize(highest - lowest_ + 1);
    std::vector<PortId> hops;
    for (std::uint32_t gpu = lowest_; gpu <= highest; ++gpu) {
      routes.NextHops(node, NodeId(gpu), &hops);
      direct_[gpu - lowest_] = Store(hops, first_port);
    }
  }
  built_size_ = ports_.size() + direct_.size();
}

void ForwardingTable::BuildForClasses(const Graph& graph, const Routes& routes,
                                      const std::vector<HostPlace>& places, NodeId node,
                                      std::uint32_t first_port) {
  classes_.resize(routes.class_count());
  KnownSets known;
  for (std::uint32_t c = 0; c < routes.class_count(); ++c)
    StoreClass(routes, c, node, first_port, &known);
  StoreAttached(graph, routes, places, node, first_port, nullptr);
}

void ForwardingTable::Update(const Graph& graph, const RouteEpoch& epoch,
                             const std::vector<HostPlace>& places, NodeId node,
                             std::uint32_t first_port) {
  const Routes& routes = *epoch.routes;
  const bool is_touched =
      std::binary_search(epoch.change.touched.begin(), epoch.change.touched.end(), node);
  const bool knows_classes = !classes_.empty();
  if (!knows_classes && !is_touched) return;
  constexpr std::size_t kSmall = 256;  // entries that may be unused in any table
  const bool has_gaps = ports_.size() + direct_.size() > 2 * built_size_ + kSmall;
  if (!knows_classes || has_gaps) {
    *this = ForwardingTable(graph, routes, places, node, first_port);
    return;
  }
  classes_.resize(routes.class_count());
  const std::vector<std::uint32_t> changed = epoch.change.ClassesAt(node);
  if (changed.empty()) return;
  KnownSets known;
  for (std::uint32_t c : changed) StoreClass(routes, c, node, first_port, &known);
  StoreAttached(graph, routes, places, node, first_port, &changed);
}

void ForwardingTable::StoreClass(const Routes& routes, std::uint32_t host_class, NodeId node,
                                 std::uint32_t first_port, KnownSets* known) {
  std::vector<PortId>& hops = known->scratch;
  routes.NextHopsToClass(node, host_class, &hops);
  Set& set = classes_[host_class];
  const auto [entry, is_new] = known->sets.try_emplace(hops);
  if (is_new) entry->second = Holds(set, hops, first_port) ? set : Store(hops, first_port);
  set = entry->second;
}

/// Stores the GPUs attached to this switch: one set each. All members of an attached class are
/// attached here, so a class has a range of its own, by place. `only` (ascending) names the classes
/// to store; null: all.
void ForwardingTable::StoreAttached(const Graph& graph, const Routes& routes,
                                    const std::vector<HostPlace>& places, NodeId node,
                                    std::uint32_t first_port,
                                    const std::vector<std::uint32_t>* only) {
  std::map<std::uint16_t, std::vector<NodeId>> attached;
  for (const Attachment& port : graph.ports(node)) {
    if (!graph.is_gpu(port.peer) || !routes.is_up(port.link)) continue;
    const std::uint16_t host_class = places[port.peer.value].host_class;
    if (only != nullptr && !std::binary_search(only->begin(), only->end(), host_class)) continue;
    attached[host_class].push_back(port.peer);
  }
  std::vector<PortId> hops;
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

bool ForwardingTable::Holds(Set set, const std::vector<PortId>& ports,
                            std::uint32_t first_port) const {
  return set.count == ports.size() &&
         std::equal(ports.begin(), ports.end(), ports_.begin() + set.first,
                    [&](PortId a, std::uint32_t b) { return first_port + a.value == b; });
}

ForwardingTable::Set ForwardingTable::Store(const std::vector<PortId>& ports,
                                            std::uint32_t first_port) {
  const Set set{static_cast<std::uint32_t>(ports_.size()),
                static_cast<std::uint32_t>(ports.size())};
  for (PortId port : ports) ports_.push_back(first_port + port.value);
  return set;
}

}  // namespace heddle
