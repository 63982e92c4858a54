// SPDX-License-Identifier: GPL-2.0-only
/// The jobs of a run: workloads read, placed and made into programs.
#ifndef HEDDLE_CORE_APP_WORKLOAD_SETUP_H_
#define HEDDLE_CORE_APP_WORKLOAD_SETUP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/job.h"
#include "core/app/run_setup.h"
#include "topology/graph.h"
#include "transport/flow_sample.h"

namespace heddle {

/// The jobs that the command line asks for: -w is one job on all GPUs, each --job one of its own.
/// `warnings` gets what is odd but can be run. Throws Error.
std::vector<Job> LoadJobs(const RunArguments& run, const Graph& graph,
                          std::vector<std::string>* warnings);

/// "1 job", or a line a job: "job 0 llama.txt: 64 GPUs (packed), TP 8 DP 8, 92 layers, 1 pass".
std::string DescribeJobs(const std::vector<Job>& jobs);

/// What of every flow and GPU is kept for the result, from --record KEY=VALUE.
struct Recording {
  enum class Choice { kAuto, kAll, kNone };
  std::optional<FlowSample>
      flows;  ///< which of those that finish; none given (auto): all, up to a million
  Choice timeline = Choice::kAuto;  ///< auto: all, up to four million steps

  FlowSample SampleOf(std::uint64_t planned_flows) const;
  bool KeepsTimeLine(std::uint64_t steps) const;
};
/// "flows=all", "flows=sample:100", "timeline=none", ... Throws UsageError.
Recording ParseRecording(const std::vector<std::string>& settings);

/// Steps of all GPUs in all passes.
std::uint64_t CountSteps(const std::vector<Job>& jobs);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_WORKLOAD_SETUP_H_
