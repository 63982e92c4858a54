// SPDX-License-Identifier: GPL-2.0-only
/// Patterns as ORCS's description has them, by hand; what its programs do is compared by
/// tests/regression/commands/orcs_cases.py.
#include "core/patterns/level_patterns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/patterns/grid_neighbours.h"

namespace heddle {

/// For messages of tests.
void PrintTo(const RankPair& pair, std::ostream* out) {
  *out << pair.source << ">" << pair.destination;
}

namespace {

using Pairs = std::vector<RankPair>;

std::vector<Pairs> LevelsOf(const std::string& text, std::uint32_t ranks,
                            std::uint32_t first_ranks = 2, std::uint64_t seed = 1) {
  const auto pattern = MakeLevelPattern({text, ranks, first_ranks, {}});
  RandomStream random(seed, 0, RandomPurpose::kLevelPattern);
  pattern->BeginRun(&random);
  std::vector<Pairs> levels;
  Pairs pairs;
  for (pattern->Level(0, &pairs); !pairs.empty(); pattern->Level(levels.size(), &pairs))
    levels.push_back(pairs);
  return levels;
}

TEST(LevelPatterns, HalvesTalkToEachOther) {
  EXPECT_EQ(LevelsOf("bisect", 7), (std::vector<Pairs>{{{0, 3}, {1, 4}, {2, 5}}}));
  EXPECT_EQ(LevelsOf("bisect_fb_sym", 4), (std::vector<Pairs>{{{0, 2}, {2, 0}, {1, 3}, {3, 1}}}));
}

TEST(LevelPatterns, TreesAndDoubling) {
  EXPECT_EQ(LevelsOf("tree", 6),
            (std::vector<Pairs>{{{0, 1}}, {{0, 2}, {1, 3}}, {{0, 4}, {1, 5}}}));
  EXPECT_EQ(LevelsOf("bruck", 3),
            (std::vector<Pairs>{{{0, 1}, {1, 2}, {2, 0}}, {{0, 2}, {1, 0}, {2, 1}}}));
  EXPECT_EQ(LevelsOf("recdbl", 5),
            (std::vector<Pairs>{
                {{0, 1}, {1, 0}, {2, 3}, {3, 2}}, {{0, 2}, {2, 0}, {1, 3}, {3, 1}}, {{0, 4}}}));
}

TEST(LevelPatterns, RingsRootsShiftsAndIncasts) {
  EXPECT_EQ(LevelsOf("ring", 3), (std::vector<Pairs>{{{0, 1}}, {{1, 2}}, {{2, 0}}}));
  EXPECT_EQ(LevelsOf("gather", 3), (std::vector<Pairs>{{{1, 0}, {2, 0}}}));
  EXPECT_EQ(LevelsOf("scatter", 3), (std::vector<Pairs>{{{0, 1}, {0, 2}}}));
  EXPECT_EQ(LevelsOf("shift:2", 3), (std::vector<Pairs>{{{0, 2}, {1, 0}, {2, 1}}}));
  EXPECT_EQ(LevelsOf("tornado", 6)[0][0], (RankPair{0, 2}));
  EXPECT_EQ(LevelsOf("incast:2", 5), (std::vector<Pairs>{{{1, 0}, {2, 0}, {4, 3}}}));
  EXPECT_TRUE(LevelsOf("null", 8).empty());
}

TEST(LevelPatterns, AllToAllMeetsEveryPairOnce) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const Pairs& level : LevelsOf("alltoall", 7)) {
    for (const RankPair& pair : level)
      EXPECT_TRUE(pairs.insert({pair.source, pair.destination}).second);
  }
  EXPECT_EQ(pairs.size(), 42u);
}

TEST(LevelPatterns, NeighboursLieOnGrids) {
  EXPECT_EQ(GridOf(24, 3), (std::vector<std::uint32_t>{2, 3, 4}));
  EXPECT_EQ(GridOf(7, 2), (std::vector<std::uint32_t>{1, 7}));
  EXPECT_EQ(LevelsOf("2neighbor", 4)[0],
            (Pairs{{0, 1}, {0, 3}, {1, 2}, {1, 0}, {2, 3}, {2, 1}, {3, 0}, {3, 2}}));
  const Pairs square = LevelsOf("4neighbor", 9)[0];
  EXPECT_EQ(square.size(), 36u);
  EXPECT_EQ(LevelsOf("6neighbor", 27)[0].size(), 162u);
  EXPECT_EQ(LevelsOf("4neighbor", 4)[0].size(), 8u) << "two places a dimension: each other once";
}

