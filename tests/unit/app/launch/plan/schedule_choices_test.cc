// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/plan/schedule_choices.h"

#include <gtest/gtest.h>

#include "core/app/launch/plan/plan_options.h"
#include "core/app/launch/plan/plan_text.h"
#include "tests/support/message_of.h"

namespace heddle {
namespace {

/// Four stages and `micro_batches` on four GPUs.
ParallelPlan FourStages(std::int64_t micro_batches, std::int64_t chunks = 1) {
  ParallelPlan plan;
  plan.gpus = plan.pipeline = 4;
  plan.global_batch = micro_batches;
  plan.virtual_pipeline = chunks;
  return plan;
}

StageLoad LoadBy(const std::string& word, const ParallelPlan& plan) {
  return ScheduleChoices(word, 8, {}).at(0).load(plan);
}

void ExpectLoad(const StageLoad& load, double first, double last, std::int64_t stages) {
  EXPECT_DOUBLE_EQ(load.first, first);
  EXPECT_DOUBLE_EQ(load.last, last);
  EXPECT_EQ(load.stages, stages);
}

// Activations of stage s, docs/models/pipelines.md: P - s; 2 (P - 1 - s) + (V - 1) P + 1 chunks; M;
// P + 1 of one of two copies of the model; 2 P + 1 of two chunks, where the last position is at the
// first stage.
TEST(ScheduleChoices, LoadsAreThoseOfTheTables) {
  ExpectLoad(LoadBy("1f1b", FourStages(8)), 4, 1, 1);
  ExpectLoad(LoadBy("interleaved", FourStages(8, 2)), 11 / 2.0, 5 / 2.0, 1);
  ExpectLoad(LoadBy("interleaved", FourStages(8, 3)), 15 / 3.0, 9 / 3.0, 1);
  ExpectLoad(LoadBy("gpipe", FourStages(8)), 8, 8, 1);
  ExpectLoad(LoadBy("zb-h1", FourStages(8)), 4, 1, 1);
  ExpectLoad(LoadBy("dualpipe", FourStages(8)), 5, 5, 2);
  ExpectLoad(LoadBy("dualpipev", FourStages(8, 2)), 9 / 2.0, 9 / 2.0, 1);
}

// The formula for those that need no table, too.
TEST(ScheduleChoices, UsualLoadsAreTheSame) {
  for (const std::int64_t micro_batches : {4, 8, 16}) {
    const StageLoad plain = UsualLoad(FourStages(micro_batches));
    ExpectLoad(LoadBy("1f1b", FourStages(micro_batches)), plain.first, plain.last, 1);
    const StageLoad chunks = UsualLoad(FourStages(micro_batches, 2));
    ExpectLoad(LoadBy("interleaved", FourStages(micro_batches, 2)), chunks.first, chunks.last, 1);
  }
}

TEST(ScheduleChoices, ChunksAreThoseThatAScheduleHave) {
  const std::vector<ScheduleChoice> all = ScheduleChoices("all", 8, {});
  const auto chunks = [&](const std::string& word) {
    for (const ScheduleChoice& one : all) {
      if (one.name == word) return std::make_pair(one.least_chunks, one.most_chunks);
    }
    return std::make_pair(std::int64_t{0}, std::int64_t{0});
  };
  using Two = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(chunks("1f1b"), Two(1, 1));
  EXPECT_EQ(chunks("interleaved"), Two(2, 8));
  EXPECT_EQ(chunks("dualpipe"), Two(1, 1));
  EXPECT_EQ(chunks("dualpipev"), Two(2, 2));
}

TEST(ScheduleChoices, RefusesUnknownWordsAndIllegalNumbers) {
  EXPECT_NE(MessageOf([] { ScheduleChoices("1f1b,dual", 8, {}); }, ExitCode::kUsage)
                .find("--schedules: unknown name 'dual'"),
            std::string::npos);
  EXPECT_NE(MessageOf([] {
              LoadBy("dualpipe", FourStages(6));
            }).find("pipeline.schedule=dualpipe: 6 micro-batches"),
            std::string::npos);
}

TEST(PlanOptions, SettingsAreWhatDiffersFromTheSearch) {
  FoundPlan found;
  found.plan.parallel = FourStages(8, 2);
  const CollectiveOptions usual;
  EXPECT_EQ(SettingsOf(found, usual), std::vector<std::string>());
  found.schedule = "interleaved";
  const std::vector<std::string> interleaved = {"pipeline.schedule=interleaved",
                                                "pipeline.chunks=2"};
  EXPECT_EQ(SettingsOf(found, usual), interleaved);
  found.plan.parallel.virtual_pipeline = 5;
  EXPECT_EQ(SettingsOf(found, usual).back(), "pipeline.chunks=5");
  found.schedule.clear();
  CollectiveOptions zipf;
  zipf.experts.routing = ExpertOptions::Routing::kZipf;
  found.plan.shape.experts = 8;
  found.plan.shape.top_k = 2;
  found.plan.shape.sequence = 512;
  found.plan.parallel.tensor = 2;
  const std::vector<std::string> routed = {"experts.count=8", "experts.top_k=2",
                                           "experts.tokens=256"};
  EXPECT_EQ(SettingsOf(found, zipf), routed);
  EXPECT_EQ(SettingsOf(found, usual), std::vector<std::string>());
}

TEST(PlanText, RefusalsAreCountedByTheirKeys) {
  const std::vector<RefusalKind> kinds = CountRefusals(
      {{{}, "", "global_batch: found 8, which ..."},
       {{}, "dualpipe", "schedule: pipeline.schedule=dualpipe: 6 micro-batches (ga) ..."},
       {{}, "gpipe", "heddle plan search: a micro-batch in 3 chunks (pipeline.chunks). ..."},
       {{}, "", "tp: found 3, which ..."}});
  ASSERT_EQ(kinds.size(), 3u);
  EXPECT_EQ(kinds[0].key, "pipeline.schedule");
  EXPECT_EQ(kinds[0].count, 2);
  EXPECT_EQ(kinds[1].key, "global_batch");
  EXPECT_EQ(kinds[2].example, "tp: found 3, which ...");
}

}  // namespace
}  // namespace heddle
