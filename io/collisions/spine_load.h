// SPDX-License-Identifier: GPL-2.0-only
/// How evenly hashes distribute flows over the middle switches of their paths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/table.h"
#include "io/collisions/flow_paths.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Flows whose paths have this switch in the middle, regardless of time.
struct SpineLoad {
  NodeId spine;
  std::uint32_t flows = 0;
  std::int64_t bytes = 0;
};

/// All switches of a tier (topology/graph/tiers.h), by number, including those without flows.
struct SpineTier {
  std::uint32_t tier = 0;
  std::vector<SpineLoad> spines;
};

/// Returns the tiers that contain middle switches of paths of at least three switches, from the
/// lowest. `paths` belong to the flows of table "flows", without the sources' own ports.
std::vector<SpineTier> LoadOfSpines(const Graph& graph, const Table& flows,
                                    const HopNumbers& numbers, const PortLists& paths);

/// How evenly the switches of a tier share its flows.
struct SpineSums {
  std::uint64_t flows = 0;
  std::int64_t bytes = 0;
  std::uint32_t used = 0;                   ///< switches with a flow
  double flows_ratio = 0, bytes_ratio = 0;  ///< most of one switch over the mean of all; 1: even
};
/// Sums up a tier; ratios of a tier without flows, or without bytes, are 0.
SpineSums SumsOf(const SpineTier& tier);

/// Returns the switches of a tier by number, or, of more than `most`, those with the most flows.
std::vector<SpineLoad> FullestOf(const SpineTier& tier, std::size_t most);

}  // namespace heddle
