// SPDX-License-Identifier: GPL-2.0-only
/// Patterns written as pairs: what is read, and which line is wrong.
#include "io/input/pair_levels_csv.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/check.h"

namespace heddle {
namespace {

TEST(PairLevelsCsv, ReadsLevelsInAnyOrder) {
  const ListedLevels levels = ParsePairLevels(
      "\xEF\xBB\xBFsource,destination,level\r\n# nothing\n2, 3 ,7\n\n0,1\n1,0,0\n", "p.csv", 4);
  ASSERT_EQ(levels.size(), 2u) << "levels without a line are passed over";
  EXPECT_EQ(levels[0], (std::vector<RankPair>{{0, 1}, {1, 0}}));
  EXPECT_EQ(levels[1], (std::vector<RankPair>{{2, 3}}));
}

TEST(PairLevelsCsv, NamesTheWrongLine) {
  const struct {
    const char *text, *message;
  } cases[] = {{"", "p.csv"},
               {"source,destination\n", "no pair"},
               {"0,1\n0\n", "p.csv:2: 1 columns"},
               {"0,1,2,3\n", "p.csv:1: 4 columns"},
               {"0,1\n1,4\n", "p.csv:2: destination \"4\""},
               {"-1,1\n", "p.csv:1: source \"-1\""},
               {"0,1,1000000\n", "p.csv:1: level \"1000000\""},
               {"2,2\n", "p.csv:1: rank 2 sends to itself"}};
  for (const auto& one : cases) {
    try {
      ParsePairLevels(one.text, "p.csv", 4);
      FAIL() << one.text;
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find(one.message), std::string::npos) << error.what();
    }
  }
}

TEST(ListedLevels, EqualLevelsAreKeptOnceAndStayInOrder) {
  ListedLevels levels;
  const std::vector<RankPair> there = {{0, 1}}, back = {{1, 0}};
  for (int i = 0; i < 3; ++i) {
    levels.Add(there);
    levels.Add(back);
    levels.Add({});
  }
  ASSERT_EQ(levels.size(), 6u);
  EXPECT_EQ(levels[4], there);
  EXPECT_EQ(levels[5], back);
  EXPECT_EQ(&levels[0], &levels[4]);
  const auto pattern = MakeListedPattern(std::make_shared<const ListedLevels>(levels));
  std::vector<RankPair> pairs;
  pattern->Level(5, &pairs);
  EXPECT_EQ(pairs, back);
  pattern->Level(6, &pairs);
  EXPECT_TRUE(pairs.empty());
}

}  // namespace
}  // namespace heddle
