// SPDX-License-Identifier: GPL-2.0-only
#include "io/goal/goal_labels.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle {
namespace {

TEST(GoalLabels, FindsEachLabelOfARank) {
  GoalLabels labels;
  for (const int round : {0, 1}) {
    EXPECT_EQ(labels.Find("l1"), GoalLabels::kNone) << round;
    for (std::uint32_t i = 0; i < 5000; ++i)
      EXPECT_EQ(labels.Add("l" + std::to_string(i), 2 * i), GoalLabels::kNone);
    EXPECT_EQ(labels.Add("l77", 1), 154u);
    for (std::uint32_t i = 0; i < 5000; ++i) EXPECT_EQ(labels.Find("l" + std::to_string(i)), 2 * i);
    EXPECT_EQ(labels.Find("l5000"), GoalLabels::kNone);
    EXPECT_EQ(labels.Find("l"), GoalLabels::kNone);
    EXPECT_EQ(labels.Find(""), GoalLabels::kNone);
    labels.Clear();
  }
}

}  // namespace
}  // namespace heddle
