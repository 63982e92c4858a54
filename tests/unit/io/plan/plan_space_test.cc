// SPDX-License-Identifier: GPL-2.0-only
#include "io/plan/plan_space.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/base/check.h"
#include "io/plan/plan_file.h"
#include "io/workload_model/layer_work.h"
#include "tests/support/message_of.h"

namespace heddle {
namespace {

PlanRequest RequestOf(const std::string& text) { return ParsePlan(text, "mine.toml", ""); }

/// "1 2 1 4 1f1b 1": TP, PP, EP, micro-batch, schedule, VPP.
std::string TextOf(const PlanRequest& request, const std::string& schedule) {
  const ParallelPlan& plan = request.parallel;
  return fmt::format("{} {} {} {} {} {}", plan.tensor, plan.pipeline, plan.expert, plan.micro_batch,
                     schedule.empty() ? "-" : schedule, plan.virtual_pipeline);
}

std::vector<std::string> TextsOf(const PlanChoices& choices) {
  std::vector<std::string> texts;
  for (const FoundPlan& found : choices.plans)
    texts.push_back(TextOf(found.request, found.schedule));
  return texts;
}

std::set<std::string> RefusalsOf(const PlanChoices& choices) {
  std::set<std::string> texts;
  for (const RefusedPlan& one : choices.refused)
    texts.insert(TextOf(one.request, one.schedule) + ": " + one.why);
  return texts;
}

/// Legal with a micro-batch for each stage.
StageLoad LoadOfChunks(const ParallelPlan& plan) {
  if (plan.micro_batches() < plan.pipeline) throw UserError("few micro-batches");
  return UsualLoad(plan);
}

constexpr const char* kFourLayers =
    "model = \"gpt-7b\"\nlayers = 4\nhidden = 512\nvocabulary = 4096\nsequence = 256\n"
    "gpus = 8\nglobal_batch = 8\n";

TEST(PlanSpace, HasEachLegalDivisionAndSaysWhyOthersAreNot) {
  PlanSpace space;
  space.most_tensor = space.most_micro_batch = 2;
  space.schedules = {{"1f1b"}, {"interleaved", 2, 4, LoadOfChunks}};
  const PlanChoices choices = FindPlans(RequestOf(kFourLayers), space);
  const std::vector<std::string> legal = {
      "1 1 1 1 - 1",    "1 2 1 1 1f1b 1",        "1 2 1 1 interleaved 2", "1 2 1 2 1f1b 1",
      "1 4 1 1 1f1b 1", "1 4 1 2 1f1b 1",        "2 1 1 1 - 1",           "2 1 1 2 - 1",
      "2 2 1 1 1f1b 1", "2 2 1 1 interleaved 2", "2 2 1 2 1f1b 1",        "2 2 1 2 interleaved 2",
      "2 4 1 1 1f1b 1", "2 4 1 2 1f1b 1"};
  EXPECT_EQ(TextsOf(choices), legal);
  const char* const layers = "layers: found 4, which PP x VPP = 8 does not divide. Expected: 8";
  const std::set<std::string> refused = {
      "1 1 1 2 - 1: global_batch: found 8, which micro-batch x DP = 16 does not divide. "
      "Expected: 16",
      "1 2 1 2 interleaved 2: few micro-batches",
      std::string("1 4 1 1 interleaved 2: ") + layers,
      std::string("1 4 1 2 interleaved 2: ") + layers,
      std::string("2 4 1 1 interleaved 2: ") + layers,
      std::string("2 4 1 2 interleaved 2: ") + layers};
  EXPECT_EQ(RefusalsOf(choices), refused);
  EXPECT_EQ(choices.tried, 20);
  EXPECT_EQ(choices.too_large, 0);
}

// CP above what leaves 4,096 positions to a rank is tried where the space says so.
TEST(PlanSpace, HasContextParallelism) {
  PlanSpace space;
  space.most_tensor = space.most_micro_batch = 1;
  const std::string text =
      "model = \"gpt-7b\"\nlayers = 4\nhidden = 512\nvocabulary = 4096\nsequence = 8192\n"
      "gpus = 8\nglobal_batch = 8\npp = 2\n";
  const auto contexts = [&](const PlanChoices& choices) {
    std::vector<std::int64_t> found;
    for (const FoundPlan& plan : choices.plans) found.push_back(plan.request.parallel.context);
    return found;
  };
  EXPECT_EQ(contexts(FindPlans(RequestOf(text), space)), (std::vector<std::int64_t>{1, 2}));
  space.most_context = 4;
  EXPECT_EQ(contexts(FindPlans(RequestOf(text), space)), (std::vector<std::int64_t>{1, 2, 4}));
  EXPECT_EQ(contexts(FindPlans(RequestOf(text + "cp = 4\n"), PlanSpace())),
            (std::vector<std::int64_t>{4, 4, 4, 4}));
}

TEST(PlanSpace, KeepsWhatIsGiven) {
  const PlanChoices choices =
      FindPlans(RequestOf("model = \"mixtral-8x7b\"\nlayers = 4\nhidden = 512\nvocabulary = "
                          "4096\nsequence = 256\ngpus = 16\n"
                          "tp = 2\npp = 2\nmicro_batch = 2\nglobal_batch = 16\n"),
                PlanSpace());
  const std::vector<std::string> legal = {"2 2 1 2 1f1b 1", "2 2 2 2 1f1b 1", "2 2 4 2 1f1b 1"};
  EXPECT_EQ(TextsOf(choices), legal);
}

// What is written as a plan runs as it was found: it says its schedule, and chunks in a row only
// where there are chunks.
TEST(PlanSpace, RequestsSayTheirSchedules) {
  PlanSpace space;
  space.most_tensor = space.most_micro_batch = 1;
  space.schedules = {{"1f1b"}, {"interleaved", 2, 4, LoadOfChunks}, {"dualpipev"}};
  const PlanChoices choices =
      FindPlans(RequestOf(std::string(kFourLayers) + "pp = 2\nschedule = \"gpipe\"\n"), space);
  ASSERT_EQ(choices.plans.size(), 3u);
  const char* const settings[] = {"pipeline.schedule=1f1b ",
                                  "pipeline.schedule=interleaved pipeline.chunks=2 ",
                                  "pipeline.schedule=dualpipev "};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string text = PlanText(choices.plans[i].request, "found");
    std::string said;
    for (const PlanSetting& setting : ResolvePlan(RequestOf(text)).settings)
      said += setting.option + "=" + setting.value + " ";
    EXPECT_EQ(said, settings[i]) << text;
  }
  PlanSpace grouped;
  grouped.most_tensor = grouped.most_micro_batch = 1;
  grouped.schedules = {{"1f1b"}, {"interleaved", 2, 4, LoadOfChunks}};
  const PlanChoices rows =
      FindPlans(RequestOf(std::string(kFourLayers) + "pp = 2\ngroup = 2\n"), grouped);
  ASSERT_EQ(rows.plans.size(), 2u);
  EXPECT_EQ(rows.plans[0].request.parallel.in_a_row, 0);
  EXPECT_EQ(rows.plans[1].request.parallel.in_a_row, 2);
}

TEST(PlanSpace, LeavesOutWhatNoGpuHolds) {
  const PlanChoices choices =
      FindPlans(RequestOf("model = \"gpt-13b\"\ngpus = 1\nglobal_batch = 1\n"), PlanSpace());
  EXPECT_TRUE(choices.plans.empty());
  EXPECT_EQ(choices.too_large, 1);  // 12.85 G parameters of 18 bytes
  EXPECT_GT(choices.least_memory, 231e9);
  EXPECT_EQ(choices.refused.size(), 3u);  // micro-batches of 2, 4 and 8 of one sequence
  EXPECT_EQ(choices.tried, 4);
}

// A GPU's context, NCCL's buffers and fragmentation take of the rest.
TEST(PlanSpace, LeavesRoomForWhatFormulasLeaveOut) {
  const PlanRequest request = RequestOf("model = \"gpt-7b\"\ngpus = 8\nglobal_batch = 8\ntp = 2\n");
  PlanSpace all;
  all.most_memory = 1;
  all.most_micro_batch = 1;
  const PlanChoices most = FindPlans(request, all);
  const auto at_least = [&](double share) {
    return std::count_if(most.plans.begin(), most.plans.end(), [&](const FoundPlan& found) {
      return found.memory.total() > share * 80e9;
    });
  };
  PlanSpace some = all;
  some.most_memory = 0.4;
  const PlanChoices fewer = FindPlans(request, some);
  EXPECT_GT(at_least(0.4), 0);
  EXPECT_EQ(fewer.plans.size() + static_cast<std::size_t>(at_least(0.4)), most.plans.size());
  EXPECT_EQ(fewer.too_large, most.too_large + at_least(0.4));
  EXPECT_EQ(PlanSpace().most_memory, 0.8);
}

// A schedule without chunks says so; one with chunks tries them whatever its most.
TEST(PlanSpace, GivenChunksAreTriedOrRefused) {
  PlanSpace space;
  space.most_tensor = space.most_micro_batch = 1;
  space.schedules = {{"1f1b"}, {"interleaved", 2, 2, UsualLoad}};
  const PlanChoices choices =
      FindPlans(RequestOf("model = \"gpt-7b\"\nlayers = 8\nhidden = 512\nvocabulary = 4096\n"
                          "sequence = 256\ngpus = 8\nglobal_batch = 8\npp = 2\nvpp = 4\n"),
                space);
  EXPECT_EQ(TextsOf(choices), std::vector<std::string>{"1 2 1 1 interleaved 4"});
  ASSERT_EQ(choices.refused.size(), 1u);
  EXPECT_EQ(choices.refused[0].why,
            "vpp: found 4, and the schedule 1f1b takes no chunks. Expected: interleaved among the "
            "schedules, or vpp = 1");
  EXPECT_EQ(choices.tried, 2);
}

TEST(PlanSpace, MemoryIsThatOfTheSchedule) {
  PlanSpace space;
  space.schedules = {{"1f1b"}, {"dualpipe", 1, 1, [](const ParallelPlan&) {
                                  return StageLoad{3, 3, 2};
                                }}};
  const PlanChoices choices =
      FindPlans(RequestOf(std::string(kFourLayers) + "tp = 2\npp = 2\nmicro_batch = 2\n"), space);
  ASSERT_EQ(choices.plans.size(), 2u);
  // Twice the layers, and once each what is in none.
  EXPECT_LT(choices.plans[1].memory.parameters, 2 * choices.plans[0].memory.parameters);
  EXPECT_GT(choices.plans[1].memory.parameters, 1.5 * choices.plans[0].memory.parameters);
  EXPECT_EQ(choices.plans[1].memory.open_micro_batches, 3);
}

TEST(PlanSpace, WhatNoDivisionMendsIsSaidAtOnce) {
  PlanRequest request = RequestOf(kFourLayers);
  request.model = "gpt-14b";
  EXPECT_NE(MessageOf([&] { FindPlans(request, PlanSpace()); }, ExitCode::kUsage)
                .find("the nearest is gpt-13b"),
            std::string::npos);
}

// What a GPU computes for a plan without pipeline, all together, but for what is no product of
// matrices and for attention's second half, which gradients compute again.
TEST(PlanSpace, ModelOperationsAreThoseOfTheBlocks) {
  const StepPlan plan = ResolvePlan(RequestOf("model = \"llama3-70b\"\ngpus = 8\ntp = 8\n"));
  const auto of = [](std::int64_t number) { return static_cast<double>(number); };
  const double tokens = of(plan.parallel.global_batch * 8192);
  // 70.55 G parameters less the embedding; 80 layers x 8192 positions x 64 heads x 128.
  const double by_hand = 6 * tokens * (70.554e9 - 128256.0 * 8192 + 80.0 * 8192 * 64 * 128);
  EXPECT_NEAR(ModelOperations(plan.shape, plan.parallel) / by_hand, 1, 1e-4);
}

}  // namespace
}  // namespace heddle
