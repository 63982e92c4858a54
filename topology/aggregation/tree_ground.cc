// SPDX-License-Identifier: GPL-2.0-only
#include "topology/aggregation/tree_ground.h"

#include <fmt/format.h>

#include "core/base/check.h"

namespace heddle {
namespace {

std::uint64_t PairOf(NodeId below, NodeId above) {
  return (std::uint64_t{below.value} << 32) | above.value;
}

/// visit(pair) for every switch with the one above it.
template <class Visit>
void ForEachLink(const AggregationTree& tree, const Visit& visit) {
  for (std::size_t i = 1; i < tree.switches.size(); ++i)
    visit(PairOf(tree.switches[i], tree.switches[tree.above[i]]));
}

}  // namespace

bool TreeGround::HasStream(NodeId node) const { return Taken(node) < graph_.streams_of_switch(); }

std::uint32_t TreeGround::Taken(NodeId node) const {
  const auto at = locks_.find(node.value);
  return at == locks_.end() ? 0 : at->second.count;
}

std::uint32_t TreeGround::TreesOver(NodeId below, NodeId above) const {
  const auto at = links_.find(PairOf(below, above));
  return at == links_.end() ? 0 : at->second;
}

void TreeGround::Take(const AggregationTree& tree, const std::string& holder) {
  if (holders_.empty() || holders_.back() != holder) holders_.push_back(holder);
  for (const NodeId node : tree.switches) {
    HEDDLE_EXPECT(HasStream(node));
    Lock& lock = locks_[node.value];
    ++lock.count;
    lock.holder = static_cast<std::uint32_t>(holders_.size() - 1);
  }
  ForEachLink(tree, [&](std::uint64_t pair) { ++links_[pair]; });
}

void TreeGround::GiveBack(const AggregationTree& tree) {
  for (const NodeId node : tree.switches) {
    const auto at = locks_.find(node.value);
    HEDDLE_EXPECT(at != locks_.end());
    if (--at->second.count == 0) locks_.erase(at);
  }
  ForEachLink(tree, [&](std::uint64_t pair) {
    if (--links_[pair] == 0) links_.erase(pair);
  });
}

std::string TreeGround::WhyNoStream(NodeId node) const {
  const auto at = locks_.find(node.value);
  HEDDLE_EXPECT(at != locks_.end() && !HasStream(node));
  const std::uint32_t streams = graph_.streams_of_switch();
  return fmt::format("{} has no stream left: {} {} (aggregation.streams={})",
                     Describe(graph_, node), holders_[at->second.holder],
                     streams == 1 ? "holds it" : "and others hold them", streams);
}

}  // namespace heddle
