// SPDX-License-Identifier: GPL-2.0-only
#include "topology/routes/equal_cost.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace heddle {

namespace {

/// Whether two lists of as many switches, in the same order, name no switch twice together, and
/// have their repetitions at the same places.
bool MayChangePlaces(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::find(b.begin(), b.end(), a[i]) != b.end()) return false;
    if (i > 0 && (a[i] == a[i - 1]) != (b[i] == b[i - 1])) return false;
  }
  return true;
}

}  // namespace

std::shared_ptr<const RouteTable> EqualCost::MakeTable(const Graph& graph) const {
  return std::make_shared<const EqualCostTable>(graph, *this);
}

const RoutingPolicy& RoutingOf(const Graph& graph) {
  static const EqualCost kEqualCost;
  return graph.routing() != nullptr ? *graph.routing() : kEqualCost;
}

EqualCostTable::EqualCostTable(const Graph& graph, const RoutingPolicy& policy)
    : RouteTable({}), graph_(&graph), wiring_(MakeWiring(graph, policy.gpus_transit())) {
  FindClasses();
  ComputeClasses();
}

void EqualCostTable::ComputeClasses() {
  const std::vector<std::uint32_t> kinds = FindTwins();
  std::map<std::vector<std::uint32_t>, std::uint32_t> known;  // classes by the kinds of their links
  std::vector<std::uint32_t> key, of_twin, signature;
  distances_.reserve(class_count());
  for (std::uint32_t cls = 0; cls < class_count(); ++cls) {
    KeyOf(members(cls).front(), &key);
    signature.clear();
    for (const std::uint32_t peer : key) signature.push_back(kinds[peer]);
    const auto [found, is_new] = known.emplace(signature, cls);
    if (!is_new) KeyOf(members(found->second).front(), &of_twin);
    if (is_new || !MayChangePlaces(key, of_twin)) {
      distances_.push_back(ComputeClass(cls));
      continue;
    }
    auto swapped = std::make_shared<Distances>(*distances_[found->second]);
    for (std::size_t i = 0; i < key.size(); ++i) {
      if (i > 0 && key[i] == key[i - 1]) continue;  // another cable to the same switch
      std::swap((*swapped)[wiring_->core_index[key[i]]],
                (*swapped)[wiring_->core_index[of_twin[i]]]);
    }
    distances_.push_back(std::move(swapped));
  }
}

std::vector<std::uint32_t> EqualCostTable::FindTwins() const {
  std::vector<std::uint32_t> kinds(graph_->node_count());
  std::map<std::vector<std::uint32_t>, std::uint32_t> known;
  std::vector<std::uint32_t> key;
  for (std::uint32_t i = 0; i < graph_->node_count(); ++i) {
    kinds[i] = i;
    if (!is_core(NodeId(i)) || graph_->is_gpu(NodeId(i))) continue;
    key.clear();
    for (const Neighbour& next : neighbours(NodeId(i))) {
      if (is_core(next.peer)) key.push_back(next.peer.value);
    }
    if (!key.empty()) kinds[i] = known.emplace(key, i).first->second;
  }
  return kinds;
}

std::shared_ptr<const EqualCostTable::Wiring> EqualCostTable::MakeWiring(const Graph& graph,
                                                                         bool gpus_transit) {
  auto wiring = std::make_shared<Wiring>();
  auto& neighbours = wiring->neighbours;
  const std::uint32_t nodes = graph.node_count();
  wiring->offset.reserve(nodes + 1);
  wiring->core_index.assign(nodes, kNotCore);
  neighbours.reserve(2 * graph.links().size());
  for (std::uint32_t i = 0; i < nodes; ++i) {
    const auto begin = static_cast<std::uint32_t>(neighbours.size());
    wiring->offset.push_back(begin);
    const auto& ports = graph.ports(NodeId(i));
    for (std::uint32_t port = 0; port < ports.size(); ++port) {
      neighbours.push_back({ports[port].peer, PortId(port)});
    }
    std::sort(neighbours.begin() + begin, neighbours.end(),
              [](const Neighbour& a, const Neighbour& b) {
                return a.peer == b.peer ? a.port < b.port : b.peer < a.peer;
              });
    // Neighbours are in descending order, and GPUs have the lowest ids.
    const NodeKind kind = graph.kind(NodeId(i));
    const bool local =
        kind == NodeKind::kNvSwitch && (ports.empty() || graph.is_gpu(neighbours[begin].peer));
    if (gpus_transit || (kind != NodeKind::kGpu && !local)) {
      wiring->core_index[i] = static_cast<std::uint32_t>(wiring->core.size());
      wiring->core.push_back(NodeId(i));
    }
  }
  wiring->offset.push_back(static_cast<std::uint32_t>(neighbours.size()));
  return wiring;
}

