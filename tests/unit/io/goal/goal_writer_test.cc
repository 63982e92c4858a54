// SPDX-License-Identifier: GPL-2.0-only
#include "io/goal/goal_writer.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "io/goal/goal_binary.h"
#include "io/goal/goal_text.h"

namespace heddle {
namespace {

const char* const kSchedule = R"(num_ranks 3

rank 0 {
l1: calc 1000
l2: send 1024b to 1 tag 5 cpu 1 nic 2
l3: recv 0b from -1 tag -1
l2 requires l1
l3 irequires l2
}

rank 1 {
l1: recv 1024b from 0 tag 5 cpu 1
l2: send 0b to 0 tag 4294967294
l2 requires l1
}

rank 2 {
}
)";

TEST(GoalWriter, WritesWhatItReads) {
  std::vector<std::string> warnings;
  const GoalSchedule schedule = ParseGoalText(kSchedule, "a.goal", &warnings);
  std::ostringstream text;
  WriteGoalText(schedule, &text);
  EXPECT_EQ(text.str(), kSchedule);
}

TEST(GoalWriter, TheBinaryFormIsTheSame) {
  std::vector<std::string> warnings;
  const GoalSchedule schedule = ParseGoalText(kSchedule, "a.goal", &warnings);
  std::ostringstream bytes, text;
  WriteGoalBinary(schedule, &bytes);
  WriteGoalText(ParseGoalBinary(bytes.str(), "a.bin"), &text);
  EXPECT_EQ(text.str(), kSchedule);
}

}  // namespace
}  // namespace heddle
