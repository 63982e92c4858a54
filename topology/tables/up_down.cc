// SPDX-License-Identifier: GPL-2.0-only
/// Makers of tables that go up, then down: updown and dmodk.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/check.h"
#include "topology/graph/tiers.h"
#include "topology/tables/paths_to_switches.h"
#include "topology/tables/table_makers.h"

namespace heddle {
namespace {

/// Which of two linked switches is above the other.
class Levels {
 public:
  /// Makes levels by distance from the switches of the last tier; from the first of them if all are
  /// leaves.
  static Levels FromRoots(const SwitchWiring& wiring, const std::vector<std::uint32_t>& tiers);
  /// Makes levels by tier, downwards. Throws UserError for linked switches of one tier.
  static Levels FromTiers(const SwitchWiring& wiring, const std::vector<std::uint32_t>& tiers);

  bool IsAbove(std::uint32_t a, std::uint32_t b) const {
    return rank_[a] != rank_[b] ? rank_[a] < rank_[b] : a < b;
  }
  /// Switches, those above first.
  const std::vector<std::uint32_t>& order() const { return order_; }
  std::uint32_t rank(std::uint32_t index) const { return rank_[index]; }

 private:
  explicit Levels(std::vector<std::uint32_t> rank) : rank_(std::move(rank)), order_(rank_.size()) {
    std::iota(order_.begin(), order_.end(), 0U);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return rank_[a] < rank_[b]; });
  }
  std::vector<std::uint32_t> rank_, order_;
};

Levels Levels::FromRoots(const SwitchWiring& wiring, const std::vector<std::uint32_t>& tiers) {
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < wiring.size(); ++i)
    last = std::max(last, tiers[wiring.node(i).value]);
  std::vector<std::uint32_t> roots;
  for (std::uint32_t i = 0; i < wiring.size(); ++i) {
    if (tiers[wiring.node(i).value] == last && (last != kLeafTier || roots.empty()))
      roots.push_back(i);
  }
  return Levels(wiring.DistancesTo(roots));
}

Levels Levels::FromTiers(const SwitchWiring& wiring, const std::vector<std::uint32_t>& tiers) {
  std::vector<std::uint32_t> rank(wiring.size());
  for (std::uint32_t i = 0; i < wiring.size(); ++i) {
    rank[i] = ~tiers[wiring.node(i).value];
    for (const SwitchWiring::Neighbour& next : wiring.neighbours(i)) {
      if (tiers[wiring.node(next.node).value] != tiers[wiring.node(i).value]) continue;
      throw UserError(fmt::format("dmodk: {} and {} of one tier are linked. Expected: a tree",
                                  Describe(wiring.graph(), wiring.node(i)),
                                  Describe(wiring.graph(), wiring.node(next.node))));
    }
  }
  return Levels(std::move(rank));
}

/// Finds paths to a group that go up as far as they must, then down.
PathsToGroup UpDownPaths(const SwitchWiring& wiring, const Levels& levels,
                         const SwitchWiring::Group& group) {
  constexpr std::uint32_t kFar = SwitchWiring::kFar;
  std::vector<std::uint32_t> down(wiring.size(), kFar), queue = group.switches;
  for (const std::uint32_t index : queue) down[index] = 0;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    for (const SwitchWiring::Neighbour& next : wiring.neighbours(queue[at])) {
      if (down[next.node] != kFar || !levels.IsAbove(next.node, queue[at])) continue;
      down[next.node] = down[queue[at]] + 1;
      queue.push_back(next.node);
    }
  }
  PathsToGroup ways(wiring.size());
  std::vector<std::uint32_t> length = down;  // of the whole path
  for (const std::uint32_t index : levels.order()) {
    if (down[index] == 0) continue;
    const bool goes_down = down[index] != kFar;
    std::uint32_t least = kFar;
    for (const SwitchWiring::Neighbour& next : wiring.neighbours(index)) {
      if (levels.IsAbove(next.node, index) == goes_down) continue;
      const std::uint32_t rest = goes_down ? down[next.node] : length[next.node];
      if (rest == kFar || rest > least) continue;
      if (rest < least) ways[index].clear();
      least = rest;
      ways[index].push_back(next.port);
    }
    if (least != kFar) length[index] = least + 1;
  }
  return ways;
}

/// Numbers destinations leaf by leaf, and divides them by what the tiers below have spread.
class Modulo {
 public:
  Modulo(const SwitchWiring& wiring, const Levels& levels)
      : levels_(levels), number_(wiring.graph().gpu_count()), divisor_(wiring.size(), 1) {
    std::vector<const SwitchWiring::Group*> groups;
    for (const SwitchWiring::Group& group : wiring.groups()) groups.push_back(&group);
    std::stable_sort(groups.begin(), groups.end(),
                     [](const auto* a, const auto* b) { return a->switches < b->switches; });
    std::uint32_t count = 0;
    for (const SwitchWiring::Group* group : groups) {
      for (const NodeId gpu : group->gpus) number_[gpu.value] = count++;
    }
    FindDivisors(wiring);
  }
  std::size_t operator()(std::uint32_t index, NodeId gpu, const std::vector<PortId>& ports) const {
    return number_[gpu.value] / divisor_[index] % ports.size();
  }

 private:
  /// Lowest tier first: the most ports up of a switch multiply the divisor of the next tier.
  void FindDivisors(const SwitchWiring& wiring) {
    std::uint64_t divisor = 1, most = 1;
    const std::vector<std::uint32_t>& order = levels_.order();
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      if (at != order.rbegin() && levels_.rank(*at) != levels_.rank(*(at - 1))) {
        divisor *= most;
        most = 1;
      }
      divisor_[*at] = divisor;
      std::uint64_t up = 0;
      for (const SwitchWiring::Neighbour& next : wiring.neighbours(*at))
        up += levels_.IsAbove(next.node, *at) ? 1 : 0;
      most = std::max(most, up);
    }
  }

  const Levels& levels_;
  std::vector<std::uint32_t> number_;   ///< by GPU
  std::vector<std::uint64_t> divisor_;  ///< by index of the switch
};

}  // namespace

ForwardingTables UpDownTables(const Graph& graph) {
  const SwitchWiring wiring(graph);
  const Levels levels = Levels::FromRoots(wiring, FindTiers(graph));
  return FillTables(
      wiring, [&](const SwitchWiring::Group& group) { return UpDownPaths(wiring, levels, group); },
      LeastDestinations(wiring));
}

ForwardingTables DModKTables(const Graph& graph) {
  const SwitchWiring wiring(graph);
  const Levels levels = Levels::FromTiers(wiring, FindTiers(graph));
  return FillTables(
      wiring, [&](const SwitchWiring::Group& group) { return UpDownPaths(wiring, levels, group); },
      Modulo(wiring, levels));
}

}  // namespace heddle
