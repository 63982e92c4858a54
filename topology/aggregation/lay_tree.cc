// SPDX-License-Identifier: GPL-2.0-only
#include "topology/aggregation/lay_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace heddle {
namespace {

using Level = std::vector<NodeId>;

/// What a tree is laid over.
struct Ground {
  const Graph& graph;
  const std::vector<std::uint32_t>& tiers;
  const TreeGround* rules;  ///< null: all of it

  bool IsUp(const Attachment& port) const { return rules == nullptr || rules->IsUp(port.link); }
  bool HasStream(NodeId node) const { return rules == nullptr || rules->HasStream(node); }
};

/// The switches a tier above a node, each once, ascending, over links that are up.
Level AllAbove(const Ground& on, NodeId node) {
  Level found;
  for (const Attachment& port : on.graph.ports(node)) {
    const bool up = on.graph.is_gpu(node) || on.tiers[port.peer.value] > on.tiers[node.value];
    if (on.graph.kind(port.peer) == NodeKind::kSwitch && up && on.IsUp(port))
      found.push_back(port.peer);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

/// Returns the switches above a node that have a stream left.
Level Above(const Ground& on, NodeId node) {
  Level found = AllAbove(on, node);
  const auto full = [&](NodeId above) { return !on.HasStream(above); };
  found.erase(std::remove_if(found.begin(), found.end(), full), found.end());
  return found;
}

/// A switch above several nodes, as far as it matters for the choice.
struct Way {
  std::size_t shared = 0;   ///< nodes that it serves
  std::uint64_t held = 0;   ///< trees that have links to it from these nodes
  std::uint32_t taken = 0;  ///< its streams that are taken

  bool IsBetter(const Way& other) const {
    if (shared != other.shared) return shared > other.shared;
    return std::tie(held, taken) < std::tie(other.held, other.taken);
  }
};

/// Rates `node` as the switch above those of `open` that are linked to it.
Way WayUp(const Ground& on, NodeId node, const std::unordered_set<std::uint32_t>& open) {
  std::unordered_set<std::uint32_t> seen;
  for (const Attachment& port : on.graph.ports(node)) {
    if (open.count(port.peer.value) > 0 && on.IsUp(port)) seen.insert(port.peer.value);
  }
  Way way;
  way.shared = seen.size();
  if (on.rules == nullptr) return way;
  for (const std::uint32_t below : seen) way.held += on.rules->TreesOver(NodeId(below), node);
  way.taken = on.rules->Taken(node);
  return way;
}

/// Gives every node of `level` a switch above it, as few as a greedy search finds: the first that
/// has none takes the best one, and all others that are linked to it take it, too. False if a node
/// has none.
bool Cover(const Ground& on, const Level& level, std::uint32_t turn,
           std::unordered_map<std::uint32_t, NodeId>* above, Level* next) {
  std::unordered_set<std::uint32_t> open;
  for (const NodeId node : level) open.insert(node.value);
  for (const NodeId node : level) {
    if (open.count(node.value) == 0) continue;
    const Level ways = Above(on, node);
    if (ways.empty()) return false;
    std::size_t best = 0;
    Way chosen;
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const std::size_t at = (i + turn) % ways.size();
      const Way way = WayUp(on, ways[at], open);
      if (way.IsBetter(chosen)) chosen = way, best = at;
    }
    next->push_back(ways[best]);
    for (const Attachment& port : on.graph.ports(ways[best])) {
      if (on.IsUp(port) && open.erase(port.peer.value) > 0) (*above)[port.peer.value] = ways[best];
    }
  }
  std::sort(next->begin(), next->end());
  return true;
}

/// Returns why a node has no switch to go up to, in words; empty: it has one.
std::string WhyNoWayUp(const Ground& on, NodeId node) {
  const Level all = AllAbove(on, node);
  if (all.empty())
    return fmt::format("{} is linked to no switch that adds", Describe(on.graph, node));
  return Above(on, node).empty() ? on.rules->WhyNoStream(all.front()) : "";
}

/// The switches above all members, up to one that is above all; by node. False if there is none.
bool Climb(const Ground& on, const std::vector<NodeId>& members, std::uint32_t turn,
           std::unordered_map<std::uint32_t, NodeId>* above, std::vector<Level>* levels) {
  levels->assign(1, members);
  do {
    Level next;
    if (!Cover(on, levels->back(), turn, above, &next)) return false;
    levels->push_back(std::move(next));
  } while (levels->back().size() > 1);
  return true;
}

}  // namespace

std::string LayTree(const Graph& graph, const std::vector<std::uint32_t>& tiers,
                    const std::vector<NodeId>& members, std::uint32_t turn,
                    const TreeGround* ground, AggregationTree* tree) {
  *tree = AggregationTree();
  const Ground on{graph, tiers, ground};
  for (const NodeId member : members) {
    if (const std::string why = WhyNoWayUp(on, member); !why.empty()) return why;
  }
  std::unordered_map<std::uint32_t, NodeId> above;
  std::vector<Level> levels;
  // Paths that part below the root meet again if all take the same turn, or another one.
  constexpr std::uint32_t kTries = 64;
  bool met = false;
  for (std::uint32_t i = 0; i < kTries && !met; ++i) {
    above.clear();
    met = Climb(on, members, turn + i, &above, &levels);
  }
  if (!met) {
    // The last try says more if streams were missing.
    for (const NodeId node : levels.back()) {
      const bool ends_here = AllAbove(on, node).empty();
      if (!ends_here && Above(on, node).empty()) return ground->WhyNoStream(AllAbove(on, node)[0]);
    }
    return fmt::format("no switch is above all of {} GPUs, from {} to {}", members.size(),
                       Describe(graph, members.front()), Describe(graph, members.back()));
  }
  std::unordered_map<std::uint32_t, std::uint32_t> number;
  for (std::size_t level = levels.size() - 1; level > 0; --level) {
    for (const NodeId node : levels[level]) {
      const auto found = above.find(node.value);
      const auto own = static_cast<std::uint32_t>(tree->switches.size());
      tree->above.push_back(own == 0 ? 0 : number.at(found->second.value));
      number[node.value] = own;
      tree->switches.push_back(node);
    }
  }
  for (const NodeId member : members)
    tree->of_member.push_back(number.at(above.at(member.value).value));
  return {};
}

}  // namespace heddle