void EqualCostTable::KeyOf(NodeId gpu, std::vector<std::uint32_t>* key) const {
  key->clear();
  for (const Neighbour& next : neighbours(gpu)) {
    if (!is_local(next.peer)) {
      key->push_back(next.peer.value);
    }
  }
}

void EqualCostTable::FindClasses() {
  auto classes = std::make_shared<Classes>();
  std::vector<std::uint32_t> key;
  classes->class_of.reserve(graph_->gpu_count());
  for (std::uint32_t i = 0; i < graph_->gpu_count(); ++i) {
    KeyOf(NodeId(i), &key);
    const auto [found, is_new] =
        classes->by_key.emplace(key, static_cast<std::uint32_t>(classes->members.size()));
    if (is_new) {
      classes->members.emplace_back();
    }
    classes->class_of.push_back(found->second);
    classes->members[found->second].push_back(NodeId(i));
  }
  classes_ = std::move(classes);
}

std::shared_ptr<const EqualCostTable::Distances> EqualCostTable::ComputeClass(
    std::uint32_t cls) const {
  auto result = std::make_shared<Distances>(wiring_->core.size(), kFar);
  if (members(cls).empty()) {
    return result;
  }
  Distances& distances = *result;
  std::vector<NodeId> queue;
  queue.reserve(wiring_->core.size());
  const auto visit = [&](NodeId node, Distance hops) {
    const std::uint32_t index = wiring_->core_index[node.value];
    if (index != kNotCore && distances[index] == kFar) {
      distances[index] = hops;
      queue.push_back(node);
    }
  };
  for (const Neighbour& next : neighbours(members(cls).front())) {
    visit(next.peer, 1);
  }
  // In a full mesh the first nodes reach all others. To go on would look at every cable, for every
  // class.
  const auto all_found = [&] { return queue.size() == wiring_->core.size(); };
  for (std::size_t head = 0; head < queue.size() && !all_found(); ++head) {
    const Distance hops = distances[wiring_->core_index[queue[head].value]];
    HEDDLE_INVARIANT(hops < kFar - 1, "a route of more than 65,000 hops");
    for (const Neighbour& next : neighbours(queue[head])) {
      if (only_ends_follow(next.peer)) break;
      visit(next.peer, static_cast<Distance>(hops + 1));
    }
  }
  return result;
}

EqualCostTable::Range EqualCostTable::LinksTo(NodeId node, NodeId peer) const {
  const Range all = neighbours(node);
  struct HigherIdFirst {
    bool operator()(const Neighbour& n, NodeId id) const { return id < n.peer; }
    bool operator()(NodeId id, const Neighbour& n) const { return n.peer < id; }
  };
  const auto [first, last] = std::equal_range(all.begin(), all.end(), peer, HigherIdFirst());
  return {first, last};
}

void EqualCostTable::PortsToPeer(NodeId node, NodeId peer, std::vector<PortId>* out) const {
  for (const Neighbour& link : LinksTo(node, peer)) {
    out->push_back(link.port);
  }
}

