// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/plan/schedule_choices.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "collectives/pipeline/make_table.h"
#include "core/app/launch/plan/plan_arguments.h"
#include "core/app/launch/plan/plan_text.h"
#include "io/pipeline/pipeline_file.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_folder.h"

namespace heddle {
namespace {

/// Four stages and `micro_batches` on four GPUs; with chunks they are interleaved.
ParallelPlan FourStages(std::int64_t micro_batches, std::int64_t chunks = 1) {
  ParallelPlan plan;
  plan.gpus = plan.pipeline = 4;
  plan.global_batch = micro_batches;
  plan.virtual_pipeline = chunks;
  if (chunks > 1) plan.schedule = "interleaved";
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
  ExpectLoad(LoadBy("dualpipev", FourStages(8)), 9 / 2.0, 9 / 2.0, 1);
}

// The formula for those that need no table, too.
TEST(ScheduleChoices, UsualLoadsAreTheSame) {
  const auto same = [](const ParallelPlan& plan) {
    const StageLoad usual = UsualLoad(plan);
    ExpectLoad(LoadBy(plan.schedule, plan), usual.first, usual.last, usual.stages);
  };
  for (const std::int64_t micro_batches : {4, 8, 16, 32}) {
    for (const std::int64_t chunks : {2, 3}) {
      ParallelPlan interleaved = FourStages(micro_batches, chunks);
      same(interleaved);
      interleaved.in_a_row = 8;
      if (micro_batches % 8 == 0) same(interleaved);
    }
    for (const char* word : {"1f1b", "gpipe", "zb-h1", "dualpipe", "dualpipev"}) {
      ParallelPlan plan = FourStages(micro_batches);
      plan.schedule = word;
      if (micro_batches >= 8 || plan.schedule.rfind("dual", 0) != 0) same(plan);
    }
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
  EXPECT_EQ(chunks("dualpipev"), Two(1, 1));  // its own two are no VPP
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

FoundPlan FoundWith(const std::string& schedule, std::int64_t chunks) {
  FoundPlan found;
  found.schedule = found.plan.parallel.schedule = schedule;
  found.plan.parallel.virtual_pipeline = chunks;
  return found;
}

TEST(ScheduleChoices, TextsSayChunks) {
  EXPECT_EQ(ScheduleText(FoundWith("", 1)), "-");
  EXPECT_EQ(ScheduleText(FoundWith("zb-h1", 1)), "zb-h1");
  EXPECT_EQ(ScheduleText(FoundWith("interleaved", 5)), "interleaved 5");
  EXPECT_EQ(ScheduleText(FoundWith("dualpipev", 1)), "dualpipev 2");
  EXPECT_EQ(ScheduleText(FoundWith("file:/tables/own.txt", 1)), "own.txt");
}

// A schedule of the user's holds what its table says: here 1F1B's.
TEST(ScheduleChoices, FilesAreRead) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "own.txt").string();
  PipelineOptions plain;
  std::ofstream(path) << PipelineTableText(MakePipelineTable(plain, 4, 8, "test"));
  const std::vector<ScheduleChoice> own = ScheduleChoices("file:" + path, 8, {});
  ASSERT_EQ(own.size(), 1u);
  EXPECT_EQ(own[0].name, "file:" + path);
  EXPECT_EQ(own[0].most_chunks, 1);
  ExpectLoad(own[0].load(FourStages(8)), 4, 1, 1);
  EXPECT_NE(MessageOf([&] { own[0].load(FourStages(16)); }).find("Expected: 8 on 4"),
            std::string::npos);
}

/// What the search takes of a plan's file and flags.
PlanRequest RequestBy(PlanSearchArguments* given) {
  given->model = "mixtral-8x7b";
  given->global_batch = 64;
  return CommonRequest(given);
}

TEST(PlanSearchArguments, SettingsOfExpertsMoveToThePlan) {
  PlanSearchArguments given;
  given.settings = {"experts.form=server", "nic.mtu=4096", "experts.routing=zipf",
                    "experts.zipf=1.2", "experts.compute=false"};
  const PlanRequest request = RequestBy(&given);
  EXPECT_EQ(given.settings, std::vector<std::string>{"nic.mtu=4096"});
  const std::map<std::string, std::string> experts = {
      {"compute", "false"}, {"form", "server"}, {"routing", "zipf"}, {"zipf", "1.2"}};
  EXPECT_EQ(request.experts, experts);
}

// Without a law all experts have as many tokens; a table in the plan would mean another law.
TEST(PlanSearchArguments, SettingsWithoutALawStay) {
  PlanSearchArguments given;
  given.settings = {"experts.form=server"};
  EXPECT_TRUE(RequestBy(&given).experts.empty());
  EXPECT_EQ(given.settings, std::vector<std::string>{"experts.form=server"});
}

TEST(PlanSearchArguments, ThePlansScheduleIsKeptUnlessOthersAreGiven) {
  PlanSearchArguments usual, kept, others;
  RequestBy(&usual);
  EXPECT_EQ(usual.schedules, "1f1b,interleaved");
  kept.replaced = others.replaced = {"schedule=zb-h1"};
  RequestBy(&kept);
  EXPECT_EQ(kept.schedules, "zb-h1");
  others.schedules = "gpipe";
  RequestBy(&others);
  EXPECT_EQ(others.schedules, "gpipe");
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
