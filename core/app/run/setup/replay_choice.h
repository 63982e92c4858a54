// SPDX-License-Identifier: GPL-2.0-only
/// Whether a run replays what repeats (docs/models/fast_forward.md), and whether it keeps segments
/// of the fabric whole for it.
///
/// Episodes repeat where groups of collectives lie in a server, under a leaf, or where their rings
/// keep to rails and leave some GPUs of each server out. Rings through all GPUs of several servers,
/// and whatever crosses spines, repeat little (docs/models/fast_forward.md). Leaves and their GPUs
/// are islands if one domain has both.
#pragma once

#include <vector>

#include "collectives/choice/collective_options.h"
#include "collectives/job/job.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Shares of the bytes that jobs send, by the volumes of their collectives, between 0 and 1; both 0
/// without jobs.
struct IslandShares {
  double servers = 0;  ///< groups lie in servers with NVSwitches
  /// Groups lie under leaves, or have rings along rails. Each GPU has a link to one leaf only.
  double leaves = 0;
};

/// Collectives that NVSwitches carry out (`options`) count for none.
IslandShares FindIslandShares(const Graph& graph, const std::vector<Job>& jobs,
                              const CollectiveOptions& options);

/// Whether replays are to be tried. `leaves`: leaves may be islands.
bool IsWorthReplaying(const IslandShares& shares, bool leaves);
/// In how many domains of whole segments (CountSegments) a run on `ranks` ranks is to be simulated,
/// so that leaves are together with their GPUs, and servers with others: at most one a rank, as
/// islands follow each other within a domain; ranks may be left without any, if what is replayed
/// saves more. 0: not worth it.
std::uint32_t PlanSegmentDomains(const IslandShares& shares, std::uint32_t ranks,
                                 std::uint32_t segments);

}  // namespace heddle
