// SPDX-License-Identifier: GPL-2.0-only
/// Collisions of flows as CSV. Columns: docs/formats/csv.md.
#ifndef HEDDLE_IO_EXPORT_EXPORT_COLLISIONS_H_
#define HEDDLE_IO_EXPORT_EXPORT_COLLISIONS_H_

#include <cstddef>
#include <cstdint>
#include <ostream>

#include "io/analysis/collision_analysis.h"

namespace heddle {

/// Flows of a shared period are listed if they are at most so many.
constexpr std::size_t kMostFlowsListed = 16;

/// `node,port,peer,from_ps,until_ps,flows,flow_ids`: a line a time in which the same flows, two or
/// more, were under way on a port. The caller checks the state of `out`.
void ExportSharedPeriods(const CollisionAnalysis& analysis, const Graph& graph,
                         const HopNumbers& numbers, std::ostream& out);

/// `flow_a,flow_b,node,port,peer,from_ps,until_ps`: a line a pair of flows and port, at most
/// `limit`. Returns how many there are in all. The caller checks the state of `out`.
std::uint64_t ExportCollidingPairs(const CollisionAnalysis& analysis, const Graph& graph,
                                   const HopNumbers& numbers, std::size_t limit, std::ostream& out);

}  // namespace heddle

#endif  // HEDDLE_IO_EXPORT_EXPORT_COLLISIONS_H_
