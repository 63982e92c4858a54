// SPDX-License-Identifier: GPL-2.0-only
/// Trees of switches that add, laid over a fabric.
///
/// Source: NVIDIA's documents of SHARP: on a fat tree every leaf with a member is an aggregation
/// node, one spine is the root, and the members of one leaf need no other switch. Where a GPU or a
/// switch is linked to several switches above it, the one that most others share is taken. Among
/// equal ones it is one whose links no tree of another communicator has, then one with few streams
/// taken; among these trees take turns, so that trees of several rails have different roots.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "topology/aggregation/aggregation_tree.h"
#include "topology/aggregation/tree_ground.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Lays a tree over the switches of `graph`, which add, with the members at its ends: at least one
/// GPU, all different. `tiers`: FindTiers(graph). `turn`: the number of the tree among trees that
/// are laid side by side. `ground`: of the same graph; null: all switches and links. Links only
/// join neighbouring tiers. Returns why there is no tree; then `tree` is empty.
std::string LayTree(const Graph& graph, const std::vector<std::uint32_t>& tiers,
                    const std::vector<NodeId>& members, std::uint32_t turn,
                    const TreeGround* ground, AggregationTree* tree);

}  // namespace heddle
