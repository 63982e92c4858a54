// SPDX-License-Identifier: GPL-2.0-only
/// Plans whose first and last pipeline stages differ from the others: by hand, and as their
/// schedules' tables take on ideal stages.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "collectives/pipeline/ideal_times.h"
#include "collectives/pipeline/make_table.h"
#include "collectives/pipeline/pipeline_route.h"
#include "collectives/program/make_program.h"
#include "io/plan/plan_file.h"
#include "tests/models/training/one_price.h"
#include "tests/support/simulate_jobs.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

constexpr std::uint32_t kUnlikeStages = 4;
constexpr std::int64_t kUnlikeBatches = 8;
/// Of each phase [us]. A layer is an attention and an MLP.
constexpr double kEmbedding = 20, kLayer = 600, kOutput = 700, kLoss = 50, kAdam = 1;
/// A nanosecond of pause behind each line's phase.
constexpr double kPauseTolerance = 3;

StepPlan Resolve(const std::string& more) {
  const std::string text =
      "hidden = 512\nheads = 8\nvocabulary = 4096\nsequence = 256\ngpus = 4\npp = 4\n"
      "global_batch = 8\n" +
      more;
  StepPlan step = ResolvePlanFile(ParsePlan(text, "step.toml", ""), "step.toml");
  step.speed.table = ParseComputeTable(
      "embedding 20 20 20\nattention 300 300 300\nmlp 300 300 300\noutput 700 700 700\n"
      "loss 50 50 50\noptimizer 1\n",
      "times.txt");
  return step;
}

PipelineOptions ScheduleOf(const StepPlan& step) {
  PipelineOptions how;
  how.schedule = step.parallel.schedule;
  how.chunks = step.parallel.virtual_pipeline;
  return how;
}

/// The latest end [us] of a step on four GPUs whose messages take `message`.
double End(const StepPlan& step, Time message) {
  const Graph graph = Star({{400}, {400}, {400}, {400}});
  const heddle::Workload workload = MakeStepWorkload(step.shape, step.parallel, step.speed);
  const ParallelGroups groups(workload.sizes, kUnlikeStages, "step");
  std::vector<NodeId> gpus;
  for (std::uint32_t gpu = 0; gpu < kUnlikeStages; ++gpu) gpus.emplace_back(gpu);
  std::vector<Job> jobs;
  jobs.push_back({"step", workload, groups, MakeProgram(workload, groups, 1, ScheduleOf(step)),
                  gpus, Time{0}, Placement::kPacked});
  return EndAtOnePrice(graph, jobs, message);
}

/// Layers of the positions of a micro-batch along the model.
using Layers = std::vector<double>;

/// When the schedule's table ends on stages that take what `layers`, embedding and output layer
/// take.
double IdealEnd(const StepPlan& step, const Layers& layers, double message) {
  const PipelineTable table =
      MakePipelineTable(ScheduleOf(step), kUnlikeStages, kUnlikeBatches, "test");
  const PipelineRoute route(table.shape);
  PipelineTimes times;
  times.message = message;
  times.task = [&](std::uint32_t stage, const PipelineTask& task) {
    const std::uint32_t at = route.PositionOf(stage, task.chunk);
    double phase = layers[at] * kLayer;
    if (at == 0) phase += kEmbedding;
    if (at + 1 == route.positions()) phase += kOutput + kLoss;
    return (task.work == PipelineWork::kBackward ? 2 : 1) * phase;
  };
  return RunIdeally(table, times).total;
}

TEST(UnlikeStages, TakeWhatTheirTablesTakeOnIdealStages) {
  struct StagesCase {
    std::string plan;
    Layers layers;
  };
  for (const StagesCase& of : {
           StagesCase{"layers = 8", {2, 2, 2, 2}},
           StagesCase{"layers = 10\nfirst_layers = 2\nlast_layers = 2", {2, 3, 3, 2}},
           StagesCase{"layers = 11\nlast_layers = 2", {3, 3, 3, 2}},
           StagesCase{"layers = 14\nfirst_layers = 5\nlast_layers = 5", {5, 2, 2, 5}},
           StagesCase{"layers = 9\nfirst_layers = 1\nlast_layers = 2\nschedule = \"gpipe\"",
                      {1, 3, 3, 2}},
           StagesCase{"layers = 9\nfirst_layers = 3\nschedule = \"zb-h1\"", {3, 2, 2, 2}},
           StagesCase{"layers = 7\nlast_layers = 1\nschedule = \"dualpipe\"", {2, 2, 2, 1}},
           StagesCase{"layers = 8\nschedule = \"dualpipev\"", {1, 1, 1, 1, 1, 1, 1, 1}},
           StagesCase{"layers = 8\nvpp = 2", {1, 1, 1, 1, 1, 1, 1, 1}},
       }) {
    const StepPlan step = Resolve("model = \"llama-7b\"\n" + of.plan + "\n");
    for (const std::int64_t message : {0, 200, 2000}) {
      EXPECT_NEAR(End(step, MicroSeconds(message)),
                  IdealEnd(step, of.layers, static_cast<double>(message)) + kAdam, kPauseTolerance)
          << of.plan << ' ' << message;
    }
  }
}

