// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/arguments/traffic_sources.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "collectives/job/job.h"
#include "core/base/check.h"
#include "io/goal/goal_file.h"
#include "io/goal/goal_messages.h"
#include "io/htsim/htsim_flows.h"
#include "io/input/file_kind.h"
#include "io/input/hpcc_flows.h"
#include "io/input/trace_csv.h"
#include "io/plan/plan_file.h"

namespace heddle {
namespace {

/// "-w WORKLOAD, --job workload=FILE,..., --trace FILE.csv, ... and --goal FILE": workloads first,
/// as the most common.
std::string NamesOfAll() {
  std::vector<std::string> names;
  for (const bool flows : {false, true}) {
    for (const TrafficSource& source : TrafficSources()) {
      if (source.has_jobs() != flows)
        names.push_back(std::string(source.flag) + " " + source.value);
    }
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + names[i];
  return text;
}

/// The value of the environment variable that replaces the source's flag; empty if there is none.
std::string VariableOf(const TrafficSource& source, const Environment& environment) {
  std::string found;
  for (const auto& [name, value] : environment) {
    if (source.variable != nullptr && name == source.variable && !value.empty()) found = value;
  }
  return found;
}

/// Flows of HPCC or of htsim, by the file's beginning.
std::vector<FlowRequest> ReadFlows(const FlowFile& file) {
  if (KindOfFile(file.path) == FileKind::kHtsimFlows)
    return ReadHtsimFlows(file.path, file.graph, file.start_unit, file.warnings);
  std::vector<FlowRequest> flows = ReadHpccFlows(file.path, file.graph);
  if (file.start_unit != RunArguments().start_unit)
    throw UserError("--start-unit: " + Printable(file.path) +
                    " has starts in seconds. Expected: a connection matrix of htsim");
  return flows;
}

/// A schedule whose ranks have a GPU each, and whose messages have receives.
GoalSchedule ReadSchedule(const FlowFile& file) {
  return ReadRunnableGoal(file.path, file.graph, file.goal_window, file.warnings);
}

void CheckStartUnit(const RunArguments& run) {
  if (run.start_unit != "us" && run.start_unit != "ps")
    throw UsageError("--start-unit: found '" + Printable(run.start_unit) + "'. Expected: us or ps");
  if (run.start_unit != RunArguments().start_unit && run.flows.empty())
    throw UsageError("--start-unit: says the unit of starts in --flows. Expected: --flows");
}

/// Throws UsageError for --plan without a plan.
void CheckPlanKeys(const RunArguments& run) {
  if (run.plan.empty()) return;
  bool any = IsPlanFile(run.workload);
  for (const std::string& job : run.jobs) any = any || IsPlanFile(ParseJobSpec(job).workload);
  if (!any)
    throw UsageError("--plan: replaces a key of a plan. Expected: -w PLAN.toml, or --job with one");
}

}  // namespace

std::vector<std::string> TrafficSource::Given(const RunArguments& run) const {
  if (jobs != nullptr) return run.*jobs;
  return (run.*file).empty() ? std::vector<std::string>() : std::vector{run.*file};
}

std::string TrafficSource::FileOf(const std::string& given) const {
  return jobs != nullptr ? ParseJobSpec(given).workload : given;
}

GoalSchedule ReadRunnableGoal(const std::string& path, const Graph& graph, std::uint64_t window,
                              std::vector<std::string>* warnings) {
  GoalSchedule schedule = ReadGoal(path, window, warnings);
  if (schedule.ranks.size() > graph.gpu_count())
    throw UserError(schedule.file + ": " + std::to_string(schedule.ranks.size()) +
                    " ranks, and the topology has " + std::to_string(graph.gpu_count()) +
                    " GPUs. Expected: a GPU for each rank");
  const std::string warning = CheckGoalMessages(schedule);
  if (!warning.empty()) warnings->push_back(warning);
  return schedule;
}

const std::vector<TrafficSource>& TrafficSources() {
  using R = RunArguments;
  static const std::vector<TrafficSource> sources = {
      {"--trace", "--trace", "FILE.csv", "flows as CSV: timestamp_ns,src,dst,size_bytes", "trace",
       "flows_input_digest", "TRACE_INJECT_FILE", &R::trace, nullptr,
       [](const FlowFile& file) { return ReadTraceCsv(file.path, file.graph, file.send_latency); }},
      {"--flows", "--flows", "FILE.txt",
       "flows in HPCC's format (count, then src dst priority port bytes start_s), or a connection "
       "matrix of htsim",
       "flows", "flows_input_digest", nullptr, &R::flows, nullptr, &ReadFlows},
      {"--goal", "--goal", "FILE",
       "schedule in GOAL, text or binary: what each rank computes, sends and receives; rank R is "
       "GPU R",
       "goal", "flows_input_digest", nullptr, &R::goal, nullptr, nullptr, &ReadSchedule},
      {"--serve", "--serve", "FILE.toml",
       "instances that serve a language model, for --requests: their KV transfers are messages; "
       "alone, or beside --job",
       "serve", "flows_input_digest", nullptr, &R::deployment, nullptr, nullptr, nullptr, true},
      {"-w", "-w,--workload", "WORKLOAD",
       "training step on all GPUs: SimAI's text format, or a plan (PLAN.toml)", "workload",
       "workload_digest", nullptr, &R::workload, nullptr, nullptr},
      {"--job", "--job", "workload=FILE,...",
       "one of several jobs, of a workload, of a trace of Chakra (workload=PREFIX), of a schedule "
       "in GOAL (goal=FILE) or of logs of NCCL (nccl-log=PATH): "
       "workload=FILE,gpus=0-63,start=0ms,placement=packed|random|round-robin|list,passes=1,"
       "priority=3; "
       "repeatable",
       "jobs", "workload_digest", nullptr, nullptr, &R::jobs, nullptr},
      {"--chakra", "--chakra", "PREFIX",
       "execution trace of Chakra, files PREFIX.RANK.et: rank R is GPU R", "chakra",
       "workload_digest", nullptr, &R::chakra, nullptr, nullptr},
      {"--nccl-log", "--nccl-log", "PATH",
       "logs of NCCL_DEBUG=INFO with NCCL_DEBUG_SUBSYS=INIT,COLL, a file or a folder: the calls of "
       "each rank; rank R is GPU R",
       "nccl_log", "workload_digest", nullptr, &R::nccl_log, nullptr, nullptr},
  };
  return sources;
}

void ResolveTraffic(const Environment& environment, RunArguments* run) {
  std::vector<std::string> given;
  for (const TrafficSource& source : TrafficSources()) {
    const std::string value = VariableOf(source, environment);
    const bool by_flag = !source.Given(*run).empty();
    if (by_flag && !value.empty()) {
      throw UsageError(std::string(source.flag) + " and " + source.variable +
                       " were both given. Expected: one of them");
    }
    if (!value.empty()) run->*source.file = value;
    if (by_flag || !value.empty()) given.emplace_back(by_flag ? source.flag : source.variable);
  }
  if (given.empty()) throw UsageError("heddle run needs traffic: one of " + NamesOfAll());
  const bool beside = given.size() == 2 && !run->deployment.empty() && !run->jobs.empty();
  if (given.size() > 1 && !beside) {
    throw UsageError(given[0] + " and " + given[1] +
                     " were both given. Expected: one of them (several jobs: --job for each)");
  }
  if (run->passes != 1 && run->workload.empty()) {
    throw UsageError("--passes: counts the iterations of -w. Expected: -w, or passes= in --job");
  }
  if (!run->chakra_groups.empty() && run->chakra.empty() && run->jobs.empty())
    throw UsageError("--chakra-groups: names the groups of a trace. Expected: --chakra");
  CheckStartUnit(*run);
  CheckPlanKeys(*run);
  std::stable_partition(run->jobs.begin(), run->jobs.end(), [](const std::string& job) {
    return ParseJobSpec(job).source != JobSpec::Source::kSchedule;
  });
}

const TrafficSource& SourceOf(const RunArguments& run) {
  const std::vector<TrafficSource>& all = TrafficSources();
  const auto found = std::find_if(all.begin(), all.end(), [&](const TrafficSource& source) {
    const bool beside_jobs = source.serves && !run.jobs.empty();
    return !source.Given(run).empty() && !beside_jobs;
  });
  if (found == all.end()) throw std::logic_error("a run without traffic");
  return *found;
}

}  // namespace heddle
