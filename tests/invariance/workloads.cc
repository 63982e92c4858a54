// SPDX-License-Identifier: GPL-2.0-only
#include "tests/invariance/workloads.h"

#include <fmt/format.h>

#include <utility>

#include "collectives/program/make_program.h"
#include "collectives/program/routed_experts.h"
#include "core/options/options.h"
#include "io/plan/plan_file.h"
#include "tests/support/simulate_jobs.h"

namespace heddle::invariance {

std::string WorkloadHeader(int tp, int ep, int pp) {
  return fmt::format(
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: {} ep: {} pp: {} vpp: 1 ga: 2 "
      "all_gpus: 32 "
      "checkpoints: 0 checkpoint_initiates: 0 pp_comm: 70000\n",
      tp, ep, pp);
}

std::string One(int tp, const std::string& operation, int bytes, int ep) {
  return WorkloadHeader(tp, ep) +
         fmt::format("1\nlayer -1 1 {} {} 1 NONE 0 1 NONE 0 1\n", operation, bytes);
}

std::string Training() {
  return WorkloadHeader(4, 2) +
         "3\nfirst -1 1000 ALLGATHER 300000 2000 REDUCESCATTER 300000 500 ALLREDUCE 500000 20\n"
         "second -1 3000 ALLTOALL_EP 400000 1000 ALLTOALL_EP 400000 700 ALLREDUCE_DP_EP 200000 10\n"
         "third -1 2000 ALLREDUCE 250001 1500 NONE 0 900 REDUCESCATTER 123457 1\n";
}

CollectiveOptions SetCollectives(const Settings& settings) {
  CollectiveOptions options;
  OptionSet keys;
  options.Declare(&keys);
  for (const auto& [key, value] : settings) keys.Set(key, value, {"invariance case", 0});
  options.send_latency = MicroSeconds(3);
  return options;
}

Case OneJob(const std::string& name, Graph graph, const std::string& workload, const Settings& how,
            const Settings& settings, std::vector<Proof> proofs, std::uint32_t passes) {
  const CollectiveOptions collectives = SetCollectives(how);
  std::vector<Job> jobs = {
      testing::MakeJob(graph, workload, {}, Time{0}, passes, collectives.pipeline)};
  RouteExperts(collectives.experts, jobs[0].workload, jobs[0].groups, &jobs[0].program);
  return {name,       std::move(graph), {}, Set(settings), {}, std::move(proofs), std::move(jobs),
          collectives};
}

Case OnePlan(const std::string& name, Graph graph, const std::string& plan,
             const Settings& settings, std::vector<Proof> proofs) {
  const StepPlan step = ResolvePlanFile(ParsePlan(plan, name, ""), name);
  Workload workload = MakeStepWorkload(step.shape, step.parallel, step.speed);
  const ParallelGroups groups(workload.sizes, graph.gpu_count(), name);
  PipelineOptions how;
  how.schedule = step.parallel.schedule;
  how.chunks = step.parallel.virtual_pipeline;
  how.overlap_experts = step.parallel.overlap_experts;
  Program program = MakeProgram(workload, groups, 1, how);
  std::vector<NodeId> gpus;
  for (std::uint32_t gpu = 0; gpu < graph.gpu_count(); ++gpu) gpus.emplace_back(gpu);
  std::vector<Job> jobs = {{name, std::move(workload), groups, std::move(program), std::move(gpus),
                            Time{0}, Placement::kPacked}};
  return {name,
          std::move(graph),
          {},
          Set(settings),
          {},
          std::move(proofs),
          std::move(jobs),
          SetCollectives({})};
}

namespace proofs {

Proof Collectives() {
  return {"collectives", [](const Results& r) {
            return static_cast<std::int64_t>(RowCount(r.table("collectives")));
          }};
}

}  // namespace proofs
}  // namespace heddle::invariance