// The first stage is the last to end its backward passes. Then both send their gradients, and wait
// for the other's.
TEST(UnlikeStages, ExchangeGradientsOfATiedEmbedding) {
  const std::string plan = "layers = 10\nfirst_layers = 2\nlast_layers = 2\n";
  const StepPlan tied = Resolve("model = \"gpt-13b\"\n" + plan);
  ASSERT_TRUE(tied.shape.tied);
  EXPECT_NEAR(End(tied, MicroSeconds(200)), IdealEnd(tied, {2, 3, 3, 2}, 200) + 200 + kAdam,
              kPauseTolerance);

  const heddle::Workload workload = MakeStepWorkload(tied.shape, tied.parallel, tied.speed);
  const ParallelGroups groups(workload.sizes, kUnlikeStages, "step");
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const ProgramOp& op : MakeProgram(workload, groups, 1).ops) {
    if (workload.layers[op.layer].name != "embedding_grads") continue;
    EXPECT_EQ(op.spec.bytes, 4 * 4096 * 512);
    pairs.emplace_back(op.spec.root, op.spec.peer);
  }
  EXPECT_EQ(pairs, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 3}, {3, 0}}));
}

/// Bytes of an operation that the groups of each stage reduce or gather.
std::array<std::int64_t, kUnlikeStages> BytesByStage(const StepPlan& step, Operation operation) {
  const heddle::Workload workload = MakeStepWorkload(step.shape, step.parallel, step.speed);
  const ParallelGroups groups(workload.sizes, static_cast<std::uint32_t>(step.parallel.gpus), "");
  std::array<std::int64_t, kUnlikeStages> bytes = {};
  for (const ProgramOp& op : MakeProgram(workload, groups, 1, ScheduleOf(step)).ops) {
    if (op.spec.operation != operation) continue;
    const std::uint32_t end =
        op.stages.count == 0 ? kUnlikeStages : op.stages.first + op.stages.count;
    for (std::uint32_t stage = op.stages.first; stage < end; ++stage) bytes[stage] += op.spec.bytes;
  }
  return bytes;
}

// Each stage reduces its own gradients, and gathers its own parameters.
TEST(UnlikeStages, ReduceAndGatherWhatTheyHold) {
  for (const char* model : {"llama-7b", "gpt-13b"}) {
    for (const char* overlap : {"true", "false"}) {
      const StepPlan step =
          Resolve(fmt::format("model = \"{}\"\nlayers = 10\nfirst_layers = 2\nlast_layers = "
                              "2\noverlap_gradients = {}\n",
                              model, overlap));
      StepPlan replicated = step;
      replicated.parallel.gpus = 8;
      const LayerWork work(replicated.shape, replicated.parallel);
      std::array<std::int64_t, kUnlikeStages> gradients = {}, parameters = {};
      for (std::uint32_t stage = 0; stage < kUnlikeStages; ++stage) {
        const PipelinePart part = stage == 0                   ? PipelinePart::kFirst
                                  : stage == kUnlikeStages - 1 ? PipelinePart::kLast
                                                               : PipelinePart::kMiddle;
        gradients[stage] = 4 * work.StageParameters(part).common;
        parameters[stage] = 2 * work.StageParameters(part).common;
      }
      EXPECT_EQ(BytesByStage(replicated, Operation::kReduceScatter), gradients) << model << overlap;
      EXPECT_EQ(BytesByStage(replicated, Operation::kAllGather), parameters) << model << overlap;
    }
  }
}

// With sharded parameters a layer is gathered twice in each micro-batch, what is in none once.
TEST(UnlikeStages, ShardWhatTheyHold) {
  StepPlan step =
      Resolve("model = \"llama-7b\"\nlayers = 10\nfirst_layers = 2\nlast_layers = 2\nzero = 3\n");
  step.parallel.gpus = 8;  // four micro-batches for each of two replicas
  const LayerWork work(step.shape, step.parallel);
  const std::int64_t layer = work.LayerParameters(false).common;
  const std::int64_t first = work.RootParameters(PipelinePart::kFirst).common;
  const std::int64_t last = work.RootParameters(PipelinePart::kLast).common;
  EXPECT_EQ(first, 4096 * 512);
  EXPECT_EQ(last, 4096 * 512 + 512);
  const std::array<std::int64_t, kUnlikeStages> gathered = {8 * (4 * layer + first), 8 * 6 * layer,
                                                            8 * 6 * layer, 8 * (4 * layer + last)};
  EXPECT_EQ(BytesByStage(step, Operation::kAllGather), gathered);
  const std::array<std::int64_t, kUnlikeStages> reduced = {16 * (2 * layer + first), 16 * 3 * layer,
                                                           16 * 3 * layer, 16 * (2 * layer + last)};
  EXPECT_EQ(BytesByStage(step, Operation::kReduceScatter), reduced);
}

// A table of one's own may have chunks, into which stages that differ are not cut.
TEST(UnlikeStages, RefuseATableWithChunks) {
  const StepPlan step = Resolve("model = \"llama-7b\"\nlayers = 9\nfirst_layers = 3\n");
  const heddle::Workload workload = MakeStepWorkload(step.shape, step.parallel, step.speed);
  const ParallelGroups groups(workload.sizes, kUnlikeStages, "step");
  PipelineOptions chunks;
  chunks.schedule = "interleaved";
  chunks.chunks = 2;
  EXPECT_THROW(MakeProgram(workload, groups, 1, chunks), UserError);
}

}  // namespace
}  // namespace heddle::testing
