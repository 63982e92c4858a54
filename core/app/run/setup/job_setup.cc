// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/setup/job_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "collectives/chakra/chakra_program.h"
#include "collectives/job/placement.h"
#include "collectives/program/make_program.h"
#include "collectives/program/routed_experts.h"
#include "collectives/program/workload_defaults.h"
#include "core/app/run/arguments/traffic_sources.h"
#include "core/base/check.h"
#include "core/options/enum_words.h"
#include "core/traffic/expert_table.h"
#include "io/chakra/chakra_files.h"
#include "io/input/expert_table_text.h"
#include "io/input/text_file.h"
#include "io/nccl_log/nccl_files.h"
#include "io/plan/workload_file.h"

namespace heddle {
namespace {

std::vector<JobSpec> SpecsOf(const RunArguments& run) {
  std::vector<JobSpec> specs;
  if (!run.workload.empty()) {
    specs.emplace_back();
    specs.back().workload = run.workload;
    specs.back().passes = run.passes;
  }
  if (!run.chakra.empty()) {
    specs.emplace_back();
    specs.back().workload = run.chakra;
  }
  if (!run.nccl_log.empty()) {
    specs.emplace_back();
    specs.back().workload = run.nccl_log;
    specs.back().source = JobSpec::Source::kNcclLog;
  }
  for (const std::string& text : run.jobs) specs.push_back(ParseJobSpec(text));
  return specs;
}

std::string BaseName(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

/// The trace of a job, and one GPU a rank if the job does not say which.
std::unique_ptr<ChakraTrace> ReadChakraJob(const RunArguments& run, const ChakraOptions& chakra,
                                           const ChakraWindow& window, JobSpec* spec,
                                           std::vector<std::string>* warnings) {
  if (spec->passes != 1)
    throw UserError(fmt::format("{}: a trace of Chakra runs once. Expected: no passes",
                                Printable(spec->workload)));
  auto trace = std::make_unique<ChakraTrace>(ReadChakra(
      spec->workload, {run.chakra_groups, chakra.control == ChakraOptions::Control::kFollow,
                       static_cast<std::uint64_t>(window.nodes)}));
  for (const std::string& warning : WarnOfChakra(*trace)) warnings->push_back(warning);
  if (spec->gpus.empty()) spec->gpus = std::to_string(trace->ranks.size());
  return trace;
}

/// The trace of a job's logs, likewise.
std::unique_ptr<ChakraTrace> ReadNcclJob(JobSpec* spec, std::vector<std::string>* warnings) {
  std::string& path = spec->workload;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  NcclTrace read = ReadNcclLogs(path);
  if (!read.why_not.empty()) throw UserError(read.why_not);
  for (const std::string& sentence : read.odd)
    warnings->push_back(fmt::format("{}: {}", read.trace.name, sentence));
  if (spec->gpus.empty()) spec->gpus = std::to_string(read.trace.ranks.size());
  return std::make_unique<ChakraTrace>(std::move(read.trace));
}

/// Sizes of the fabric's dimensions, if the ranks are its GPUs in order.
std::vector<std::uint32_t> DimensionsOf(const Graph& graph, const std::vector<NodeId>& gpus) {
  std::vector<std::uint32_t> sizes;
  const bool all = gpus.size() == graph.gpu_count();
  for (std::size_t i = 0; all && i < gpus.size(); ++i) {
    if (gpus[i].value != i) return {};
  }
  if (!all || graph.scale_up() == nullptr) return {};
  for (const Dimension& dimension : graph.scale_up()->dimensions) sizes.push_back(dimension.size);
  return sizes;
}

/// Reads and checks the algorithms that options name. Throws UserError.
ChakraAlgorithms ReadAlgorithms(const ChakraAlgorithmOptions& options) {
  const std::pair<ChakraCollective, const std::string*> given[] = {
      {ChakraCollective::kAllReduce, &options.all_reduce},
      {ChakraCollective::kAllGather, &options.all_gather},
      {ChakraCollective::kReduceScatter, &options.reduce_scatter},
      {ChakraCollective::kAllToAll, &options.all_to_all}};
  ChakraAlgorithms algorithms;
  for (const auto& [collective, prefix] : given) {
    if (prefix->empty()) continue;
    auto algorithm = std::make_shared<ChakraTrace>(ReadChakra(*prefix, {}));
    CheckChakraAlgorithm(*algorithm);
    algorithms[collective] = std::move(algorithm);
  }
  return algorithms;
}

Job MakeChakraJob(const JobSpec& spec, const ChakraTrace& trace, const ChakraAlgorithms& algorithms,
                  const Graph& graph, const CollectiveOptions& options,
                  const std::vector<NodeId>& gpus, std::vector<std::string>* warnings) {
  if (gpus.size() != trace.ranks.size())
    throw UserError(fmt::format("{}: {} ranks on {} GPUs. Expected: a GPU for each rank",
                                trace.name, trace.ranks.size(), gpus.size()));
  const ParallelGroups groups({}, static_cast<std::uint32_t>(gpus.size()), trace.name);
  const ChakraOptions& chakra = options.chakra;
  ChakraFabric fabric{DimensionsOf(graph, gpus), 0};
  if (chakra.as_astra_sim() && options.phased.on()) fabric.splits = options.phased.splits;
  Program program = MakeChakraProgram(trace, chakra, fabric, warnings, algorithms);
  Workload workload = MakeChakraWorkload(trace);
  workload.name = trace.name;
  return {
      BaseName(spec.workload), std::move(workload), groups, std::move(program), gpus, spec.start,
      spec.placement,          spec.priority};
}

/// The schedule of a job, and one GPU a rank if the job does not say which.
GoalSchedule ReadGoalJob(const Graph& graph, const GoalWindow& window, JobSpec* spec,
                         std::vector<std::string>* warnings) {
  GoalSchedule schedule = ReadRunnableGoal(spec->workload, graph,
                                           static_cast<std::uint64_t>(window.operations), warnings);
  if (spec->gpus.empty()) spec->gpus = std::to_string(schedule.ranks.size());
  return schedule;
}

GoalJob MakeGoalJob(const JobSpec& spec, GoalSchedule schedule, const std::vector<NodeId>& gpus) {
  if (gpus.size() != schedule.ranks.size())
    throw UserError(fmt::format("{}: {} ranks on {} GPUs. Expected: a GPU for each rank",
                                schedule.file, schedule.ranks.size(), gpus.size()));
  return {std::move(schedule), gpus, spec.start, spec.priority, ToText(spec.placement)};
}

std::uint64_t CountNodes(const GraphProgram& graph) {
  std::uint64_t nodes = 0;
  for (const GraphRank& rank : graph.ranks) nodes += rank.size();
  return nodes;
}

/// "job 0 step: 4 GPUs (packed), a trace of 12 nodes, 3 groups".
std::string DescribeGraph(std::size_t number, const Job& job) {
  std::string text =
      fmt::format("job {:<12} {}: {} GPUs ({}), a trace of {} nodes, {} collectives and messages",
                  number, job.name, job.gpus.size(), ToText(job.placement),
                  CountNodes(*job.program.graph), job.program.ops.size());
  if (job.priority != JobSpec().priority) text += fmt::format(", priority {}", job.priority);
  if (job.start > Time{0}) text += ", from " + ToText(job.start);
  return text + "\n";
}

}  // namespace

ExpertOptions ReadExperts(ExpertOptions options) {
  const bool by_token = options.routing == ExpertOptions::Routing::kTokens;
  const bool by_table = by_token || options.routing == ExpertOptions::Routing::kCounts;
  if (options.table.empty()) return options;
  if (!by_table)
    throw UserError(
        fmt::format("experts.table={} with experts.routing={}. Expected: counts or "
                    "tokens",
                    Printable(options.table), ToText(options.routing)));
  const std::string text = ReadTextFile(options.table);
  options.table_data = std::make_shared<const ExpertTable>(
      by_token ? ParseTokenExperts(text, options.table) : ParseExpertCounts(text, options.table));
  return options;
}

Job MakeStepJob(const JobSpec& spec, Workload workload, const std::vector<NodeId>& gpus,
                const Graph& graph, const CollectiveOptions& options, const std::string& who,
                std::vector<std::string>* warnings) {
  const ExpertOptions& experts = options.experts;
  const auto ranks = static_cast<std::uint32_t>(gpus.size());
  const ParallelGroups groups(DefaultSizes(workload, ranks, graph.gpus_per_server()), ranks, who);
  if (std::string note = GatherWholes(groups, &workload); !note.empty())
    warnings->push_back(std::move(note));
  for (std::string& warning : WorkloadWarnings(workload, groups, options.pipeline))
    warnings->push_back(std::move(warning));
  Program program = MakeProgram(workload, groups, spec.passes, options.pipeline);
  RouteExperts(experts, workload, groups, &program);
  if (experts.on() && program.experts == nullptr)
    warnings->push_back(
        fmt::format("experts.routing={} changes nothing: no ALLTOALL_EP of several GPUs",
                    ToText(experts.routing)));
  return {
      BaseName(spec.workload), std::move(workload), groups, std::move(program), gpus, spec.start,
      spec.placement,          spec.priority};
}

std::vector<Job> LoadJobs(const RunArguments& run, const Graph& graph,
                          const CollectiveOptions& options, const TraceWindows& windows,
                          const ChakraAlgorithmOptions& algorithms, std::vector<GoalJob>* schedules,
                          std::vector<std::string>* warnings) {
  std::vector<JobSpec> specs = SpecsOf(run);
  std::vector<GoalSchedule> read(specs.size());
  std::vector<std::unique_ptr<ChakraTrace>> traces(specs.size());
  std::vector<Workload> workloads(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].source == JobSpec::Source::kSchedule) {
      read[i] = ReadGoalJob(graph, windows.goal, &specs[i], warnings);
    } else if (specs[i].source == JobSpec::Source::kNcclLog) {
      traces[i] = ReadNcclJob(&specs[i], warnings);
    } else if (!run.chakra.empty() || IsChakraTrace(specs[i].workload)) {
      traces[i] = ReadChakraJob(run, options.chakra, windows.chakra, &specs[i], warnings);
    } else {
      std::vector<std::string> notes;
      workloads[i] = ReadWorkload(specs[i].workload, run.plan, graph.gpu_type(), &notes);
      for (const std::string& note : notes) warnings->push_back(fmt::format("job {}: {}", i, note));
    }
  }
  const auto is_trace = [](const auto& trace) { return trace != nullptr; };
  if (algorithms.any() && std::none_of(traces.begin(), traces.end(), is_trace))
    throw UserError(
        "chakra.allreduce and the like are algorithms of traces, and no job is one. Expected: "
        "--chakra PREFIX");
  const ChakraAlgorithms of_traces = ReadAlgorithms(algorithms);
  const std::vector<std::vector<NodeId>> places = PlaceJobs(specs, graph, run.seed);
  CollectiveOptions read_options = options;
  read_options.experts = ReadExperts(options.experts);
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].source == JobSpec::Source::kSchedule) {
      schedules->push_back(MakeGoalJob(specs[i], std::move(read[i]), places[i]));
      continue;
    }
    if (traces[i] != nullptr) {
      jobs.push_back(
          MakeChakraJob(specs[i], *traces[i], of_traces, graph, options, places[i], warnings));
      traces[i] = nullptr;
      continue;
    }
    std::vector<std::string> notes;
    jobs.push_back(MakeStepJob(specs[i], std::move(workloads[i]), places[i], graph, read_options,
                               fmt::format("job {} ({})", i, specs[i].workload), &notes));
    for (const std::string& note : notes) warnings->push_back(fmt::format("job {}: {}", i, note));
  }
  return jobs;
}

