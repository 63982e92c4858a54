// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/pipeline/known_schedules.h"

#include <gtest/gtest.h>

#include "collectives/pipeline/make_table.h"
#include "core/base/check.h"
#include "core/options/options.h"
#include "tests/support/message_of.h"
#include "tests/unit/collectives/pipeline/pipeline_test_util.h"

namespace heddle {
namespace {

std::string Refused(const std::string& word, std::uint32_t stages, std::uint32_t micro_batches,
                    std::int64_t group = 0) {
  PipelineOptions options;
  options.schedule = word;
  options.group = group;
  return MessageOf([&] { MakePipelineTable(options, stages, micro_batches, "w.txt"); });
}

TEST(PipelineOptions, PairsAreOfSchedulesThatHaveThem) {
  PipelineOptions options;
  options.overlap_experts = true;
  EXPECT_EQ(MessageOf([&] { MakePipelineTable(options, 2, 4, "w.txt"); }),
            "w.txt: pipeline.overlap_experts=true: pipeline.schedule=1f1b does no forward beside a "
            "backward. Expected: interleaved, dualpipe, dualpipev, or one stage");
  EXPECT_EQ(MakePipelineTable(options, 1, 4, "w.txt").order[0].size(), 8u);
  for (const char* word : {"interleaved", "dualpipe", "dualpipev"}) {
    options.schedule = word;
    EXPECT_EQ(MakePipelineTable(options, 2, 4, "w.txt").order.size(), 2u) << word;
  }
}

TEST(PipelineOptions, KeysSetTheirFields) {
  PipelineOptions options;
  OptionSet set;
  options.Declare(&set);
  EXPECT_EQ(set.options().size(), 5u);
  EXPECT_EQ(options.schedule, KnownSchedules().front().word);
  for (const std::string& word : ScheduleWords()) {
    set.Set("pipeline.schedule", word);
    EXPECT_EQ(options.schedule, word);
    EXPECT_EQ(options.File(), "");
  }
  set.Set("pipeline.schedule", "file:mine.txt");
  EXPECT_EQ(options.File(), "mine.txt");
  set.Set("pipeline.chunks", "4");
  set.Set("pipeline.group", "16");
  EXPECT_EQ(options.chunks, 4);
  EXPECT_EQ(options.group, 16);
  set.Set("pipeline.senders", "wait");
  EXPECT_TRUE(options.senders_wait());
  set.Set("pipeline.overlap_experts", "true");
  EXPECT_TRUE(options.overlap_experts);
  EXPECT_EQ(MessageOf([&] { set.Set("pipeline.schedule", "dualpip"); }),
            "option pipeline.schedule: found 'dualpip'. Expected: 1f1b, interleaved, gpipe, zb-h1, "
            "dualpipe, dualpipev, or file:NAME; the nearest is dualpipe");
  EXPECT_THROW(set.Set("pipeline.schedule", "file:"), UserError);
}

TEST(KnownSchedules, TablesHaveTheirNames) {
  PipelineOptions options;
  for (const std::string& word : ScheduleWords()) {
    options.schedule = word;
    const PipelineTable table = MakePipelineTable(options, 4, 8, "w.txt");
    EXPECT_EQ(table.name, word);
    EXPECT_EQ(table.order.size(), 4u);
    EXPECT_EQ(DescribeSchedule(options, 4),
              word == "interleaved" ? "interleaved, 2 chunks in groups of 4" : word);
  }
}

TEST(KnownSchedules, RefusalsNameTheNearestThatIsLegal) {
  EXPECT_EQ(Refused("interleaved", 4, 13, 5),
            "w.txt: pipeline.schedule=interleaved: 13 micro-batches (ga) in groups of 5 on 4 "
            "pipeline stages (pp). Expected: pipeline.group=7, as a group, the last one too, has a "
            "micro-batch for each stage");
  EXPECT_EQ(Refused("interleaved", 4, 3),
            "w.txt: pipeline.schedule=interleaved: 3 micro-batches (ga) in groups of 4 on 4 "
            "pipeline stages (pp). Expected: 4 micro-batches or more, one for each stage");
  EXPECT_EQ(Refused("dualpipe", 5, 20),
            "w.txt: pipeline.schedule=dualpipe: 5 pipeline stages (pp). Expected: an even number, "
            "such as 6, as micro-batches enter at both ends");
  EXPECT_EQ(Refused("dualpipe", 4, 7),
            "w.txt: pipeline.schedule=dualpipe: 7 micro-batches (ga) on 4 pipeline stages (pp). "
            "Expected: an even number from 8 on, such as 8");
  EXPECT_NE(Refused("dualpipe", 4, 13).find("an even number from 8 on, such as 14"),
            std::string::npos);
  EXPECT_EQ(Refused("dualpipev", 4, 7),
            "w.txt: pipeline.schedule=dualpipev: 7 micro-batches (ga) on 4 pipeline stages (pp). "
            "Expected: 8 or more");
  EXPECT_EQ(
      Refused("gpipe", 4096, 100'000),
      "w.txt: pipeline.schedule=gpipe: 100000 micro-batches (ga) on 4096 pipeline stages (pp) "
      "make 1229 million tasks. Expected: at most 16 million");
}

/// What is proposed is legal.
TEST(KnownSchedules, NearestGroupsAreLegal) {
  const ScheduleRow* const row = FindSchedule("interleaved");
  int proposed = 0;
  for (std::uint32_t stages = 2; stages <= 6; ++stages) {
    for (std::uint32_t m = stages; m <= 30; ++m) {
      for (std::uint32_t group = 1; group <= 30; ++group) {
        const std::string refusal = row->refuse({stages, m, 2, group});
        if (refusal.empty()) continue;
        const std::string key = "pipeline.group=";
        const std::size_t at = refusal.find(key);
        ASSERT_NE(at, std::string::npos) << refusal;
        const auto nearest =
            static_cast<std::uint32_t>(std::stoul(refusal.substr(at + key.size())));
        EXPECT_EQ(row->refuse({stages, m, 2, nearest}), "");
        ++proposed;
      }
    }
  }
  EXPECT_GT(proposed, 100);
}

TEST(KnownSchedules, AFileIsOfItsOwnSizes) {
  PipelineOptions options;
  PipelineTable table = TableOf("gpipe", {2, 3});
  table.name = "mine.txt";
  options.schedule = "file:mine.txt";
  options.own = std::make_shared<PipelineTable>(table);
  EXPECT_EQ(MakePipelineTable(options, 2, 3, "w.txt").name, "mine.txt");
  EXPECT_EQ(DescribeSchedule(options, 2), "mine.txt");
  EXPECT_EQ(MessageOf([&] { MakePipelineTable(options, 4, 3, "w.txt"); }),
            "w.txt: pipeline.schedule=mine.txt: 3 micro-batches (ga) on 4 pipeline stages (pp). "
            "Expected: 3 on 2, as the table has");
}

}  // namespace
}  // namespace heddle
