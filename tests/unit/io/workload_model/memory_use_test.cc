// SPDX-License-Identifier: GPL-2.0-only
/// Against the formulas of Korthikanti et al., "Reducing Activation Recomputation in Large
/// Transformer Models", MLSys 2023, in its symbols: s, b, h, a, t, p, L, v. Masks of dropout (2 of
/// its 34 and 10) and scores of attention (its 5 a s / h) are not kept here.
#include "io/workload_model/memory_use.h"

#include <gtest/gtest.h>

#include "tests/unit/io/workload_model/known_model.h"

namespace heddle {
namespace {

/// s b h of a micro-batch.
double Sbh(const ModelShape& shape, const ParallelPlan& plan) {
  return static_cast<double>(TokensOf(shape, plan) * shape.hidden);
}

// Section 4.1: 34 s b h a layer, without masks 32.
TEST(MemoryUse, LayerOfGptOnOneGpu) {
  const ModelShape gpt = KnownModel("gpt-22b");
  ParallelPlan plan = PlanFor(1, 1);
  plan.micro_batch = 4;
  EXPECT_DOUBLE_EQ(LayerActivations(gpt, plan, false), 32 * Sbh(gpt, plan));
  EXPECT_DOUBLE_EQ(LayerActivations(gpt, plan, false), 32.0 * 2048 * 4 * 6144);
}

// Section 4.2.1: s b h (10 + 24 / t); section 4.2.2: s b h (34 / t).
TEST(MemoryUse, TensorParallelismDividesMostAndSequenceParallelismTheRest) {
  const ModelShape gpt = KnownModel("gpt-175b");
  ParallelPlan plan = PlanFor(8, 8);
  EXPECT_DOUBLE_EQ(LayerActivations(gpt, plan, false), 32.0 / 8 * Sbh(gpt, plan));
  plan.sequence_parallel = false;
  EXPECT_DOUBLE_EQ(LayerActivations(gpt, plan, false), (8 + 24.0 / 8) * Sbh(gpt, plan));
}

// Section 4.2.3: the first of p stages holds p micro-batches of L / p layers, which is L layers;
// with m interleaved parts of a stage L (1 + (p - 1) / (p m)).
TEST(MemoryUse, FirstStageHoldsAsMuchAsOneStageWould) {
  const ModelShape gpt = KnownModel("gpt-175b");
  ParallelPlan plan = PlanFor(64, 8, 8);
  plan.global_batch = 16;
  const double layers = 96 * LayerActivations(gpt, plan, false);
  EXPECT_DOUBLE_EQ(MemoryOf(gpt, plan).activations, layers);
  EXPECT_EQ(MemoryOf(gpt, plan).open_micro_batches, 8);
  plan.virtual_pipeline = 3;
  plan.schedule = "interleaved";
  EXPECT_DOUBLE_EQ(MemoryOf(gpt, plan).activations, layers * (1 + 7.0 / 24));
  plan.virtual_pipeline = 1;
  plan.schedule = "1f1b";
  plan.global_batch = 3;  // no more are open than there are
  EXPECT_DOUBLE_EQ(MemoryOf(gpt, plan).activations, layers * 3 / 8);
}

// Section 4.3: the output layer adds 4 s b h (1 + v / h) / t where one stage has all.
TEST(MemoryUse, OutputLayerKeepsItsInputsAndTheProductInFullPrecision) {
  ModelShape gpt = KnownModel("gpt-7b");
  gpt.vocabulary = 51200;  // 128 x 8 divides it, so that nothing is padded
  const ParallelPlan plan = PlanFor(8, 8);
  const double output = 4 * Sbh(gpt, plan) * (1 + 51200.0 / 4096) / 8;
  EXPECT_DOUBLE_EQ(OutputActivations(gpt, plan), output);
  EXPECT_DOUBLE_EQ(MemoryOf(gpt, plan).activations,
                   32 * LayerActivations(gpt, plan, false) + output);
}

// Section 5: with all layers recomputed each keeps its input of 2 s b h / t bytes, and one at a
// time all else.
TEST(MemoryUse, RecomputedLayersKeepTheirInputs) {
  ModelShape gpt = KnownModel("gpt-175b");
  gpt.positions = false;  // which the first stage would hold besides
  ParallelPlan plan = PlanFor(64, 8, 8);
  plan.global_batch = 16;
  plan.recompute = true;
  const double inputs = 96 * 2 * Sbh(gpt, plan) / 8;
  EXPECT_DOUBLE_EQ(MemoryOf(gpt, plan).activations, inputs + LayerActivations(gpt, plan, false));
  plan.schedule = "gpipe";  // all 16 micro-batches, and the last stage has the output layer too
  EXPECT_DOUBLE_EQ(MemoryOf(gpt, plan).activations,
                   2 * inputs + LayerActivations(gpt, plan, false) + OutputActivations(gpt, plan));
}

// DualPipe's GPUs at the ends hold the first and the last stage: twice the layers, and once each
// what is in no layer.
TEST(MemoryUse, DualPipeHoldsBothEndsOnce) {
  const ModelShape llama = KnownModel("llama3-70b");
  ParallelPlan plan = PlanFor(32, 8, 4);
  plan.schedule = "dualpipe";
  const LayerWork work(llama, plan);
  const auto of = [](std::int64_t number) { return static_cast<double>(number); };
  const double layers = of(20 * work.LayerParameters(false).common);
  const double ends = of(work.ParametersOf(BlockKind::kEmbedding, false).common +
                         work.ParametersOf(BlockKind::kOutput, false).common + work.LastNorm());
  const MemoryUse use = MemoryOf(llama, plan, {1, 1, 2});
  EXPECT_DOUBLE_EQ(use.parameters, 2 * (2 * layers + ends));
  EXPECT_DOUBLE_EQ(use.gradients, 4 * (2 * layers + ends));
  EXPECT_DOUBLE_EQ(use.optimizer, 12 * (layers + ends / 2));
}

// With a vocabulary that outweighs what the first stage has more, the last stage holds most.
TEST(MemoryUse, LastStageCountsWhereItHoldsMore) {
  ModelShape gpt = KnownModel("gpt-7b");
  gpt.layers = 2;
  const ParallelPlan plan = [] {
    ParallelPlan two = PlanFor(2, 1, 2);
    two.global_batch = 2;
    return two;
  }();
  const MemoryUse use = MemoryOf(gpt, plan);
  EXPECT_DOUBLE_EQ(use.activations,
                   LayerActivations(gpt, plan, false) + OutputActivations(gpt, plan));
  EXPECT_EQ(use.open_micro_batches, 1);
}

// A Llama layer of h = 8, 2 heads of 4, 1 head of keys, f = 16; 4 tokens. Around blocks 4 x 8,
// queries and sums 8 each, keys and values 4 each, the MLP 3 x 16: 104 numbers of 2 bytes.
TEST(MemoryUse, GatedMlpAndSharedKeysByHand) {
  ModelShape llama = KnownModel("llama-7b");
  llama.hidden = 8;
  llama.heads = 2;
  llama.kv_heads = 1;
  llama.head_dim = 4;
  llama.ffn = 16;
  llama.sequence = 4;
  EXPECT_EQ(LayerActivations(llama, PlanFor(1, 1), false), 2 * 4 * 104);
}

// Mixtral: a token passes two experts of f, each with its input of h, whole on each GPU of TP.
TEST(MemoryUse, ExpertsKeepTheirTokens) {
  const ModelShape mixtral = KnownModel("mixtral-8x7b");
  const ParallelPlan plan = PlanFor(16, 2);
  const double tokens = static_cast<double>(mixtral.sequence);
  const double numbers =
      4 * 4096.0 / 2 + 2 * 4096 + (2 * 4096 + 2 * 1024) / 2.0 + 2 * 3 * 14336 / 2.0;
  EXPECT_DOUBLE_EQ(LayerActivations(mixtral, plan, true), 2 * tokens * numbers);
}

// Megatron-LM's page on the distributed optimizer: 18 bytes a parameter, 6 + 12 / d with ZeRO.
TEST(MemoryUse, ParametersGradientsAndOptimizer) {
  const ModelShape gpt = KnownModel("gpt-13b");
  ParallelPlan plan = PlanFor(16, 2);
  const auto held = static_cast<double>(LayerWork(gpt, plan).StageParameters().common);
  const auto without_activations = [&](const StageLoad& load) {
    const MemoryUse use = MemoryOf(gpt, plan, load);
    return use.total() - use.activations;
  };
  EXPECT_DOUBLE_EQ(without_activations({}), held * (6 + 12.0 / 8));
  // Two copies, whose optimizer is divided: DualPipe's.
  EXPECT_DOUBLE_EQ(without_activations({1, 1, 2}), held * (2 * 6 + 12.0 / 8));
  plan.zero = 0;
  EXPECT_DOUBLE_EQ(without_activations({}), held * 18);
  EXPECT_DOUBLE_EQ(without_activations({1, 1, 2}), held * 36);
}

// ZeRO 3: a share of all, and two layers that are gathered, of one of them gradients.
TEST(MemoryUse, ShardedParametersAndTheLayersThatAreGathered) {
  const ModelShape gpt = KnownModel("gpt-13b");
  ParallelPlan plan = PlanFor(16, 2);
  plan.zero = 3;
  const LayerWork work(gpt, plan);
  const double share = static_cast<double>(work.StageParameters().common) / 8;
  const auto layer = static_cast<double>(work.LayerParameters(false).common);
  const MemoryUse use = MemoryOf(gpt, plan);
  EXPECT_DOUBLE_EQ(use.parameters, 2 * (share + 2 * layer));
  EXPECT_DOUBLE_EQ(use.gradients, 4 * (share + layer));
  EXPECT_DOUBLE_EQ(use.optimizer, 12 * share);
}

// Experts are replicated over DP_EP only.
TEST(MemoryUse, OptimizersOfExpertsAreDividedAmongTheirCopies) {
  const ModelShape mixtral = KnownModel("mixtral-8x7b");
  ParallelPlan plan = PlanFor(16, 1);
  plan.expert = 8;
  const HeldParameters held = LayerWork(mixtral, plan).StageParameters();
  EXPECT_DOUBLE_EQ(MemoryOf(mixtral, plan).optimizer, 12 * (static_cast<double>(held.common) / 16 +
                                                            static_cast<double>(held.experts) / 2));
}

}  // namespace
}  // namespace heddle
