// SPDX-License-Identifier: GPL-2.0-only
/// Runs a whole simulation of jobs in one call, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/job/job.h"
#include "collectives/pipeline/pipeline_options.h"
#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/mpi/communicator.h"
#include "tests/support/simulate.h"
#include "topology/graph/graph.h"

namespace heddle::testing {

/// Runs jobs as Simulate() runs flows; their collectives post the flows, and the schedules of the
/// scenario; there may be no job then.
Observed SimulateJobs(const Graph& graph, const std::vector<Job>& jobs,
                      const Scenario& scenario = {},
                      const Communicator& world = Communicator::Serial());

/// Makes a job from the text of a workload file, on GPUs in the order of ranks (default: all GPUs).
Job MakeJob(const Graph& graph, const std::string& workload, std::vector<NodeId> gpus = {},
            Time start = {}, std::uint32_t passes = 1, const PipelineOptions& pipeline = {});

}  // namespace heddle::testing
