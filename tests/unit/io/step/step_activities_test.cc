// SPDX-License-Identifier: GPL-2.0-only
#include "io/step/step_activities.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {
namespace {

struct ActivityRow {
  std::uint32_t gpu;
  std::int64_t operation, group;  ///< -1: it computed
  std::int64_t start, end;
  std::uint32_t job = 0;
};

Table ActivityTable(const std::vector<ActivityRow>& rows) {
  std::vector<std::uint32_t> job, gpu, layer;
  std::vector<std::string> phase;
  std::vector<std::int64_t> operation, group, start, end;
  for (const ActivityRow& row : rows) {
    job.push_back(row.job);
    gpu.push_back(row.gpu);
    layer.push_back(static_cast<std::uint32_t>(layer.size()));
    phase.emplace_back("ig");
    operation.push_back(row.operation);
    group.push_back(row.group);
    start.push_back(row.start);
    end.push_back(row.end);
  }
  return {"steps",
          "",
          {{"job", "1", "", job},
           {"gpu", "1", "", gpu},
           {"layer", "1", "", layer},
           {"phase", "1", "", phase},
           {"operation", "1", "", operation},
           {"group", "1", "", group},
           {"start_ps", "ps", "", start},
           {"end_ps", "ps", "", end}}};
}

StepActivities ActivitiesOf(const std::vector<ActivityRow>& rows,
                            const std::vector<std::string>& types = {"TP", "DP", "PP"}) {
  return {ActivityTable(rows), 0, types};
}

TEST(StepActivities, LeaveOutOtherJobsAndWhatTookNoTime) {
  EXPECT_TRUE(ActivitiesOf({}).empty());
  EXPECT_TRUE(ActivitiesOf({{0, -1, -1, 5, 5}, {0, -1, -1, 0, 9, 1}}).empty());
  EXPECT_EQ(ActivitiesOf({{0, -1, -1, 5, 5}}).LastUntil(0, 9), nullptr);
}

// GPU 0: until 10, 30, 30 and 30.
TEST(StepActivities, TheLastUntilATimeComputesOrBeganLast) {
  const StepActivities steps = ActivitiesOf({{0, -1, -1, 0, 10},
                                             {0, 0, 0, 12, 30},
                                             {0, -1, -1, 5, 30},
                                             {0, 1, 0, 20, 30},
                                             {1, -1, -1, 0, 25}});
  EXPECT_EQ(steps.LastUntil(0, 9), nullptr);
  EXPECT_EQ(steps.LastUntil(0, 10)->end_ps, 10);
  EXPECT_EQ(steps.LastUntil(0, 29)->end_ps, 10);
  EXPECT_TRUE(steps.LastUntil(0, 30)->computes());
  EXPECT_EQ(steps.LastUntil(0, 30)->layer, 2u) << "row 2";
  EXPECT_EQ(steps.LastUntil(0, 30)->phase, "ig");
  EXPECT_EQ(steps.LastUntil(1, 99)->end_ps, 25);
  EXPECT_EQ(steps.LastUntil(2, 99), nullptr) << "no GPU of the job";
  const StepActivities parts = ActivitiesOf({{0, 0, 0, 12, 30}, {0, 1, 0, 20, 30}});
  EXPECT_EQ(parts.LastUntil(0, 30)->operation, 1);
}

TEST(StepActivities, FindAPartByGpuAndOperation) {
  const StepActivities steps =
      ActivitiesOf({{0, 0, 0, 0, 10}, {2, 0, 1, 0, 20}, {0, 1, 0, 10, 30}, {0, -1, -1, 0, 5}});
  EXPECT_EQ(steps.PartOf(2, 0)->group, 1);
  EXPECT_EQ(steps.PartOf(0, 1)->end_ps, 30);
  EXPECT_EQ(steps.PartOf(2, 1), nullptr);
  EXPECT_EQ(steps.PartOf(0, 7), nullptr);
}

// Types of operations repeat: 0 and 3 are TP, 1 is DP, 2 is PP.
TEST(StepActivities, TheOneBeforeIsOfTheSameCommunicator) {
  const StepActivities steps = ActivitiesOf(
      {{0, 0, 0, 0, 40}, {0, 1, 0, 0, 50}, {0, 3, 0, 5, 90}, {0, 6, 1, 5, 95}, {1, 0, 0, 0, 60}});
  const Activity* third = steps.PartOf(0, 3);
  EXPECT_EQ(steps.Before(*third, 10, 90)->operation, 0) << "not operation 1, which is DP";
  EXPECT_EQ(steps.Before(*third, 40, 90), nullptr) << "it ended at 40, not after";
  EXPECT_EQ(steps.Before(*third, 10, 39), nullptr) << "it ended later";
  EXPECT_EQ(steps.Before(*steps.PartOf(0, 6), 10, 99), nullptr) << "another group of TP";
  EXPECT_EQ(steps.Before(*steps.PartOf(0, 0), 0, 99), nullptr) << "the later one is not before";
}

TEST(StepActivities, KnowMessagesBetweenStages) {
  const StepActivities steps = ActivitiesOf({{0, 1, 0, 0, 9}, {0, 2, 0, 0, 9}, {0, 5, 0, 0, 9}});
  EXPECT_FALSE(steps.IsBetweenStages(*steps.PartOf(0, 1)));
  EXPECT_TRUE(steps.IsBetweenStages(*steps.PartOf(0, 2)));
  EXPECT_TRUE(steps.IsBetweenStages(*steps.PartOf(0, 5))) << "of the next pass";
  const StepActivities unknown = ActivitiesOf({{0, 2, 0, 0, 9}}, {});
  EXPECT_FALSE(unknown.IsBetweenStages(*unknown.PartOf(0, 2)));
}

// Group 0 of operation 0: GPUs come at 5, 20 and 12; group 1: at 30 alone; operation 1: two at 8.
TEST(StepActivities, JoinsAreTheLastTwoOfAGroup) {
  const StepActivities steps = ActivitiesOf({{0, 0, 0, 5, 40},
                                             {1, 0, 0, 20, 40},
                                             {2, 0, 0, 12, 40},
                                             {3, 0, 1, 30, 40},
                                             {4, 1, 0, 8, 40},
                                             {5, 1, 0, 8, 40}});
  const StepActivities::Joins joins = steps.JoinsOf(0, 0);
  EXPECT_EQ(joins.last_gpu, 1u);
  EXPECT_EQ(joins.last_ps, 20);
  EXPECT_EQ(joins.second_ps, 12);
  EXPECT_EQ(steps.JoinsOf(0, 1).last_gpu, 3u);
  EXPECT_EQ(steps.JoinsOf(0, 1).second_ps, -1);
  EXPECT_EQ(steps.JoinsOf(1, 0).last_ps, 8);
  EXPECT_EQ(steps.JoinsOf(1, 0).second_ps, 8) << "nobody waited for one alone";
  EXPECT_EQ(steps.JoinsOf(2, 0).last_ps, -1);
}

}  // namespace
}  // namespace heddle
