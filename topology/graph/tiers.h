// SPDX-License-Identifier: GPL-2.0-only
/// Layers of a fabric: a node's distance from the GPUs, and what people call it.
#ifndef HEDDLE_TOPOLOGY_GRAPH_TIERS_H_
#define HEDDLE_TOPOLOGY_GRAPH_TIERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "topology/graph/graph.h"

namespace heddle {

/// Layers in the order in which they are shown: GPUs, NVSwitches, then switches by distance.
enum : std::uint32_t { kGpuTier = 0, kNvSwitchTier = 1, kLeafTier = 2 };

/// Tier by node: a switch with h links to the nearest GPU is in tier kLeafTier + h - 1. Switches
/// that no GPU reaches are in the tier after the last.
std::vector<std::uint32_t> FindTiers(const Graph& graph);

/// "GPU", "NVSwitch", "leaf", "spine", "tier 3"...
std::string TierName(std::uint32_t tier);

}  // namespace heddle

#endif  // HEDDLE_TOPOLOGY_GRAPH_TIERS_H_
