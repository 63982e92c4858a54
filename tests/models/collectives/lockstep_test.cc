// SPDX-License-Identifier: GPL-2.0-only
/// A step of one rank a stage takes as long as the analytical backend's of all ranks.
#include "collectives/lockstep/lockstep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <string>

#include "collectives/coordinator/flow_coordinator.h"
#include "collectives/program/make_program.h"
#include "collectives/program/routed_experts.h"
#include "io/plan/plan_file.h"
#include "tests/models/collectives/fixed_time_backend.h"
#include "tests/support/simulate_jobs.h"
#include "topology/shapes/generator.h"

namespace heddle::testing {
namespace {

Graph Rails(std::uint32_t gpus) {
  LeafSpineOptions options;
  options.gpus = gpus;
  options.gpu_type = "H100";
  return Generate("Spectrum-X", options);
}

/// The job of a plan on all GPUs.
Job JobOf(const Graph& graph, const std::string& plan, std::uint32_t passes = 1,
          const PipelineOptions& pipeline = {}) {
  const StepPlan step = ResolvePlanFile(ParsePlan(plan, "step.toml", ""), "step.toml");
  Workload workload = MakeStepWorkload(step.shape, step.parallel, step.speed);
  const auto small = [](std::int64_t size) { return static_cast<std::uint32_t>(size); };
  const ParallelPlan& sizes = step.parallel;
  const ParallelGroups groups(
      {small(sizes.tensor), small(sizes.expert), small(sizes.pipeline), small(sizes.context)},
      graph.gpu_count(), "step");
  Program program = MakeProgram(workload, groups, passes, pipeline);
  std::vector<NodeId> gpus;
  for (std::uint32_t gpu = 0; gpu < graph.gpu_count(); ++gpu) gpus.emplace_back(gpu);
  return {"step",  std::move(workload), groups, std::move(program), gpus,
          Time{0}, Placement::kPacked};
}

Time EndByBackend(const Graph& graph, const std::vector<Job>& jobs, CollectivePrices* prices) {
  FlowCoordinator coordinator(graph, jobs, CollectiveOptions(), /*timeline=*/false);
  const Domains domains = MakeDomains(graph, {Time{0}, 1});
  FixedTime fixed(graph, domains, Time{1});
  BackendInput input = fixed.Input();
  input.prices = prices;
  AnalyticalBackend backend(input);
  backend.Drive(&coordinator);
  EngineSetup setup;
  setup.on_cut = [](const Cut&) {};
  backend.Run(EngineKind::kDomain, Communicator::Serial(), setup);
  ns3::Simulator::Destroy();
  Time end;
  for (const FinishRecord& finish : coordinator.context().finishes) end = std::max(end, finish.end);
  EXPECT_EQ(coordinator.context().finishes.size(), graph.gpu_count());
  return end;
}

void ExpectEqual(const std::string& plan, std::uint32_t gpus, std::uint32_t passes = 1) {
  SCOPED_TRACE(plan);
  const Graph graph = Rails(gpus);
  const CollectiveOptions options;
  ClosedPrices prices(graph, options, WireFigures());
  const std::vector<Job> jobs = {JobOf(graph, plan, passes)};
  const std::vector<LockstepStage> stages = RunLockstep(jobs[0], &prices);
  EXPECT_EQ(EndOf(stages), EndByBackend(graph, jobs, &prices));
}

constexpr const char* kSmall =
    "hidden = 512\nvocabulary = 4096\nsequence = 256\nlayers = 4\ngpus = {}\n";

std::string Plan(const char* model, std::uint32_t gpus, const std::string& more) {
  return fmt::format("model = \"{}\"\n", model) + fmt::format(kSmall, gpus) + more;
}

TEST(Lockstep, TakesAsLongAsAllRanks) {
  ExpectEqual(Plan("gpt-13b", 16, ""), 16);
  ExpectEqual(Plan("gpt-13b", 32, "tp = 4\npp = 2\n"), 32);
  ExpectEqual(Plan("gpt-13b", 32, "tp = 2\npp = 4\nmicro_batch = 2\noverlap_gradients = false\n"),
              32);
  ExpectEqual(Plan("llama-7b", 32, "tp = 4\nglobal_batch = 32\nzero = 0\n"), 32);
  ExpectEqual(Plan("mixtral-8x7b", 32, "tp = 2\nep = 4\n"), 32);
  ExpectEqual(Plan("mixtral-8x7b", 32, "ep = 8\npp = 2\n"), 32);
}

TEST(Lockstep, TakesParametersThatAreGatheredAhead) {
  ExpectEqual(Plan("llama-7b", 16, "zero = 3\nglobal_batch = 32\n"), 16);
  ExpectEqual(Plan("mixtral-8x7b", 32, "tp = 2\nep = 4\nzero = 3\nrecompute = \"full\"\n"), 32);
}

TEST(Lockstep, TakesRanksThatShareASequence) {
  ExpectEqual(Plan("llama-7b", 16, "tp = 2\ncp = 4\nglobal_batch = 8\n"), 16);
  ExpectEqual(Plan("llama-7b", 32, "tp = 2\ncp = 2\npp = 2\nrecompute = \"full\"\n"), 32);
  ExpectEqual(Plan("mixtral-8x7b", 32, "cp = 4\nep = 8\ncp_comm_type = \"allgather\"\n"), 32);
  ExpectEqual(Plan("llama-7b", 16, "cp = 2\ncp_comm_type = \"a2a\"\nzero = 3\n"), 16);
}

TEST(Lockstep, PassesFollowEachOther) {
  ExpectEqual(Plan("gpt-13b", 16, "tp = 4\npp = 2\n"), 16, 3);
}

TEST(Lockstep, PartsOfTheTimeSumToTheEnd) {
  const Graph graph = Rails(32);
  const CollectiveOptions options;
  ClosedPrices prices(graph, options, WireFigures());
  const Job job = JobOf(graph, Plan("mixtral-8x7b", 32, "tp = 2\npp = 2\nep = 4\n"));
  Time pauses;
  for (const ProgramStep& step : job.program.steps[1])
    if (step.kind == ProgramStep::Kind::kPause) pauses += step.time;
  const LockstepStage stage = RunLockstep(job, &prices)[1];
  Time sum = stage.computed + pauses;
  for (const Time waited : stage.waited) sum += waited;
  EXPECT_EQ(sum, stage.end);
  EXPECT_GT(stage.waited[static_cast<std::size_t>(GroupType::kPipeline)], Time{0});
  EXPECT_GT(stage.waited[static_cast<std::size_t>(GroupType::kExpert)], Time{0});
}

/// Experts that differ: the rank with most tokens paces the others, which here wait for nobody
/// else.
TEST(Lockstep, TheSlowestExpertsPaceTheStep) {
  const Graph graph = Rails(32);
  CollectiveOptions options;
  options.experts.routing = ExpertOptions::Routing::kZipf;
  options.experts.count = 8;
  options.experts.top_k = 2;
  options.experts.tokens = 256;
  std::vector<Job> jobs = {JobOf(graph, Plan("mixtral-8x7b", 32, "ep = 8\n"))};
  ClosedPrices prices(graph, options, WireFigures());
  const Time even = EndOf(RunLockstep(jobs[0], &prices));
  RouteExperts(options.experts, jobs[0].workload, jobs[0].groups, &jobs[0].program);
  const Time end = EndOf(RunLockstep(jobs[0], &prices));
  EXPECT_GT(end, even);
  EXPECT_EQ(end, EndByBackend(graph, jobs, &prices));
  // Prices of a job that is gone are not those of the next.
  jobs[0] = JobOf(graph, Plan("mixtral-8x7b", 32, "ep = 8\n"));
  EXPECT_EQ(EndOf(RunLockstep(jobs[0], &prices)), even);
}

/// Any schedule of stages: what the table says is done, in its order.
TEST(Lockstep, FollowsSchedules) {
  const Graph graph = Rails(32);
  const CollectiveOptions options;
  ClosedPrices prices(graph, options, WireFigures());
  for (const char* word : {"interleaved", "gpipe", "zb-h1", "dualpipe", "dualpipev"}) {
    SCOPED_TRACE(word);
    PipelineOptions pipeline;
    pipeline.schedule = word;
    const std::vector<Job> jobs = {JobOf(
        graph, Plan("gpt-13b", 32, "tp = 4\npp = 2\nvpp = 2\nglobal_batch = 32\n"), 1, pipeline)};
    EXPECT_EQ(EndOf(RunLockstep(jobs[0], &prices)), EndByBackend(graph, jobs, &prices));
  }
}

/// Senders that wait for their messages: not before the others, and as long as by all ranks.
TEST(Lockstep, SendersWait) {
  const Graph graph = Rails(32);
  const CollectiveOptions options;
  ClosedPrices prices(graph, options, WireFigures());
  for (const char* word : {"1f1b", "interleaved", "gpipe", "zb-h1", "dualpipe", "dualpipev"}) {
    SCOPED_TRACE(word);
    PipelineOptions pipeline;
    pipeline.schedule = word;
    const std::string plan = Plan("gpt-13b", 32, "tp = 4\npp = 2\nvpp = 2\nglobal_batch = 32\n");
    const Time go_on = EndOf(RunLockstep(JobOf(graph, plan, 1, pipeline), &prices));
    pipeline.senders = PipelineOptions::Senders::kWait;
    const std::vector<Job> jobs = {JobOf(graph, plan, 1, pipeline)};
    const Time end = EndOf(RunLockstep(jobs[0], &prices));
    EXPECT_GE(end, go_on);
    EXPECT_EQ(end, EndByBackend(graph, jobs, &prices));
  }
}

/// Groups of one type with two prices: the slowest paces the step.
TEST(Lockstep, IsNeverFasterThanAllRanks) {
  LeafSpineOptions shape;
  shape.gpus = 32;
  const Graph graph = Generate("DCN-SingleToR", shape);
  const CollectiveOptions options;
  ClosedPrices prices(graph, options, WireFigures());
  const std::vector<Job> jobs = {JobOf(graph, Plan("gpt-13b", 32, "tp = 2\n"))};
  EXPECT_GE(EndOf(RunLockstep(jobs[0], &prices)), EndByBackend(graph, jobs, &prices));
}

}  // namespace
}  // namespace heddle::testing
