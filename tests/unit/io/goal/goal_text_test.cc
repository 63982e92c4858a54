// SPDX-License-Identifier: GPL-2.0-only
#include "io/goal/goal_text.h"

#include "tests/support/io_test_util.h"

namespace heddle {
namespace {

using Kind = GoalOperation::Kind;

GoalSchedule ParseText(const std::string& text) {
  std::vector<std::string> warnings;
  GoalSchedule schedule = ParseGoalText(text, "a.goal", &warnings);
  EXPECT_TRUE(warnings.empty());
  return schedule;
}

std::string RefusedText(const std::string& text) {
  std::vector<std::string> warnings;
  return MessageOf([&] { ParseGoalText(text, "a.goal", &warnings); });
}

/// A rank with these lines; its first is line 3.
std::string One(const std::string& lines) { return "num_ranks 1\nrank 0 {\n" + lines + "}\n"; }

TEST(GoalText, ReadsOperationsAndDependencies) {
  const GoalSchedule schedule = ParseText(
      "// two ranks\nnum_ranks 2\n\n/* the\nfirst */ rank 0 {\r\nl1: calc 1000\nl2: send 1024b to "
      "1 "
      "tag 5 cpu 1 nic 2\nl2 requires l1\n}\nrank 1 {\nl1:recv 1024b from -1 tag -1 // any\n  calc "
      "0\nl_2 : calc 500 cpu 255\nl_2 irequires l1\nl_2 requires l1\n}\n");
  ASSERT_EQ(schedule.ranks.size(), 2u);
  EXPECT_TRUE(schedule.is_text);
  const GoalRank& first = schedule.ranks[0];
  ASSERT_EQ(first.operations.size(), 2u);
  EXPECT_EQ(first.operations[0].kind, Kind::kCalc);
  EXPECT_EQ(first.operations[0].amount, 1000);
  EXPECT_EQ(first.operations[0].after_end, 1u);
  EXPECT_EQ(first.operations[0].line, 6u);
  const GoalOperation& send = first.operations[1];
  EXPECT_EQ(send.kind, Kind::kSend);
  EXPECT_EQ(send.amount, 1024);
  EXPECT_EQ(send.peer, 1u);
  EXPECT_EQ(send.tag, 5u);
  EXPECT_EQ(send.cpu, 1);
  EXPECT_EQ(send.nic, 2);
  EXPECT_EQ(send.waits, 1u);
  EXPECT_EQ(first.followers, std::vector<std::uint32_t>{1});
  const GoalRank& second = schedule.ranks[1];
  ASSERT_EQ(second.operations.size(), 3u);
  EXPECT_EQ(second.operations[0].kind, Kind::kReceive);
  EXPECT_EQ(second.operations[0].peer, GoalOperation::kAny);
  EXPECT_EQ(second.operations[0].tag, GoalOperation::kAny);
  EXPECT_EQ(second.operations[0].after_end, 1u);
  EXPECT_EQ(second.operations[0].after_start, 1u);
  EXPECT_EQ(second.operations[2].waits, 2u);
  EXPECT_EQ(second.operations[2].cpu, 255);
  EXPECT_EQ(second.followers, (std::vector<std::uint32_t>{2, 2}));
}

TEST(GoalText, SaysWhereAnOperationIs) {
  const GoalSchedule schedule = ParseText(One("calc 1\nl: recv 3b from 0 tag 7\n"));
  EXPECT_EQ(schedule.PlaceOf(0, 1), "a.goal:4");
  EXPECT_EQ(Describe(schedule.ranks[0].operations[0]), "a calc of 1 ns");
  EXPECT_EQ(Describe(schedule.ranks[0].operations[1]), "a receive from 0, tag 7");
}

TEST(GoalText, RanksMayComeInAnyOrder) {
  const GoalSchedule schedule =
      ParseText("num_ranks 2\nrank 1 {\ncalc 1\n}\nrank 0 {\nsend 4b to 1 nic 1 tag 2\n}\n");
  EXPECT_EQ(schedule.ranks[1].operations[0].amount, 1);
  EXPECT_EQ(schedule.ranks[0].operations[0].tag, 2u);
}

TEST(GoalText, TextBehindTheLastRankIsAWarning) {
  std::vector<std::string> warnings;
  ParseGoalText("num_ranks 1\nrank 0 {\n}\nmade by hand\nmore\n", "a.goal", &warnings);
  EXPECT_EQ(warnings,
            std::vector<std::string>{"a.goal:4: what stands behind the last rank is not read"});
}

TEST(GoalText, RefusesHeads) {
  EXPECT_EQ(RefusedText(""), "a.goal: an empty file. Expected: 'num_ranks NUMBER'");
  EXPECT_EQ(RefusedText("ranks 2\n"), "a.goal:1: \"ranks\". Expected: 'num_ranks NUMBER'");
  EXPECT_EQ(RefusedText("num_ranks 0\n"),
            "a.goal:1: \"0\". Expected: a number of ranks from 1 to 1048576");
  EXPECT_EQ(RefusedText("num_ranks 1000000\n"),
            "a.goal:1: 1000000 ranks in a file of 18 bytes. Expected: a block 'rank NUMBER {' for "
            "each rank");
}

TEST(GoalText, RefusesRanks) {
  const std::string two = "num_ranks 2\nrank 0 {\n}\n";
  EXPECT_EQ(RefusedText(two + "rank 0 {\n}\n"),
            "a.goal:4: rank 0 again, first in line 2. Expected: each rank once");
  EXPECT_EQ(RefusedText(two + "rank 2 {\n}\n"),
            "a.goal:4: \"2\". Expected: the number of a rank from 0 to 1");
  EXPECT_EQ(RefusedText(two),
            "a.goal: 1 of 2 ranks are missing, the first is 1. Expected: 'rank NUMBER {' for each "
            "of num_ranks");
  EXPECT_EQ(RefusedText(two + "rank 1\n"),
            "a.goal:4: no '{' behind the rank. Expected: 'rank NUMBER {'");
  EXPECT_EQ(RefusedText(two + "rank 1 {\ncalc 1\n"),
            "a.goal:5: the block of rank 1 does not end. Expected: '}'");
  EXPECT_EQ(RefusedText(two + "calc 5\n"), "a.goal:4: \"calc 5\". Expected: 'rank NUMBER {'");
}

TEST(GoalText, RefusesLabels) {
  EXPECT_EQ(RefusedText(One("a: calc 1\na: calc 2\n")),
            "a.goal:4: label a again, first in line 3. Expected: labels that differ within a rank");
  EXPECT_EQ(RefusedText(One("a: calc 1\na requires b\n")),
            "a.goal:4: label \"b\" is not defined above. Expected: a label of an operation of this "
            "rank");
  EXPECT_EQ(RefusedText(One("1a: calc 1\n")),
            "a.goal:3: label \"1a\". Expected: a letter, then letters, digits and underscores");
}

TEST(GoalText, RefusesValues) {
  EXPECT_EQ(RefusedText(One("send 5 to 0\n")),
            "a.goal:3: size \"5\". Expected: a number of bytes and 'b', such as 1024b");
  EXPECT_EQ(RefusedText(One("send 99999999999999999999b to 0\n")),
            "a.goal:3: \"99999999999999999999\". Expected: a number of bytes from 0 to "
            "1099511562240");
  EXPECT_EQ(RefusedText(One("send 5b to 1\n")), "a.goal:3: \"1\". Expected: a rank from 0 to 0");
  EXPECT_EQ(RefusedText(One("send 5b to -1\n")), "a.goal:3: \"-1\". Expected: a rank from 0 to 0");
  EXPECT_EQ(RefusedText(One("send 5b from 0\n")), "a.goal:3: \"from\". Expected: 'to'");
  EXPECT_EQ(RefusedText(One("calc 8640000000000001\n")),
            "a.goal:3: \"8640000000000001\". Expected: a time in ns from 0 to 8640000000000000");
  EXPECT_EQ(RefusedText(One("calc 1 cpu 256\n")),
            "a.goal:3: \"256\". Expected: a number of 8 bits from 0 to 255");
  EXPECT_EQ(RefusedText(One("calc 1 nic 1\n")),
            "a.goal:3: \"nic\". Expected: 'cpu NUMBER', or the end of the line");
  EXPECT_EQ(RefusedText(One("recv 1b from 0 tag 4294967295\n")),
            "a.goal:3: \"4294967295\". Expected: a tag from 0 to 4294967294");
  EXPECT_EQ(
      RefusedText(One("recv 1b from 0 tag 1 tag 1\n")),
      "a.goal:3: \"tag\" again. Expected: 'tag', 'cpu' and 'nic' with a number, each once, or "
      "the end of the line");
}

TEST(GoalText, RefusesOtherWordsByName) {
  EXPECT_EQ(
      RefusedText(One("l: tput 5b to 0 when 1 reaches 2 tag 1\n")),
      "a.goal:3: \"tput\", an operation of LogGOPSim2's dialect, which is not read. Expected: "
      "send, recv or calc");
  EXPECT_EQ(RefusedText(One("l: wait\n")).substr(0, 27), "a.goal:3: \"wait\". Expected:");
  EXPECT_EQ(RefusedText(One("calc 1\n/* open\n")),
            "a.goal:5: the comment of line 4 does not end. Expected: */");
}

TEST(GoalText, RefusesCycles) {
  EXPECT_EQ(
      RefusedText(One("a: calc 1\nb: calc 2\nc: calc 3\nb requires a\na irequires c\nc requires "
                      "b\nd: calc 1\nd requires c\n")),
      "a.goal:3: rank 0: the operations of lines 3, 5, 4 wait each for the next, and the last "
      "for the first. Expected: dependencies without a cycle");
  EXPECT_EQ(RefusedText(One("a: calc 1\na requires a\n")),
            "a.goal:3: rank 0: the operation waits for itself. Expected: dependencies without a "
            "cycle");
}

TEST(GoalText, DamagedTextGivesErrorsOnly) {
  ExpectOnlyErrors(
      "num_ranks 2\nrank 0 {\na: calc 3\nb: send 8b to 1 tag 2\nb requires a\n}\nrank "
      "1 {\nrecv 8b from -1 tag -1\n}\n",
      [](const std::string& text) {
        std::vector<std::string> warnings;
        ParseGoalText(text, "a.goal", &warnings);
      });
}

}  // namespace
}  // namespace heddle