std::string DescribeJobs(const std::vector<Job>& jobs) {
  std::string text;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Job& job = jobs[i];
    if (job.program.graph != nullptr) {
      text += DescribeGraph(i, job);
      continue;
    }
    const ParallelGroups& groups = job.groups;
    text += fmt::format(
        "job {:<12} {}: {} GPUs ({}), TP {} DP {} PP {} EP {}, {} layer{}, {} pass{}", i, job.name,
        job.gpus.size(), ToText(job.placement), groups.tensor(), groups.data(), groups.pipeline(),
        groups.expert(), job.workload.layers.size(), job.workload.layers.size() == 1 ? "" : "s",
        job.program.passes, job.program.passes == 1 ? "" : "es");
    if (job.priority != JobSpec().priority) text += fmt::format(", priority {}", job.priority);
    if (job.start > Time{0}) text += ", from " + ToText(job.start);
    text += "\n" + DescribeExperts(job.program);
    if (!job.program.schedule.empty())
      text += fmt::format("pipeline         {} (pipeline.schedule)\n", job.program.schedule);
  }
  return text;
}

std::string DescribeSchedules(const std::vector<GoalJob>& schedules, std::size_t first) {
  std::string text;
  for (const GoalJob& job : schedules) {
    text += fmt::format("job {:<12} {}: {} GPUs ({}), a schedule of {} operations", first++,
                        job.schedule.file, job.gpus.size(), job.placement,
                        job.schedule.CountOperations());
    if (job.priority != JobSpec().priority) text += fmt::format(", priority {}", job.priority);
    if (job.start > Time{0}) text += ", from " + ToText(job.start);
    text += "\n";
  }
  return text;
}

std::uint64_t CountSteps(const std::vector<Job>& jobs) {
  std::uint64_t steps = 0;
  for (const Job& job : jobs) {
    if (job.program.graph != nullptr) steps += CountNodes(*job.program.graph);
    if (job.program.graph != nullptr) continue;
    for (std::size_t rank = 0; rank < job.gpus.size(); ++rank) {
      steps += job.program.steps[job.groups.StageOf(static_cast<std::uint32_t>(rank))].size() *
               job.program.passes;
    }
  }
  return steps;
}

std::uint64_t CountCollectives(const std::vector<Job>& jobs) {
  std::uint64_t collectives = 0;
  for (const Job& job : jobs) {
    for (const ProgramOp& op : job.program.ops)
      collectives += std::uint64_t{job.all_groups().GroupsOf(op).count} * job.program.passes;
  }
  return collectives;
}

}  // namespace heddle
