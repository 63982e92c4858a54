// SPDX-License-Identifier: GPL-2.0-only
/// How evenly hashes distribute flows over the middle switches of their paths.
#pragma once

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

}  // namespace heddle
