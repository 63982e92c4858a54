// SPDX-License-Identifier: GPL-2.0-only
/// Static congestion by tier: what the cables between two layers of a network carried.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/load/run_load.h"
#include "topology/load/static_paths.h"

namespace heddle {

/// Cables of one tier and direction (topology/graph/link_tiers.h).
struct CableTier {
  std::string name;            ///< "leaf to spine"
  std::uint32_t cables = 0;    ///< each direction is one
  std::uint32_t unused = 0;    ///< without a message in any run
  std::uint64_t messages = 0;  ///< of all cables and runs
  std::uint32_t peak = 0;      ///< most messages at once on one cable
};

/// Returns the index into TiersOf() of each cable of the network.
std::vector<std::uint8_t> TierOfCables(const StaticPaths& paths);

/// Returns the tiers of a network in the order of LinkTiers. `totals` has sums of cables.
std::vector<CableTier> TiersOf(const StaticPaths& paths, const LoadTotals& totals);

}  // namespace heddle
