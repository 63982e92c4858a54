// SPDX-License-Identifier: GPL-2.0-only
#include "io/workload_model/context_lines.h"

#include <gtest/gtest.h>

#include "io/workload_model/memory_use.h"
#include "tests/unit/io/workload_model/known_model.h"

namespace heddle {
namespace {

ParallelPlan ContextPlan(std::int64_t context, ContextExchange exchange = ContextExchange::kRing) {
  ParallelPlan plan = PlanFor(64, 4);
  plan.context = context;
  plan.exchange = exchange;
  plan.global_batch = plan.data();
  return plan;
}

/// The lines of a layer's attention between its matrices.
std::vector<Layer> PairLines(const std::string& model, const ParallelPlan& plan) {
  std::vector<Layer> lines;
  bool between = false;
  for (const Layer& layer : StepOn(KnownModel(model), plan).layers) {
    if (layer.name == "attention_row") return lines;
    if (between) lines.push_back(layer);
    between = between || layer.name == "attention_column";
  }
  return lines;
}

void ExpectExchange(const LayerPhase& phase, Operation operation, std::int64_t bytes) {
  EXPECT_STREQ(ToText(phase.operation), ToText(operation));
  EXPECT_EQ(phase.bytes, bytes);
  if (bytes > 0) {
    EXPECT_STREQ(ToText(phase.group), "CP");
  }
}

// Llama 3 70B, 8192 positions over 4 ranks, TP 4: 2 bytes x 2048 x 2 x (8 / 4 heads) x 128 numbers.
constexpr std::int64_t kKeysValues = 2 * 2048 * 2 * 2 * 128;

TEST(ContextLines, KeysAndValuesGoRoundTheRing) {
  const std::vector<Layer> lines = PairLines("llama3-70b", ContextPlan(4));
  ASSERT_EQ(lines.size(), 4u);
  const std::int64_t forward[] = {1, 1, 1, 0};
  // The last line is the first of the backward pass: keys and values; then gradients too; at last
  // gradients alone.
  const std::int64_t backward[] = {1, 2, 2, 1};
  for (std::size_t i = 0; i < 4; ++i) {
    ExpectExchange(lines[i].forward, forward[i] > 0 ? Operation::kSendRecv : Operation::kNone,
                   forward[i] * kKeysValues);
    ExpectExchange(lines[i].input_gradient, Operation::kSendRecv, backward[i] * kKeysValues);
    EXPECT_TRUE(lines[i].forward.together && lines[i].input_gradient.together);
    EXPECT_EQ(lines[i].weight_gradient.compute, Time{});
  }
}

TEST(ContextLines, TwoRanksExchangeOnceForwardAndTwiceBackward) {
  const std::vector<Layer> lines = PairLines("llama3-70b", ContextPlan(2));
  ASSERT_EQ(lines.size(), 2u);
  ExpectExchange(lines[0].forward, Operation::kSendRecv, 2 * kKeysValues);
  ExpectExchange(lines[1].forward, Operation::kNone, 0);
  ExpectExchange(lines[0].input_gradient, Operation::kSendRecv, 2 * kKeysValues);
  ExpectExchange(lines[1].input_gradient, Operation::kSendRecv, 2 * kKeysValues);
}

// Queries have 64 / 4 heads of 128 numbers, and so has the output.
TEST(ContextLines, HeadsTakeThePlaceOfPositions) {
  const std::int64_t output = 2 * 4096 * 16 * 128, keys_values = 2 * 4096 * 2 * 2 * 128;
  const std::vector<Layer> lines =
      PairLines("llama3-70b", ContextPlan(2, ContextExchange::kAllToAll));
  ASSERT_EQ(lines.size(), 2u);
  ExpectExchange(lines[0].forward, Operation::kAllToAll, output + keys_values);
  ExpectExchange(lines[0].input_gradient, Operation::kAllToAll, output + keys_values);
  ExpectExchange(lines[1].forward, Operation::kAllToAll, output);
  ExpectExchange(lines[1].input_gradient, Operation::kAllToAll, output);
  EXPECT_FALSE(lines[1].forward.together);
}

TEST(ContextLines, AllKeysAndValuesAreGathered) {
  const std::vector<Layer> lines =
      PairLines("llama3-70b", ContextPlan(4, ContextExchange::kAllGather));
  ASSERT_EQ(lines.size(), 2u);
  ExpectExchange(lines[0].forward, Operation::kAllGather, 4 * kKeysValues);
  ExpectExchange(lines[0].input_gradient, Operation::kAllGather, 4 * kKeysValues);
  ExpectExchange(lines[1].forward, Operation::kNone, 0);
  ExpectExchange(lines[1].input_gradient, Operation::kReduceScatter, 4 * kKeysValues);
}

// Latent attention: keys of 128 + 64 numbers and values of 128 for each of 128 / 4 heads.
TEST(ContextLines, OfLatentAttentionHaveKeysOfAllHeads) {
  const ContextBytes bytes = ContextBytesOf(KnownModel("deepseek-v3"), ContextPlan(2));
  EXPECT_EQ(bytes.keys_values, 2 * (KnownModel("deepseek-v3").sequence / 2) * 32 * (192 + 128));
}

// With C times the ranks for a sequence each computes a C-th of its layers, pairs included.
TEST(ContextLines, RanksShareTheComputingEvenly) {
  const auto seconds = [](std::int64_t context, BlockKind kind) {
    ParallelPlan plan = ContextPlan(context);
    plan.global_batch = 64;
    const BlockWork work = LayerWork(KnownModel("llama3-70b"), plan).Of(kind);
    return work.all().forward.operations;
  };
  for (const BlockKind kind : {BlockKind::kAttention, BlockKind::kMlp, BlockKind::kOutput})
    EXPECT_DOUBLE_EQ(seconds(4, kind), seconds(1, kind) / 4);
  Time pairs;
  for (const Layer& line : PairLines("llama3-70b", ContextPlan(4))) pairs += line.forward.compute;
  Time apart;
  for (const Layer& line : PairLines("llama3-70b", ContextPlan(4, ContextExchange::kAllGather)))
    apart += line.forward.compute;
  EXPECT_EQ(pairs, apart);
  EXPECT_GT(pairs, Time{});
}

// Activations are divided, and optimizer states lie on as many GPUs as without.
TEST(ContextLines, ActivationsAreDivided) {
  const ModelShape shape = KnownModel("llama3-70b");
  const MemoryUse one = MemoryOf(shape, ContextPlan(1)), four = MemoryOf(shape, ContextPlan(4));
  EXPECT_DOUBLE_EQ(four.activations, one.activations / 4);
  EXPECT_DOUBLE_EQ(four.parameters, one.parameters);
  EXPECT_DOUBLE_EQ(four.optimizer, one.optimizer);
}

}  // namespace
}  // namespace heddle
