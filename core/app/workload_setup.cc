// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/workload_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "collectives/make_program.h"
#include "collectives/placement.h"
#include "collectives/workload_defaults.h"
#include "io/simai_workload.h"

namespace heddle {
namespace {

std::vector<JobSpec> SpecsOf(const RunArguments& run) {
  std::vector<JobSpec> specs;
  if (!run.workload.empty()) {
    specs.emplace_back();
    specs.back().workload = run.workload;
    specs.back().passes = run.passes;
  }
  for (const std::string& text : run.jobs) specs.push_back(ParseJobSpec(text));
  return specs;
}

/// N of "sample:N".
std::uint64_t ParseSample(const std::string& value) {
  constexpr std::size_t kWord = 7;
  std::uint64_t every = 0;
  const char* begin = value.data() + std::min(value.size(), kWord);
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(begin, end, every);
  if (error != std::errc() || stop != end || every < 1 || every > FlowSample::kMostEvery) {
    throw UsageError(fmt::format(
        "--record flows={}: a sample is one flow in N. Expected: flows=sample:N, N from 1 to {}",
        Printable(value), FlowSample::kMostEvery));
  }
  return every;
}

FlowSample ParseFlows(const std::string& value) {
  if (value == "all") return {1};
  if (value == "none") return {0};
  if (value == "sample" || value.rfind("sample:", 0) == 0) return {ParseSample(value)};
  throw UsageError("--record flows=" + Printable(value) +
                   ": expected flows=auto, flows=all, flows=sample:N or flows=none");
}

Recording::Choice ParseChoice(const std::string& value) {
  if (value == "auto") return Recording::Choice::kAuto;
  if (value == "all") return Recording::Choice::kAll;
  if (value == "none") return Recording::Choice::kNone;
  throw UsageError("--record timeline=" + Printable(value) +
                   ": expected timeline=auto, timeline=all or timeline=none");
}

std::string BaseName(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace

std::vector<Job> LoadJobs(const RunArguments& run, const Graph& graph,
                          std::vector<std::string>* warnings) {
  const std::vector<JobSpec> specs = SpecsOf(run);
  std::vector<Workload> workloads;
  for (const JobSpec& spec : specs) workloads.push_back(ReadSimaiWorkload(spec.workload));
  const std::vector<std::vector<NodeId>> places = PlaceJobs(specs, graph, run.seed);
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const auto ranks = static_cast<std::uint32_t>(places[i].size());
    const std::string who = fmt::format("job {} ({})", i, specs[i].workload);
    const ParallelGroups groups(DefaultSizes(workloads[i], ranks, graph.gpus_per_server()), ranks,
                                who);
    for (const std::string& warning : WorkloadWarnings(workloads[i], groups))
      warnings->push_back(fmt::format("job {}: {}", i, warning));
    Program program = MakeProgram(workloads[i], groups, specs[i].passes);
    jobs.push_back({BaseName(specs[i].workload), std::move(workloads[i]), groups,
                    std::move(program), places[i], specs[i].start, specs[i].placement});
  }
  return jobs;
}

std::string DescribeJobs(const std::vector<Job>& jobs) {
  std::string text;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Job& job = jobs[i];
    const ParallelGroups& groups = job.groups;
    text += fmt::format(
        "job {:<12} {}: {} GPUs ({}), TP {} DP {} PP {} EP {}, {} layer{}, {} pass{}", i, job.name,
        job.gpus.size(), ToText(job.placement), groups.tensor(), groups.data(), groups.pipeline(),
        groups.expert(), job.workload.layers.size(), job.workload.layers.size() == 1 ? "" : "s",
        job.program.passes, job.program.passes == 1 ? "" : "es");
    if (job.start > Time{0}) text += ", from " + ToText(job.start);
    text += "\n";
  }
  return text;
}

Recording ParseRecording(const std::vector<std::string>& settings) {
  Recording recording;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    const std::string key = setting.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : setting.substr(equals + 1);
    if (key == "flows") {
      recording.flows.reset();
      if (value != "auto") recording.flows = ParseFlows(value);
    } else if (key == "timeline") {
      recording.timeline = ParseChoice(value);
    } else {
      throw UsageError("--record " + Printable(setting) +
                       ": expected flows= or timeline= with auto, all or none, or flows=sample:N");
    }
  }
  return recording;
}

FlowSample Recording::SampleOf(std::uint64_t planned_flows) const {
  constexpr std::uint64_t kMostFlows = 1'000'000;
  return flows.value_or(FlowSample{planned_flows <= kMostFlows ? 1U : 0U});
}

bool Recording::KeepsTimeLine(std::uint64_t steps) const {
  constexpr std::uint64_t kMostSteps = 4'000'000;
  return timeline == Choice::kAll || (timeline == Choice::kAuto && steps <= kMostSteps);
}

std::uint64_t CountSteps(const std::vector<Job>& jobs) {
  std::uint64_t steps = 0;
  for (const Job& job : jobs) {
    for (std::size_t rank = 0; rank < job.gpus.size(); ++rank) {
      steps += job.program.steps[job.groups.StageOf(static_cast<std::uint32_t>(rank))].size() *
               job.program.passes;
    }
  }
  return steps;
}

}  // namespace heddle
