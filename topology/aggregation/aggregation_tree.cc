// SPDX-License-Identifier: GPL-2.0-only
#include "topology/aggregation/aggregation_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace heddle {
namespace {

using Level = std::vector<NodeId>;

/// The switches a tier above a node, each once, ascending.
Level Above(const Graph& graph, const std::vector<std::uint32_t>& tiers, NodeId node) {
  Level found;
  for (const Attachment& port : graph.ports(node)) {
    const bool up = graph.is_gpu(node) || tiers[port.peer.value] > tiers[node.value];
    if (graph.kind(port.peer) == NodeKind::kSwitch && up) found.push_back(port.peer);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

/// How many of `open` a switch is linked to.
std::size_t CountBelow(const Graph& graph, NodeId node,
                       const std::unordered_set<std::uint32_t>& open) {
  std::unordered_set<std::uint32_t> seen;
  for (const Attachment& port : graph.ports(node)) {
    if (open.count(port.peer.value) > 0) seen.insert(port.peer.value);
  }
  return seen.size();
}

/// Gives every node of `level` a switch above it, as few as a greedy search finds: the first that
/// has none takes the one that most others share, and all of these take it, too. False if a node
/// has none.
bool Cover(const Graph& graph, const std::vector<std::uint32_t>& tiers, const Level& level,
           std::uint32_t turn, std::unordered_map<std::uint32_t, NodeId>* above, Level* next) {
  std::unordered_set<std::uint32_t> open;
  for (const NodeId node : level) open.insert(node.value);
  for (const NodeId node : level) {
    if (open.count(node.value) == 0) continue;
    const Level ways = Above(graph, tiers, node);
    if (ways.empty()) return false;
    std::size_t most = 0, best = 0;
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const std::size_t way = (i + turn) % ways.size();
      const std::size_t count = CountBelow(graph, ways[way], open);
      if (count > most) most = count, best = way;
    }
    next->push_back(ways[best]);
    for (const Attachment& port : graph.ports(ways[best])) {
      if (open.erase(port.peer.value) > 0) (*above)[port.peer.value] = ways[best];
    }
  }
  std::sort(next->begin(), next->end());
  return true;
}

/// The switches above all members, up to one that is above all; by node. False if there is none.
bool Climb(const Graph& graph, const std::vector<std::uint32_t>& tiers,
           const std::vector<NodeId>& members, std::uint32_t turn,
           std::unordered_map<std::uint32_t, NodeId>* above, std::vector<Level>* levels) {
  levels->assign(1, members);
  do {
    Level next;
    if (!Cover(graph, tiers, levels->back(), turn, above, &next)) return false;
    levels->push_back(std::move(next));
  } while (levels->back().size() > 1);
  return true;
}

}  // namespace

std::string LayTree(const Graph& graph, const std::vector<std::uint32_t>& tiers,
                    const std::vector<NodeId>& members, std::uint32_t turn, AggregationTree* tree) {
  *tree = AggregationTree();
  for (const NodeId member : members) {
    if (Above(graph, tiers, member).empty())
      return fmt::format("{} is linked to no switch that adds", Describe(graph, member));
  }
  std::unordered_map<std::uint32_t, NodeId> above;
  std::vector<Level> levels;
  // Ways that part below the root meet again if all take the same turn, or another one.
  constexpr std::uint32_t kTries = 64;
  bool met = false;
  for (std::uint32_t i = 0; i < kTries && !met; ++i) {
    above.clear();
    met = Climb(graph, tiers, members, turn + i, &above, &levels);
  }
  if (!met) {
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
