// SPDX-License-Identifier: GPL-2.0-only
/// A tree of switches that add, laid over a fabric: every member sends to the switch above it,
/// every switch adds what comes from below, and the root sends the sum down again.
///
/// Source: NVIDIA's documents of SHARP: on a fat tree every leaf with a member is an aggregation
/// node, one spine is the root, and the members of one leaf need no other switch. Where a GPU or a
/// switch has several ways up, the one that most others share is taken; among equal ones trees take
/// turns, so that trees of several rails have different roots.
#ifndef HEDDLE_TOPOLOGY_AGGREGATION_AGGREGATION_TREE_H_
#define HEDDLE_TOPOLOGY_AGGREGATION_AGGREGATION_TREE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/memory_account.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Immutable. Switches are numbered from 0, the root; a switch comes after the one above it.
struct AggregationTree {
  std::vector<NodeId> switches;
  std::vector<std::uint32_t> above;      ///< by switch: the number of the next towards the root
  std::vector<std::uint32_t> of_member;  ///< by member: the number of its switch

  /// Bytes that it has allocated.
  std::size_t memory() const { return MemoryOf(switches) + MemoryOf(above) + MemoryOf(of_member); }
};

/// Lays a tree over the switches of `graph`, which add, with the members at its ends: at least one
/// GPU, all different. `tiers`: FindTiers(graph). `turn`: the number of the tree among those that
/// are laid side by side. Links only join neighbouring tiers. Returns why there is no tree; then
/// `tree` is empty.
std::string LayTree(const Graph& graph, const std::vector<std::uint32_t>& tiers,
                    const std::vector<NodeId>& members, std::uint32_t turn, AggregationTree* tree);

}  // namespace heddle

#endif  // HEDDLE_TOPOLOGY_AGGREGATION_AGGREGATION_TREE_H_
