// SPDX-License-Identifier: GPL-2.0-only
/// Assigns GPUs to jobs, and ranks to GPUs.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/job/job.h"
#include "core/base/ids.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Returns the GPUs of each job, by rank. Jobs that name GPUs get them first, then jobs that ask
/// for a number, then jobs that ask for all free ones. Throws UserError if a GPU is in two jobs,
/// too few are free, or a GPU is unknown.
std::vector<std::vector<NodeId>> PlaceJobs(const std::vector<JobSpec>& specs, const Graph& graph,
                                           std::uint64_t seed);

}  // namespace heddle
