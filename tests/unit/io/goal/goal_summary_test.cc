// SPDX-License-Identifier: GPL-2.0-only
#include "io/goal/goal_summary.h"

#include "io/goal/goal_file.h"
#include "io/goal/goal_text.h"
#include "tests/support/io_test_util.h"

namespace heddle {
namespace {

GoalSchedule ScheduleOf(const std::string& text) {
  std::vector<std::string> warnings;
  return ParseGoal(text, "a.goal", &warnings);
}

std::string RefusedMessages(const std::string& text) {
  return MessageOf([&] { CheckGoalMessages(ScheduleOf(text)); });
}

TEST(GoalSummary, CountsWhatThereIs) {
  const GoalSummary sum = Summarize(ScheduleOf(
      "num_ranks 3\nrank 0 {\na: calc 100\nb: calc 50 cpu 2\nb requires a\nc: calc 500\nc "
      "irequires b\nd: send 10b to 1 nic 3\nd requires c\ne: send 7b to 0\nrecv 7b from 0\n}\nrank "
      "1 "
      "{\nrecv 10b from -1\ncalc 599\n}\nrank 2 {\n}\n"));
  EXPECT_EQ(sum.ranks, 3u);
  EXPECT_EQ(sum.idle_ranks, 1u);
  EXPECT_EQ(sum.sends, 2u);
  EXPECT_EQ(sum.receives, 2u);
  EXPECT_EQ(sum.calcs, 4u);
  EXPECT_EQ(sum.operations(), 8u);
  EXPECT_EQ(sum.dependencies, 3u);
  EXPECT_EQ(sum.any_receives, 1u);
  EXPECT_EQ(sum.own_sends, 1u);
  EXPECT_EQ(sum.sent_bytes, 17);
  EXPECT_EQ(sum.largest_message, 10);
  EXPECT_EQ(sum.calc_ns, 1249);
  EXPECT_EQ(sum.highest_cpu, 2u);
  EXPECT_EQ(sum.highest_nic, 3u);
  EXPECT_EQ(sum.longest_chain_ns, 600);  // c starts with b, after a
  EXPECT_EQ(sum.longest_chain_rank, 0u);
  EXPECT_EQ(sum.messages.sends_alone + sum.messages.receives_alone + sum.messages.sizes_differ, 0u);
}

/// Ends of more destinations than groups, and more of one than a part.
TEST(GoalMessages, AWindowFindsTheSame) {
  std::string text = "num_ranks 1500\n";
  for (int rank = 0; rank < 1500; ++rank) {
    text += "rank " + std::to_string(rank) + " {\n";
    const std::string next = std::to_string((rank + 7) % 1500);
    for (int i = 0; i < (rank == 3 ? 200 : 2); ++i)
      text +=
          "send " + std::to_string(8 + i) + "b to " + next + " tag " + std::to_string(i % 5) + "\n";
    const int from = (rank + 1493) % 1500;
    for (int i = 0; i < (from == 3 ? 199 : 2); ++i)
      text += "recv 8b from " + std::to_string(from) + " tag " + std::to_string(i % 5) + "\n";
    if (rank == 1400 || rank == 1200) text += "recv 8b from 0 tag 9\n";
    text += "}\n";
  }
  std::vector<std::string> warnings;
  GoalBytes bytes(text, "a.goal");
  const GoalSchedule spilled = ParseGoalText(&bytes, 1, &warnings);
  ASSERT_NE(spilled.store, nullptr);
  const GoalMessages some = MatchGoalMessages(spilled), all = MatchGoalMessages(ScheduleOf(text));
  EXPECT_EQ(some.sends_alone, 1u);
  EXPECT_EQ(some.receives_alone, 2u);
  EXPECT_EQ(some.sizes_differ, all.sizes_differ);
  EXPECT_EQ(some.receive_alone.rank, 1200u);
  for (const auto at : {&GoalMessages::send_alone, &GoalMessages::receive_alone,
                        &GoalMessages::receive_of_other_size, &GoalMessages::send_of_other_size}) {
    EXPECT_EQ((some.*at).rank, (all.*at).rank);
    EXPECT_EQ((some.*at).operation, (all.*at).operation);
  }
  EXPECT_EQ(MessageOf([&] { CheckGoalMessages(spilled); }), RefusedMessages(text));
}

TEST(GoalMessages, NamesAReceiveWithoutASend) {
  EXPECT_EQ(
      RefusedMessages("num_ranks 2\nrank 0 {\nsend 8b to 1 tag 1\n}\nrank 1 {\nrecv 8b from 0 "
                      "tag 1\nrecv 8b from 0 tag 2\nrecv 8b from 0 tag 1\n}\n"),
      "a.goal:8: rank 1 has a receive from 0, tag 1 without a send; there are 2 such receives "
      "and 0 such sends. Expected: a send for each receive, with the same source, destination "
      "and tag");
}

TEST(GoalMessages, NamesASendWithoutAReceive) {
  EXPECT_EQ(RefusedMessages("num_ranks 2\nrank 0 {\nsend 8b to 1 tag 1\n}\nrank 1 {\ncalc 1\n}\n")
                .substr(0, 60),
            "a.goal:3: rank 0 has a send to 1, tag 1 without a receive; t");
}

TEST(GoalMessages, OfWildcardsOnlyTheSumsCount) {
  const std::string head =
      "num_ranks 2\nrank 0 {\nsend 8b to 1 tag 1\nsend 9b to 1 tag 2\n}\nrank 1 "
      "{\nrecv 8b from -1 tag -1\n";
  EXPECT_EQ(CheckGoalMessages(ScheduleOf(head + "recv 8b from 0 tag 1\n}\n")), "");
  EXPECT_NE(RefusedMessages(head + "}\n"), "");
}

TEST(GoalMessages, OtherSizesAreAWarning) {
  EXPECT_EQ(CheckGoalMessages(ScheduleOf("num_ranks 2\nrank 0 {\nsend 8b to 1\nsend 9b to "
                                         "1\n}\nrank 1 {\nrecv 8b from 0\nrecv 8b from 0\n}\n")),
            "a.goal:8: rank 1 has a receive from 0, tag 0 of 8 bytes, and the send has 9 bytes; "
            "sends decide (sizes differ in 1 of the messages)");
}

}  // namespace
}  // namespace heddle