TEST(LevelPatterns, RandomIsADerangementOfAllEqually) {
  std::set<std::vector<std::uint32_t>> seen;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    std::vector<std::uint32_t> to;
    const std::vector<Pairs> levels = LevelsOf("rand", 4, 2, seed);
    for (const RankPair& pair : levels[0]) {
      EXPECT_NE(pair.source, pair.destination);
      to.push_back(pair.destination);
    }
    seen.insert(to);
  }
  EXPECT_EQ(seen.size(), 9u) << "4 ranks have nine derangements";
  EXPECT_TRUE(LevelsOf("rand", 1).empty());
}

TEST(LevelPatterns, ReceiversHaveTheirSenders) {
  EXPECT_EQ(LevelsOf("recvs_one_src:3,linear", 9), (std::vector<Pairs>{{{3, 0}, {4, 2}, {5, 1}}}));
  EXPECT_EQ(LevelsOf("recvs_all_src:2,linear", 6),
            (std::vector<Pairs>{{{2, 0}, {3, 1}, {4, 0}, {5, 1}}}));
  EXPECT_TRUE(LevelsOf("recvs_all_src:2,0,100", 6).empty()) << "all idle";
  const std::vector<Pairs> elsewhere = LevelsOf("recvs_all_src:2,0,0", 6);
  for (const RankPair& pair : elsewhere[0]) {
    EXPECT_GE(pair.destination, 2u);
    EXPECT_NE(pair.destination, pair.source);
  }
}

TEST(LevelPatterns, TwoPatternsAtOnce) {
  // The tree of 4 ranks has two levels; bisect, of one level, begins again.
  EXPECT_EQ(LevelsOf("ptrnvsptrn:tree::bisect", 6, 4),
            (std::vector<Pairs>{{{0, 1}, {4, 5}}, {{0, 2}, {1, 3}, {4, 5}}}));
  EXPECT_EQ(LevelsOf("ptrnvsptrn:null::ring", 5, 2).size(), 3u) << "a longer second goes on alone";
}

TEST(LevelPatterns, RefusesWhatIsNoPattern) {
  for (const char* text :
       {"foo", "bisect:1", "neighbor", "neighbor:3", "neighbor:x", "shift:0", "incast",
        "recvs_all_src:0", "recvs_all_src:2,101", "recvs_all_src:2,1,1,1", "ptrnvsptrn:tree",
        "ptrnvsptrn:tree::", "ptrnvsptrn:null::ptrnvsptrn:a::b"})
    EXPECT_THROW(MakeLevelPattern({text, 8, 2, {}}), UserError) << text;
  EXPECT_THROW(MakeLevelPattern({"ptrnvsptrn:tree::tree", 8, 8, {}}), UserError);
}

TEST(LevelPatterns, ArgumentsBeyondTheRanksAreNamedAsTheyCount) {
  const auto counts_as = [](const std::string& text, std::uint32_t ranks) {
    PatternRequest request;
    request.text = text;
    request.ranks = ranks;
    return PatternOfTheseRanks(request);
  };
  EXPECT_EQ(counts_as("incast:1000", 72), "incast:71");
  EXPECT_EQ(LevelsOf("incast:1000", 5), LevelsOf("incast:4", 5));
  EXPECT_EQ(counts_as("incast:71", 72), "");
  EXPECT_EQ(counts_as("shift:100", 72), "shift:28");
  EXPECT_EQ(LevelsOf("shift:7", 5), LevelsOf("shift:2", 5));
  EXPECT_EQ(counts_as("shift:71", 72), "");
  EXPECT_EQ(counts_as("tree", 72), "");
  EXPECT_EQ(counts_as("neighbor:4", 3), "");
}

}  // namespace
}  // namespace heddle
