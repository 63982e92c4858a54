// SPDX-License-Identifier: GPL-2.0-only
/// Which GPUs each job gets, and in which order its ranks are put on them.
#ifndef HEDDLE_COLLECTIVES_JOB_PLACEMENT_H_
#define HEDDLE_COLLECTIVES_JOB_PLACEMENT_H_

#include <cstdint>
#include <vector>

#include "collectives/job/job.h"
#include "core/base/ids.h"
#include "topology/graph/graph.h"

namespace heddle {

/// The GPUs of each job, by rank. Jobs that name GPUs take them first, then those that want a
/// number, then those that want the rest. Throws UserError: a GPU in two jobs, too few that are
/// free, unknown GPUs.
std::vector<std::vector<NodeId>> PlaceJobs(const std::vector<JobSpec>& specs, const Graph& graph,
                                           std::uint64_t seed);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_JOB_PLACEMENT_H_
