// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/model/step_cost.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr std::int64_t kTera = 1'000'000'000'000;

ServedModel Shape() {
  ServedModel model;
  model.layers = model.attention_layers = 3;
  model.hidden = 8;
  model.query_heads = 4;
  model.kv_heads = 2;
  model.head_size = 5;
  model.active_parameters = model.parameters = 700;
  return model;
}

StepWork Work(std::int64_t computed, std::int64_t now) {
  StepWork work;
  work.Add(computed, now);
  return work;
}

// 2 x 700 x 10 + 2 x 3 x 4 x 5 x 10 (2 x 20 + 10) = 74,000 operations.
TEST(StepCost, OperationsLimit) {
  StepCost cost(Shape(), 1, 2, 2, {kTera, 1000 * kTera, MicroSeconds(2), MicroSeconds(1)});
  EXPECT_EQ(cost.Of(Work(20, 10)), Time{74'000} + MicroSeconds(1));
  StepWork prefill = Work(20, 10);
  prefill.prefill = true;
  EXPECT_EQ(cost.Of(prefill), Time{74'000} + MicroSeconds(2));
  // Four GPUs share the operations.
  StepCost four(Shape(), 4, 2, 2, {kTera, 1000 * kTera, MicroSeconds(2), MicroSeconds(1)});
  EXPECT_EQ(four.Of(Work(20, 10)), Time{18'500} + MicroSeconds(1));
}

// 700 x 2 + 30 x (2 x 3 x 2 x 5 x 2) = 5,000 bytes.
TEST(StepCost, MemoryLimits) {
  StepCost cost(Shape(), 1, 2, 2, {kTera * 1000, kTera, Time{}, Time{}});
  EXPECT_EQ(cost.Of(Work(20, 10)), Time{5'000});
  // Four GPUs share the weights; each of two heads is kept twice: 1,400 / 4 + 30 x 60.
  StepCost four(Shape(), 4, 2, 2, {kTera * 1000, kTera, Time{}, Time{}});
  EXPECT_EQ(four.Of(Work(20, 10)), Time{350 + 1800});
  // fp8 weights and KV.
  StepCost fp8(Shape(), 1, 1, 1, {kTera * 1000, kTera, Time{}, Time{}});
  EXPECT_EQ(fp8.Of(Work(20, 10)), Time{2'500});
}

TEST(StepCost, SumsOverSequences) {
  StepWork work = Work(20, 10);
  work.Add(5, 1);
  EXPECT_EQ(work.tokens, 11);
  EXPECT_EQ(work.attention, 10 * 50 + 11);
  EXPECT_EQ(work.kv_tokens, 36);
  EXPECT_EQ(work.sequences, 2U);
}

// A step of 405B parameters over long prompts does not overflow: 2^15 tokens, 8 H100 at 0.6.
TEST(StepCost, LargeSteps) {
  StepCost cost(*FindServedModel("llama-3.1-405b"), 8, 2, 2,
                {593'640'000'000'000, 2'847'500'000'000, Time{}, Time{}});
  const double operations = 2.0 * 405.85e9 * 32768 + 2.0 * 126 * 128 * 128 * 32768.0 * 32768;
  EXPECT_NEAR(cost.Of(Work(0, 32768)).seconds(), operations / (8 * 593.64e12), 1e-9);
}

}  // namespace
}  // namespace heddle
