// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/closed_form/step_time.h"

#include <gtest/gtest.h>

#include "core/base/check.h"

namespace heddle {
namespace {

/// A row of 1 ms, 2 ms and 3 ms of computing. Communication is AllGather of a billion bytes.
Layer TimedRow(const std::string& name, Operation forward = Operation::kNone,
               GroupType group = GroupType::kTensor) {
  Layer layer;
  layer.name = name;
  layer.forward = {MicroSeconds(1000), forward, group, 1'000'000'000};
  layer.input_gradient.compute = MicroSeconds(2000);
  layer.weight_gradient.compute = MicroSeconds(3000);
  return layer;
}

ParallelGroups TimedGroups(std::int64_t tensor, std::int64_t expert, std::int64_t pipeline,
                           std::uint32_t gpus) {
  ParallelSizes sizes;
  sizes.tensor = tensor;
  sizes.expert = expert;
  sizes.pipeline = pipeline;
  return {sizes, gpus, "test"};
}

/// Every collective at 100 GB/s, latencies of 8.4 us and 3.4 us a message by NVLink.
StepRules TimedRules() {
  StepRules rules;
  rules.gpus_per_server = 64;
  rules.rules = [](GroupType, Operation) {
    PriceRules price;
    price.rates = {100e9, 100e9, 0};
    return price;
  };
  return rules;
}

double ExposedTime(const PredictedStep& step, GroupType group) {
  return step.exposed[static_cast<std::size_t>(group)];
}

/// AllGather of two ranks.
constexpr double kGatherSeconds = 11.8e-6 + 0.5e9 / 100e9;

TEST(PredictedStep, AddsComputingAndExposedCommunication) {
  Workload workload;
  workload.layers = {TimedRow("a", Operation::kAllGather), TimedRow("b")};
  const PredictedStep step = TimeOfStep(workload, TimedGroups(2, 1, 1, 8), TimedRules());
  EXPECT_NEAR(step.computing, 12e-3, 1e-12);
  EXPECT_NEAR(ExposedTime(step, GroupType::kTensor), kGatherSeconds, 1e-12);
  EXPECT_NEAR(step.total, 12e-3 + kGatherSeconds, 1e-12);
  EXPECT_EQ(step.bubble, 0);
}

TEST(PredictedStep, EachCollectiveOverlapsByItsOwnGroup) {
  Workload workload;
  Layer row = TimedRow("a", Operation::kAllGather, GroupType::kTensor);
  row.input_gradient.operation = Operation::kAllGather;
  row.input_gradient.group = GroupType::kExpert;
  row.input_gradient.bytes = 1'000'000'000;
  workload.layers = {row};
  StepRules rules = TimedRules();
  rules.overlaps.tensor = 0.1;
  rules.overlaps.expert = 0.25;
  const PredictedStep step = TimeOfStep(workload, TimedGroups(2, 2, 1, 8), rules);
  EXPECT_NEAR(ExposedTime(step, GroupType::kTensor), 0.9 * kGatherSeconds, 1e-12);
  EXPECT_NEAR(ExposedTime(step, GroupType::kExpert), 0.75 * kGatherSeconds, 1e-12);
}

TEST(PredictedStep, OverlapIsAtMostTheComputing) {
  Workload workload;
  workload.layers = {TimedRow("a", Operation::kAllGather)};
  StepRules rules = TimedRules();
  rules.overlaps.tensor = 1;
  // 1 ms of forward computing, however much is to be hidden.
  EXPECT_NEAR(ExposedTime(TimeOfStep(workload, TimedGroups(2, 1, 1, 8), rules), GroupType::kTensor),
              kGatherSeconds - 1e-3, 1e-12);
}

TEST(PredictedStep, ForwardDataExpertGroupsHaveTheirOwnRanks) {
  Workload workload;
  workload.layers = {TimedRow("a", Operation::kAllGather, GroupType::kDataExpert)};
  // DP 4, EP 2: two ranks, where SimAI takes those of TP.
  const PredictedStep step = TimeOfStep(workload, TimedGroups(2, 2, 1, 8), TimedRules());
  EXPECT_NEAR(ExposedTime(step, GroupType::kDataExpert), kGatherSeconds, 1e-12);
}

/// Two micro-batches of one row each, 6 ms, and a row before and behind them.
Workload StagedWorkload() {
  Workload workload;
  workload.name = "w";
  workload.gradient_accumulation = 2;
  workload.virtual_pipeline = 3;
  workload.layers = {TimedRow("grad_norm"), TimedRow("embedding_layer"),
                     TimedRow("embedding_layer"), TimedRow("optimizer")};
  return workload;
}

PipelineOptions StagedBy(const std::string& word) {
  PipelineOptions options;
  options.schedule = word;
  return options;
}

TEST(PredictedStep, BubbleIsOfMicroBatchesOnly) {
  StepRules rules = TimedRules();
  const ParallelGroups groups = TimedGroups(1, 1, 4, 8);
  EXPECT_NEAR(TimeOfStep(StagedWorkload(), groups, rules).bubble, 6e-3, 1e-12) << "by vpp, of 3";
  rules.schedule = StagedBy("1f1b");
  EXPECT_NEAR(TimeOfStep(StagedWorkload(), groups, rules).bubble, 3 * 6e-3, 1e-12);
  // Gradients of inputs reach the first stage at 10 ms; from then on it does 2 + 3 ms twice.
  rules.schedule = StagedBy("zb-h1");
  EXPECT_NEAR(TimeOfStep(StagedWorkload(), groups, rules).bubble, 20e-3 - 12e-3, 1e-12);
}

TEST(PredictedStep, UnevenStagesWaitForTheSlowest) {
  StepRules rules = TimedRules();
  rules.schedule = StagedBy("1f1b");
  rules.stage_weights = {1, 1, 0.5, 1.5};
  // 2 x 6 ms x 0.5, and 6 ms x (4 - 1.5).
  EXPECT_NEAR(TimeOfStep(StagedWorkload(), TimedGroups(1, 1, 4, 8), rules).bubble, 6e-3 + 15e-3,
              1e-12);
}

/// The same as the table's own time: chunks of different rows.
TEST(PredictedStep, ChunksHaveTheTimesOfTheirRows) {
  Workload workload;
  workload.name = "w";
  workload.gradient_accumulation = 2;
  Layer longer = TimedRow("longer");
  longer.forward.compute = MicroSeconds(2000);
  workload.layers = {TimedRow("a"), longer, TimedRow("a"), longer};
  StepRules rules = TimedRules();
  rules.schedule = StagedBy("interleaved");
  const PredictedStep step = TimeOfStep(workload, TimedGroups(1, 1, 2, 2), rules);
  // Stage 0: F 0-1, 1-2, both chunks again 2-4, 4-6. Stage 1: F 1-2, 2-3, chunk 1 at 4: F 4-6, B
  // 6-11, F 11-13, B 13-18, the first chunk's 18-28. Stage 0: chunk 1's B 11-16, 18-23, chunk 0's
  // 23-28 and 28-33.
  EXPECT_NEAR(step.bubble, 33e-3 - 26e-3, 1e-12);
  EXPECT_NEAR(step.total, 33e-3, 1e-12);
}

TEST(PredictedStep, MessagesBetweenStages) {
  Workload workload = StagedWorkload();
  workload.pipeline_bytes = 100'000'000;
  StepRules rules = TimedRules();
  rules.schedule = StagedBy("1f1b");
  const double message = 11.8e-6 + 1e-3;
  const auto exposed = [&](double share) {
    rules.overlaps.pipeline = share;
    const PredictedStep step = TimeOfStep(workload, TimedGroups(1, 1, 4, 8), rules);
    EXPECT_NEAR(step.stage_message.seconds, message, 1e-12);
    EXPECT_NEAR(step.communication[static_cast<std::size_t>(GroupType::kPipeline)], 7 * message,
                1e-12);
    return ExposedTime(step, GroupType::kPipeline);
  };
  // Three forward and three back. The last stage's first gradient holds it where it is not hidden.
  EXPECT_NEAR(exposed(1), 6 * message, 1e-12);
  EXPECT_NEAR(exposed(0.5), 6.5 * message, 1e-12);
  EXPECT_NEAR(exposed(0), 7 * message, 1e-12);
}

TEST(PredictedStep, InterleavedByVppHasMoreMessages) {
  Workload workload = StagedWorkload();
  workload.pipeline_bytes = 100'000'000;
  StepRules rules = TimedRules();
  rules.overlaps.pipeline = 0;
  // 2 x 3 chunks x 2 in a row, and six that fill and drain.
  EXPECT_NEAR(
      ExposedTime(TimeOfStep(workload, TimedGroups(1, 1, 4, 8), rules), GroupType::kPipeline),
      18 * (11.8e-6 + 1e-3), 1e-12);
}

TEST(PredictedStep, StagesOfInferenceSendNoGradients) {
  Workload workload = StagedWorkload();
  workload.pipeline_bytes = 100'000'000;
  workload.inference = true;
  StepRules rules = TimedRules();
  rules.schedule = StagedBy("1f1b");
  const PredictedStep step = TimeOfStep(workload, TimedGroups(1, 1, 4, 8), rules);
  EXPECT_NEAR(step.bubble, 3e-3, 1e-12);
  EXPECT_NEAR(ExposedTime(step, GroupType::kPipeline), 3 * (11.8e-6 + 1e-3), 1e-12);
}

TEST(PredictedStep, SchedulesThatAreNotLegal) {
  StepRules rules = TimedRules();
  rules.schedule = StagedBy("dualpipe");
  EXPECT_THROW(TimeOfStep(StagedWorkload(), TimedGroups(1, 1, 4, 8), rules), UserError);
}

TEST(PredictedStep, MicroBatchesMustBeThere) {
  Workload workload = StagedWorkload();
  workload.gradient_accumulation = 3;
  EXPECT_THROW(TimeOfStep(workload, TimedGroups(1, 1, 4, 8), TimedRules()), UserError);
}

TEST(PredictedStep, CheckpointedLayersRunForwardAgain) {
  Workload workload;
  workload.layers = {TimedRow("a", Operation::kAllGather), TimedRow("b"), TimedRow("c")};
  workload.checkpoints = {0};
  workload.checkpoint_initiates = {2};
  const PredictedStep step = TimeOfStep(workload, TimedGroups(2, 1, 1, 8), TimedRules());
  EXPECT_NEAR(step.computing, 20e-3, 1e-12);
  EXPECT_NEAR(ExposedTime(step, GroupType::kTensor), 2 * kGatherSeconds, 1e-12);
}

TEST(PredictedStep, InferenceHasNoGradients) {
  Workload workload;
  workload.inference = true;
  workload.layers = {TimedRow("a")};
  EXPECT_NEAR(TimeOfStep(workload, TimedGroups(2, 1, 1, 8), TimedRules()).total, 1e-3, 1e-12);
}

}  // namespace
}  // namespace heddle
