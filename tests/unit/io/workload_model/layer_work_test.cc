// SPDX-License-Identifier: GPL-2.0-only
#include "io/workload_model/layer_work.h"

#include <gtest/gtest.h>

#include "io/workload_model/gpu_speed.h"
#include "tests/unit/io/workload_model/known_model.h"

namespace heddle {
namespace {

double OperationsOf(const PhasesOfWork& work) {
  return work.forward.operations + work.input_gradient.operations + work.weight_gradient.operations;
}

/// Of all GPUs that share a micro-batch.
double StepOperations(const ModelShape& shape, const ParallelPlan& plan) {
  const LayerWork work(shape, plan);
  const StageLayers layers = StageLayersOf(shape, plan, PipelinePart::kFirst);
  const auto of = [&](BlockKind kind) { return OperationsOf(work.Of(kind).all()); };
  const double dense = static_cast<double>(layers.dense),
               experts = static_cast<double>(layers.with_experts);
  const double stage = (dense + experts) * of(BlockKind::kAttention) + dense * of(BlockKind::kMlp) +
                       experts * (of(BlockKind::kRouter) + of(BlockKind::kExperts));
  return static_cast<double>(plan.tensor) *
         (static_cast<double>(plan.pipeline) * stage + of(BlockKind::kOutput));
}

/// Of causal attention in all layers: forward, and 2.5 times that for the gradients.
double PairOperations(const ModelShape& shape) {
  const double pairs = static_cast<double>(shape.sequence * shape.sequence) / 2;
  return 3.5 * 2 * pairs *
         static_cast<double>(shape.layers * shape.heads * (shape.score_dim() + shape.value_dim()));
}

// Kaplan et al. 2020: 6 operations for each parameter and token, beside those of pairs of
// positions. The embedding is looked up, and the output layer is computed.
TEST(LayerWork, AStepIsSixOperationsForEachParameterAndToken) {
  for (const char* name : {"gpt-7b", "gpt-175b", "llama-65b", "mixtral-8x7b", "deepseek-v3"}) {
    const ModelShape shape = KnownModel(name);
    const ParameterCount count = CountParameters(shape);
    const double parameters = static_cast<double>(count.active() - count.embedding) +
                              (shape.tied ? static_cast<double>(count.embedding) : 0);
    const double expected = 6 * parameters * static_cast<double>(shape.sequence);
    const double found = StepOperations(shape, PlanFor(8, 1));
    EXPECT_NEAR((found - PairOperations(shape)) / expected, 1, 0.01) << name;
    EXPECT_GT(found, expected) << name;
  }
}

TEST(LayerWork, TensorParallelismDividesTheWork) {
  const ModelShape shape = KnownModel("llama-65b");
  const double alone = StepOperations(shape, PlanFor(8, 1));
  EXPECT_NEAR(StepOperations(shape, PlanFor(8, 8)) / alone, 1, 0.01);
  EXPECT_NEAR(StepOperations(shape, PlanFor(8, 2, 4)) / alone, 1, 0.01);
}

// h = 8, 4 tokens, f = 32, TP 2: 2 x 4 x 8 x 16 operations each way and half.
TEST(LayerWork, OfASmallMlpByHand) {
  ModelShape shape = KnownModel("gpt-7b");
  shape.hidden = 8;
  shape.ffn = 32;
  shape.sequence = 4;
  const BlockWork work = LayerWork(shape, PlanFor(2, 2)).Of(BlockKind::kMlp);
  EXPECT_EQ(work.column.forward.operations, 1024);
  EXPECT_EQ(work.row.weight_gradient.operations, 1024);
  // In bf16: the norm's 2 x 2 tokens of 8 (half of the positions), 4 tokens of 8 + 16, 8 x 16
  // weights.
  EXPECT_EQ(work.column.forward.bytes, 2 * (2 * 2 * 8 + 4 * 24 + 128));
  EXPECT_EQ(work.column.weight_gradient.bytes, 2 * 4 * 24 + 8 * 128);
}

// What the GPUs of TP and EP hold together is the model, but for what TP copies (norms, routers,
// and biases behind the last matrices).
TEST(LayerWork, GpusHoldTheModelTogether) {
  const ModelShape mixtral = KnownModel("mixtral-8x7b");
  ParallelPlan plan = PlanFor(16, 2);
  plan.expert = 4;
  plan.vocabulary_multiple = 1;
  const HeldParameters held = LayerWork(mixtral, plan).StageParameters();
  const ParameterCount count = CountParameters(mixtral);
  EXPECT_EQ(held.experts * 8, count.experts);
  const std::int64_t copied = mixtral.layers * (2 * 4096 + 8 * 4096) + 4096;
  EXPECT_EQ(2 * held.common - copied, count.total() - count.experts);
}

// With stages they hold it together, too; of a tied matrix the last stage has a copy.
TEST(LayerWork, StagesHoldTheModelTogether) {
  for (const char* name : {"llama3-70b", "gpt-13b", "deepseek-v3"}) {
    ModelShape shape = KnownModel(name);
    shape.layers = 10;
    ParallelPlan plan = PlanFor(4, 1, 4);
    plan.first_layers = plan.last_layers = 3;
    const LayerWork work(shape, plan);
    std::int64_t sum = 0;
    for (const auto& [part, stages] :
         {std::pair(PipelinePart::kFirst, 1), std::pair(PipelinePart::kMiddle, 2),
          std::pair(PipelinePart::kLast, 1)}) {
      const HeldParameters held = work.StageParameters(part);
      sum += stages * (held.common + held.experts);
    }
    if (shape.tied) sum -= work.ParametersOf(BlockKind::kOutput, false).common;
    const HeldParameters whole = LayerWork(shape, PlanFor(4, 1)).StageParameters();
    EXPECT_EQ(sum, whole.common + whole.experts) << name;
  }
}

TEST(Roofline, TakesTheLongerOfComputingAndMoving) {
  const GpuSpeed gpu{"", 100, 1000};
  EXPECT_EQ(RooflineTime({1e12, 1e9}, gpu, 0.5), MicroSeconds(20000));
  EXPECT_EQ(RooflineTime({1e9, 1e9}, gpu, 0.5), MicroSeconds(1000));
  EXPECT_EQ(RooflineTime({0, 0.5}, gpu, 0.5), NanoSeconds(1));
  EXPECT_EQ(RooflineTime({0, 0}, gpu, 0.5), NanoSeconds(0));
  EXPECT_THROW(RooflineTime({1e30, 0}, gpu, 0.5), UserError);
}

// What FP8 does not take: attention's pairs, 3.5 x 2 x s^2 / 2 operations a head's number, and the
// output layer.
TEST(LayerWork, Fp8TakesTheProductsOfLayersWithTheirWeights) {
  const ModelShape shape = KnownModel("llama3-70b");
  ParallelPlan plan = PlanFor(8, 8);
  const LayerWork bf16(shape, plan);
  plan.fp8 = true;
  const LayerWork fp8(shape, plan);
  const auto fp8_of = [&](BlockKind kind) {
    const PhasesOfWork work = fp8.Of(kind).all();
    return work.forward.fp8_operations + work.input_gradient.fp8_operations +
           work.weight_gradient.fp8_operations;
  };
  EXPECT_EQ(OperationsOf(fp8.Of(BlockKind::kMlp).all()), 0);
  EXPECT_EQ(fp8_of(BlockKind::kMlp), OperationsOf(bf16.Of(BlockKind::kMlp).all()));
  EXPECT_EQ(fp8_of(BlockKind::kOutput), 0);
  const double pairs = PairOperations(shape) / static_cast<double>(shape.layers * plan.tensor);
  EXPECT_NEAR(OperationsOf(fp8.Of(BlockKind::kAttention).all()) / pairs, 1, 1e-12);
  EXPECT_NEAR(
      (fp8_of(BlockKind::kAttention) + pairs) / OperationsOf(bf16.Of(BlockKind::kAttention).all()),
      1, 1e-12);
  const GpuSpeed gpu{"G", 100, 1000, 80, 200};
  EXPECT_EQ(RooflineTime({1e12, 0, 1e12}, gpu, 0.5, 0.5), MicroSeconds(30000));
}

}  // namespace
}  // namespace heddle
