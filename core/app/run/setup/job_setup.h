// SPDX-License-Identifier: GPL-2.0-only
/// The jobs of a run: reads workloads, places them and makes their programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/choice/collective_options.h"
#include "collectives/job/job.h"
#include "core/app/run/arguments/run_arguments.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Loads the jobs that the command line asks for: -w is one job on all GPUs, each --job another
/// job. Jobs are workloads, or traces of Chakra, which --chakra names, and whose prefixes workloads
/// may be. `warnings` gets a line for each oddity that does not prevent the run. Throws Error.
std::vector<Job> LoadJobs(const RunArguments& run, const Graph& graph,
                          const CollectiveOptions& options, std::vector<std::string>* warnings);

/// "1 job", or a line a job: "job 0 llama.txt: 64 GPUs (packed), TP 8 DP 8, 92 layers, 1 pass", and
/// behind it one with the schedule if it has pipeline stages.
std::string DescribeJobs(const std::vector<Job>& jobs);

/// Returns the number of steps of all GPUs in all passes.
std::uint64_t CountSteps(const std::vector<Job>& jobs);
/// Returns the number of collectives of all groups in all passes, as /collectives counts them; an
/// upper bound where operations are of some stages of a pipeline only.
std::uint64_t CountCollectives(const std::vector<Job>& jobs);

}  // namespace heddle
