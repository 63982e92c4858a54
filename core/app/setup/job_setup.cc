// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/setup/job_setup.h"

#include <fmt/format.h>

#include <utility>

#include "collectives/job/placement.h"
#include "collectives/program/make_program.h"
#include "collectives/program/workload_defaults.h"
#include "io/simai/simai_workload.h"

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
    if (const std::string note = GatherWholes(groups, &workloads[i]); !note.empty())
      warnings->push_back(fmt::format("job {}: {}", i, note));
    for (const std::string& warning : WorkloadWarnings(workloads[i], groups))
      warnings->push_back(fmt::format("job {}: {}", i, warning));
    Program program = MakeProgram(workloads[i], groups, specs[i].passes);
    jobs.push_back({BaseName(specs[i].workload), std::move(workloads[i]), groups,
                    std::move(program), places[i], specs[i].start, specs[i].placement,
                    specs[i].priority});
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
    if (job.priority != JobSpec().priority) text += fmt::format(", priority {}", job.priority);
    if (job.start > Time{0}) text += ", from " + ToText(job.start);
    text += "\n";
  }
  return text;
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

std::uint64_t CountCollectives(const std::vector<Job>& jobs) {
  std::uint64_t collectives = 0;
  for (const Job& job : jobs) {
    for (const ProgramOp& op : job.program.ops)
      collectives += std::uint64_t{job.groups.count(op.spec.group)} * job.program.passes;
  }
  return collectives;
}

}  // namespace heddle
