// SPDX-License-Identifier: GPL-2.0-only
#include "io/workload_model/parallel_plan.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/io/workload_model/known_model.h"

namespace heddle {
namespace {

std::string WhyNoPlan(const ModelShape& shape, const ParallelPlan& plan) {
  try {
    CheckPlan(shape, plan);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

struct PlanMistake {
  const char* model;
  std::function<void(ModelShape*, ParallelPlan*)> make;
  const char* message;
};

TEST(ParallelPlan, SaysWhatDoesNotDivideAndWhatWould) {
  const std::vector<PlanMistake> mistakes = {
      {"gpt-13b", [](ModelShape*, ParallelPlan* p) { p->gpus = 60; },
       "--gpus: found 60, which TP x PP = 8 does not divide. Expected: 56 or 64"},
      {"gpt-13b", [](ModelShape*, ParallelPlan* p) { p->gpus = 3; },
       "--gpus: found 3, which TP x PP = 8 does not divide. Expected: 8"},
      {"gpt-13b", [](ModelShape* s, ParallelPlan* p) { s->layers = 30, p->pipeline = 4; },
       "--layers: found 30, which PP x VPP = 4 does not divide. Expected: 28 or 32"},
      {"gpt-13b", [](ModelShape*, ParallelPlan* p) { p->pipeline = 4, p->virtual_pipeline = 3; },
       "--layers: found 40, which PP x VPP = 12 does not divide. Expected: 36 or 48"},
      {"gpt-13b", [](ModelShape*, ParallelPlan* p) { p->tensor = 16; },
       "--tp: found 16, which does not divide the number of heads = 40. Expected: 10 or 20"},
      {"llama3-70b", [](ModelShape*, ParallelPlan* p) { p->tensor = 16; },
       "--tp: found 16, which does not divide the number of key heads = 8. Expected: 8"},
      {"gpt-13b", [](ModelShape* s, ParallelPlan*) { s->sequence = 2049; },
       "--sequence: found 2049, which TP, as positions are split over it, = 8 does not divide. "
       "Expected: 2048 or 2056"},
      {"gpt-13b", [](ModelShape*, ParallelPlan* p) { p->global_batch = 20; },
       "--global-batch: found 20, which micro-batch x DP = 8 does not divide. Expected: 16 or 24"},
      {"mixtral-8x7b", [](ModelShape*, ParallelPlan* p) { p->expert = 3; },
       "--ep: found 3, which does not divide the number of experts = 8. Expected: 2 or 4"},
      {"mixtral-8x7b", [](ModelShape*, ParallelPlan* p) { p->gpus = 32, p->expert = 8; },
       "--ep: found 8, which does not divide DP = 4. Expected: 4"},
      {"gpt-13b", [](ModelShape*, ParallelPlan* p) { p->context = 3; },
       "--gpus: found 64, which TP x CP x PP = 24 does not divide. Expected: 48 or 72"},
      {"gpt-13b", [](ModelShape* s, ParallelPlan* p) { s->sequence = 2040, p->context = 8; },
       "--cp: found 8, whose two slices a rank do not divide the sequence of 2040. Expected: 6 or "
       "10"},
      {"gpt-13b", [](ModelShape* s, ParallelPlan* p) { s->sequence = 8 * 3 * 5, p->context = 4; },
       "--sequence: found 120, which TP x CP, as positions are split over it, = 32 does not "
       "divide. Expected: 96 or 128"},
      {"gpt-13b",
       [](ModelShape*, ParallelPlan* p) {
         p->tensor = 8, p->context = 8, p->exchange = ContextExchange::kAllToAll;
       },
       "--cp: found 8, which does not divide the heads of a GPU by a2a = 5. Expected: 5"},
      {"llama3-70b",
       [](ModelShape*, ParallelPlan* p) {
         p->tensor = 4, p->context = 4, p->exchange = ContextExchange::kAllToAll;
       },
       "--cp: found 4, which does not divide the key heads of a GPU by a2a = 2. Expected: 2"},
      {"gpt-13b", [](ModelShape*, ParallelPlan* p) { p->context = 2, p->rules = LineRules::kAicb; },
       "--cp: AICB's files do not have it. Expected: --rules megatron, or --cp 1"},
      {"mixtral-8x7b",
       [](ModelShape*, ParallelPlan* p) { p->gpus = 32, p->context = 2, p->expert = 8; },
       "--ep: found 8, which does not divide DP x CP = 4. Expected: 4"},
      {"gpt-13b", [](ModelShape*, ParallelPlan* p) { p->first_layers = 4; },
       "--first-layers: there is one pipeline stage. Expected: --pp 2 or more"},
      {"gpt-13b",
       [](ModelShape*, ParallelPlan* p) {
         p->pipeline = 4, p->first_layers = 9, p->last_layers = 8;
       },
       "--first-layers: of 40 layers 23 are left for 2 other stages. Expected: a multiple of 2, "
       "from 2 on"},
      {"gpt-13b", [](ModelShape*, ParallelPlan* p) { p->pipeline = 4, p->last_layers = 40; },
       "--last-layers: of 40 layers 0 are left for 3 other stages. Expected: a multiple of 3, "
       "from 3 on"},
      {"gpt-13b",
       [](ModelShape*, ParallelPlan* p) { p->pipeline = 2, p->first_layers = p->last_layers = 19; },
       "--first-layers: of 40 layers 2 are left for 0 other stages. Expected: 0"},
      {"gpt-13b",
       [](ModelShape*, ParallelPlan* p) {
         p->pipeline = 4, p->last_layers = 10, p->schedule = "dualpipev";
       },
       "--last-layers: a stage has 2 chunks. Expected: a schedule with one chunk on each stage"},
      {"gpt-13b",
       [](ModelShape*, ParallelPlan* p) {
         p->pipeline = 4, p->last_layers = 10, p->stages_alike = true;
       },
       "--last-layers: a text describes all stages by one. Expected: a plan, which heddle run -w "
       "PLAN.toml takes"},
      {"mixtral-8x7b", [](ModelShape* s, ParallelPlan*) { s->top_k = 9; },
       "--top-k: found 9. Expected: at most the 8 experts"},
      {"mixtral-8x7b", [](ModelShape*, ParallelPlan* p) { p->sequence_parallel = false; },
       "--no-sequence-parallel: a model with experts and TP above 1. Expected: sequence parallel, "
       "as Megatron-LM demands, or --tp 1"},
  };
  for (const PlanMistake& mistake : mistakes) {
    ModelShape shape = KnownModel(mistake.model);
    ParallelPlan plan = PlanFor(64, 8);
    EXPECT_EQ(WhyNoPlan(shape, plan), "") << mistake.model;
    mistake.make(&shape, &plan);
    EXPECT_EQ(WhyNoPlan(shape, plan), mistake.message);
  }
}

// DeepSeek-V3: 61 layers, the first 3 without experts, are 4 at the first stage, 5 at the last, and
// 4 at each of the 13 others.
TEST(ParallelPlan, StagesHaveTheLayersOfTheModel) {
  const ModelShape deepseek = KnownModel("deepseek-v3");
  ParallelPlan plan = PlanFor(15 * 8, 1, 15);
  plan.last_layers = 5;
  EXPECT_EQ(WhyNoPlan(deepseek, plan), "");
  const StageLayers first = StageLayersOf(deepseek, plan, PipelinePart::kFirst);
  EXPECT_EQ(first.dense, 3);
  EXPECT_EQ(first.with_experts, 1);
  EXPECT_EQ(StageLayersOf(deepseek, plan, PipelinePart::kMiddle).with_experts, 4);
  EXPECT_EQ(StageLayersOf(deepseek, plan, PipelinePart::kLast).with_experts, 5);
  EXPECT_EQ(MostLayersOf(deepseek, plan).all(), 5);
  plan.first_layers = 2;  // the layers without experts do not fit
  EXPECT_EQ(StageLayersOf(deepseek, plan, PipelinePart::kFirst).with_experts, 2);
}

TEST(ParallelPlan, RefusesWhatTheFileCannotHold) {
  ModelShape shape = KnownModel("gpt-13b");
  shape.hidden = shape.ffn = 1 << 20;
  shape.heads = shape.kv_heads = 1 << 13;
  shape.layers = 1 << 20;
  EXPECT_NE(WhyNoPlan(shape, PlanFor(8, 8)).find("Expected: at most"), std::string::npos);
  ParallelPlan plan = PlanFor(8, 8);
  plan.global_batch = 1 << 24;
  EXPECT_NE(WhyNoPlan(KnownModel("gpt-13b"), plan).find("16777216 micro-batches of 40 layers"),
            std::string::npos);
}

TEST(ParallelPlan, PadsTheVocabulary) {
  EXPECT_EQ(PaddedVocabulary(KnownModel("gpt-13b"), PlanFor(8, 2)), 50432);
  EXPECT_EQ(PaddedVocabulary(KnownModel("gpt-13b"), PlanFor(8, 8)), 51200);
  EXPECT_EQ(PaddedVocabulary(KnownModel("llama-7b"), PlanFor(8, 2)), 32000);
}

}  // namespace
}  // namespace heddle
