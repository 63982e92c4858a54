// SPDX-License-Identifier: GPL-2.0-only
/// Collisions of flows as CSV. Columns: docs/formats/csv.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>

#include "io/collisions/collision_analysis.h"

namespace heddle {

/// Most flows of a shared period that are listed.
constexpr std::size_t kMostFlowsListed = 16;

/// `node,port,peer,from_ps,until_ps,flows,flow_ids`: one line for each interval in which the same
/// two or more flows were active on a port. The caller checks the state of `out`.
void ExportSharedPeriods(const CollisionAnalysis& analysis, const Graph& graph,
                         const HopNumbers& numbers, std::ostream& out);

/// `flow_a,flow_b,node,port,peer,from_ps,until_ps`: one line for each pair of flows and port, at
/// most `limit`. Returns the number of all pairs. The caller checks the state of `out`.
std::uint64_t ExportCollidingPairs(const CollisionAnalysis& analysis, const Graph& graph,
                                   const HopNumbers& numbers, std::size_t limit, std::ostream& out);

}  // namespace heddle
