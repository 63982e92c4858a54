// SPDX-License-Identifier: GPL-2.0-only
/// Tiers of a fabric's nodes: declared by the maker of the graph, or else the distance from the
/// GPUs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/graph/graph.h"

namespace heddle {

/// Returns the tier by node: as declared; or else, for a switch with h links to the nearest GPU,
/// tier kLeafTier + h - 1. Switches that no GPU reaches are in the tier after the last.
std::vector<std::uint32_t> FindTiers(const Graph& graph);

/// Returns the name of a tier: as declared, or else the name of a derived tier.
std::string TierName(const Graph& graph, std::uint32_t tier);

/// Returns the name of a derived tier: "GPU", "NVSwitch", "leaf", "spine", "tier 3", ...
std::string TierName(std::uint32_t tier);

}  // namespace heddle