std::uint32_t EqualCostTable::HopsOver(const Neighbour& next, NodeId gpu) const {
  if (next.peer == gpu) {
    return 1;
  }
  if (is_core(next.peer)) {
    const Distance hops = distance(class_of(gpu), next.peer);
    return hops == kFar ? kUnreachable : hops + 1u;
  }
  if (graph_->is_gpu(next.peer)) {
    return kUnreachable;
  }
  return LinksTo(gpu, next.peer).empty() ? kUnreachable : 2;
}

void EqualCostTable::KeepNvSwitches(NodeId node, std::vector<PortId>* out) const {
  const auto& ports = graph_->ports(node);
  const auto is_nvswitch = [&](PortId port) {
    return graph_->kind(ports[port.value].peer) == NodeKind::kNvSwitch;
  };
  if (std::any_of(out->begin(), out->end(), is_nvswitch)) {
    out->erase(
        std::remove_if(out->begin(), out->end(), [&](PortId port) { return !is_nvswitch(port); }),
        out->end());
  }
}

void EqualCostTable::NextHops(NodeId node, NodeId destination, std::vector<PortId>* out) const {
  out->clear();
  const NodeKind kind = graph_->kind(destination);
  HEDDLE_EXPECT(node != destination && kind != NodeKind::kSwitch);
  if (kind == NodeKind::kNvSwitch || is_local(node)) {
    PortsToPeer(node, destination, out);
    return;
  }
  if (is_core(node)) {
    const std::uint32_t cls = class_of(destination);
    if (distance(cls, node) == 1) {
      PortsToPeer(node, destination, out);
    } else {
      NextHopsToClass(node, cls, out);
    }
    return;
  }
  std::uint32_t best = kUnreachable;
  for (const Neighbour& next : neighbours(node)) {
    const std::uint32_t hops = HopsOver(next, destination);
    if (hops < best) {
      best = hops;
      out->clear();
    }
    if (hops == best && hops != kUnreachable) {
      out->push_back(next.port);
    }
  }
  KeepNvSwitches(node, out);
}

void EqualCostTable::NextHopsToClass(NodeId core_node, std::uint32_t cls,
                                     std::vector<PortId>* out) const {
  out->clear();
  const Distance hops = distance(cls, core_node);
  if (hops == kFar || hops == 1) {
    return;
  }
  for (const Neighbour& next : neighbours(core_node)) {
    if (only_ends_follow(next.peer)) break;
    if (is_core(next.peer) && distance(cls, next.peer) + 1 == hops) {
      out->push_back(next.port);
    }
  }
  KeepNvSwitches(core_node, out);
}

std::uint32_t EqualCostTable::HopsToClass(NodeId core_node, std::uint32_t cls) const {
  const Distance hops = distance(cls, core_node);
  return hops == kFar ? kUnreachable : hops;
}

std::uint32_t EqualCostTable::Hops(NodeId from, NodeId to) const {
  if (from == to) {
    return 0;
  }
  if (!graph_->is_gpu(from) || !graph_->is_gpu(to)) {
    return LinksTo(from, to).empty() ? kUnreachable : 1;
  }
  std::uint32_t best = kUnreachable;
  for (const Neighbour& next : neighbours(from)) {
    best = std::min(best, HopsOver(next, to));
  }
  return best;
}

std::size_t EqualCostTable::memory() const {
  std::size_t sum = sizeof(*this) + MemoryOf(wiring_->offset) + MemoryOf(wiring_->neighbours) +
                    MemoryOf(wiring_->core) + MemoryOf(wiring_->core_index) +
                    MemoryOf(classes_->class_of) + MemoryOf(classes_->members) +
                    MemoryOfTree(classes_->by_key) + MemoryOf(distances_) + MemoryOf(down_) +
                    MemoryOfTree(rewired_);
  for (const auto& [key, cls] : classes_->by_key) sum += MemoryOf(key);
  for (const auto& distances : distances_) sum += MemoryOf(*distances);
  for (const auto& [node, neighbours] : rewired_) sum += MemoryOf(*neighbours);
  return sum;
}

}  // namespace heddle
