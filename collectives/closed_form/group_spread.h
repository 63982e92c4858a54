// SPDX-License-Identifier: GPL-2.0-only
/// How the groups of a job lie on its servers.
///
/// Ranks fill the servers one after the other, TP inside, then EP, DP and stages
/// (collectives/program/groups.h). Servers are counted from the members of each group; groups of
/// one type may lie differently.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/program/groups.h"
#include "core/traffic/workload.h"

namespace heddle {

/// One group.
struct GroupSpread {
  std::uint32_t ranks = 1, servers = 1;
  std::uint32_t fewest = 1, most = 1;  ///< ranks in a server
};

inline bool operator==(const GroupSpread& a, const GroupSpread& b) {
  return a.ranks == b.ranks && a.servers == b.servers && a.fewest == b.fewest && a.most == b.most;
}

/// Returns the spreads that groups of this type have, each once. `gpus_per_server`: at least 1.
/// Time and memory: O(ranks) of the job.
std::vector<GroupSpread> SpreadsOf(const ParallelGroups& groups, GroupType type,
                                   std::uint32_t gpus_per_server);

}  // namespace heddle
