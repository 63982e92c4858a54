// SPDX-License-Identifier: GPL-2.0-only
/// The jobs of a run: reads workloads, places them and makes their programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/choice/collective_options.h"
#include "collectives/job/job.h"
#include "core/app/run/arguments/run_arguments.h"
#include "core/chakra/chakra_algorithms.h"
#include "core/chakra/chakra_window.h"
#include "core/goal/goal_job.h"
#include "core/goal/goal_window.h"
#include "topology/graph/graph.h"

namespace heddle {

/// How much of long traces and schedules stays in memory.
struct TraceWindows {
  ChakraWindow chakra;
  GoalWindow goal;
};

/// Loads the jobs that the command line asks for: -w is one job on all GPUs, each --job another
/// job. Jobs are workloads, or traces of Chakra, which --chakra names, and whose prefixes workloads
/// may be. Schedules in GOAL among the jobs are appended to `schedules`. `warnings` gets a line for
/// each oddity that does not prevent the run. Throws Error.
std::vector<Job> LoadJobs(const RunArguments& run, const Graph& graph,
                          const CollectiveOptions& options, const TraceWindows& windows,
                          const ChakraAlgorithmOptions& algorithms, std::vector<GoalJob>* schedules,
                          std::vector<std::string>* warnings);

/// Returns the options with what their table says. Throws UserError for a table that the law does
/// not take, or with file and line.
ExpertOptions ReadExperts(ExpertOptions options);

/// Makes the job of a step on these GPUs, its experts routed. `options`: with what the
/// tables of experts and pipelines say (ReadExperts, LoadPipelineTable). `who` names it in
/// messages: "job 0 (FILE)". Notes of what is odd in it go to `warnings`. Throws UserError.
Job MakeStepJob(const JobSpec& spec, Workload workload, const std::vector<NodeId>& gpus,
                const Graph& graph, const CollectiveOptions& options, const std::string& who,
                std::vector<std::string>* warnings);

/// "1 job", or a line a job: "job 0 llama.txt: 64 GPUs (packed), TP 8 DP 8, 92 layers, 1 pass", and
/// behind it one with the schedule if it has pipeline stages.
std::string DescribeJobs(const std::vector<Job>& jobs);

/// The same of schedules, whose numbers begin with `first`.
std::string DescribeSchedules(const std::vector<GoalJob>& schedules, std::size_t first);

/// Returns the number of steps of all GPUs in all passes.
std::uint64_t CountSteps(const std::vector<Job>& jobs);
/// Returns the number of collectives of all groups in all passes, as /collectives counts them; an
/// upper bound where operations are of some stages of a pipeline only.
std::uint64_t CountCollectives(const std::vector<Job>& jobs);

}  // namespace heddle
