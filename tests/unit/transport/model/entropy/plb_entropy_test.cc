// SPDX-License-Identifier: GPL-2.0-only
/// Scheme plb: K = 0.5, M = 3, N = 12, rounds of 10 us.
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/transport/model/entropy/chooser_test_util.h"

namespace heddle::testing {
namespace {

class Plb : public Pair {
 public:
  explicit Plb(Settings more = {}, std::uint64_t seed = kSeed)
      : Pair(
            [&more] {
              more.insert(more.begin(), {"scheme", "plb"});
              return more;
            }(),
            seed) {}

  /// Feedback of a round, and the time at which the next feedback ends it.
  void Round(int good, int marked) {
    for (int i = 0; i < good; ++i) Hear(Next(), kGood);
    for (int i = 0; i < marked; ++i) Hear(Next(), kMarked);
    Wait(10);
  }
  void Rounds(int count) {
    for (int i = 0; i < count; ++i) Round(1, 1);
  }
  bool MovedByIdle() {
    const std::uint16_t before = Next();
    chooser.Idle(&state, now);
    return Next() != before;
  }
};

TEST(PlbEntropy, WithoutCongestionItIsFlow) {
  Plb pair;
  for (int i = 0; i < 50; ++i) {
    pair.Round(51, 49);
    EXPECT_FALSE(pair.MovedByIdle());
  }
  EXPECT_EQ(pair.Next(), Pair::kFirst);
}

TEST(PlbEntropy, MovesAfterTwelveRoundsInAnyCase) {
  Plb pair;
  pair.Rounds(12);
  EXPECT_EQ(pair.Next(), Pair::kFirst) << "the twelfth has not been ended by feedback";
  pair.Hear(Pair::kFirst, Pair::kGood);
  const std::uint16_t second = pair.Next();
  EXPECT_NE(second, Pair::kFirst);
  pair.Wait(10);  // that round had one packet, unmarked
  pair.Rounds(12);
  EXPECT_EQ(pair.Next(), second);
  pair.Hear(second, Pair::kGood);
  EXPECT_NE(pair.Next(), second);
}

TEST(PlbEntropy, MovesAfterThreeRoundsWhenIdle) {
  Plb pair;
  pair.Rounds(2);
  EXPECT_FALSE(pair.MovedByIdle());
  pair.Rounds(1);
  EXPECT_TRUE(pair.MovedByIdle());
  EXPECT_FALSE(pair.MovedByIdle()) << "the count begins anew";
  pair.Rounds(2);
  EXPECT_FALSE(pair.MovedByIdle());
  pair.Rounds(1);
  EXPECT_TRUE(pair.MovedByIdle());
}

TEST(PlbEntropy, AnUncongestedRoundClears) {
  Plb pair;
  pair.Rounds(11);
  pair.Round(51, 49);
  pair.Rounds(2);
  EXPECT_FALSE(pair.MovedByIdle());
  pair.Rounds(9);
  pair.Hear(Pair::kFirst, Pair::kGood);
  EXPECT_EQ(pair.Next(), Pair::kFirst) << "eleven in a row";
}

TEST(PlbEntropy, ARoundLastsTheBaseRoundTrip) {
  Plb pair;
  // Feedback each 4 us: rounds end at 12, 24, 36 us, each of three packets, two of them marked.
  for (int i = 0; i < 9; ++i) {
    pair.Hear(Pair::kFirst, i % 3 == 0 ? Pair::kGood : Pair::kMarked);
    pair.Wait(i == 8 ? 1 : 4);
  }
  EXPECT_FALSE(pair.MovedByIdle()) << "the third round lasts until 34 us";
  pair.now += PicoSeconds(999'999);
  EXPECT_FALSE(pair.MovedByIdle());
  pair.now += PicoSeconds(1);
  EXPECT_TRUE(pair.MovedByIdle());
}

TEST(PlbEntropy, TrimmedCountsAsMarked) {
  Plb pair;
  for (int i = 0; i < 3; ++i) {
    pair.Hear(Pair::kFirst, Pair::kTrimmed);
    pair.Hear(Pair::kFirst, Pair::kGood);
    pair.Wait(10);
  }
  EXPECT_TRUE(pair.MovedByIdle());
}

TEST(PlbEntropy, ShareAndRoundsAreOptions) {
  Plb quarter(Settings{{"plb_share", "0.25"}, {"plb_idle_rounds", "1"}});
  quarter.Round(76, 24);
  EXPECT_FALSE(quarter.MovedByIdle());
  quarter.Round(75, 25);
  EXPECT_TRUE(quarter.MovedByIdle());
  Plb quick(Settings{{"plb_rounds", "2"}, {"plb_idle_rounds", "9"}});
  quick.Rounds(2);
  EXPECT_TRUE(quick.MovedByIdle()) << "in any case";
}

TEST(PlbEntropy, ALossMovesAtOnceAndSuspends) {
  std::set<bool> moved;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Plb pair(Settings{{"plb_suspend", "1000us"}}, seed);
    pair.Hear(Pair::kFirst, Pair::kLost);
    const std::uint16_t second = pair.Next();
    EXPECT_NE(second, Pair::kFirst);
    pair.Hear(Pair::kFirst, Pair::kLost);
    EXPECT_EQ(pair.Next(), second) << "of a path that was left";
    pair.Rounds(99);  // until 990 us
    EXPECT_EQ(pair.Next(), second);
    pair.Rounds(51);  // until 1500 us: half of the suspensions have ended
    moved.insert(pair.Next() != second);
    const std::uint16_t third = pair.Next();
    pair.Rounds(65);  // until 2150 us: all have
    EXPECT_NE(pair.Next(), third);
  }
  EXPECT_EQ(moved.size(), 2U);
}

TEST(PlbEntropy, SuspendedTheCountIsClearedAllTheSame) {
  Plb pair(Settings{{"plb_suspend", "100us"}});
  pair.Hear(Pair::kFirst, Pair::kLost);
  const std::uint16_t second = pair.Next();
  pair.Rounds(10);
  EXPECT_FALSE(pair.MovedByIdle());  // ten rounds, cleared
  pair.Wait(200);
  pair.Rounds(2);
  EXPECT_FALSE(pair.MovedByIdle());
  pair.Rounds(1);
  EXPECT_TRUE(pair.MovedByIdle());
  EXPECT_NE(pair.Next(), second);
}

TEST(PlbEntropy, ALossClearsTheCount) {
  Plb pair(Settings{{"plb_suspend", "0"}});
  pair.Rounds(3);
  pair.Hear(Pair::kFirst, Pair::kLost);
  EXPECT_FALSE(pair.MovedByIdle());
}

TEST(PlbEntropy, PathsAreOfTheSetAndNeverTheSame) {
  Plb pair(Settings{{"paths", "3"}, {"plb_suspend", "0"}});
  std::set<std::uint16_t> met;
  for (int i = 0; i < 200; ++i) {
    const std::uint16_t before = pair.Next();
    pair.Hear(before, Pair::kLost);
    EXPECT_NE(pair.Next(), before);
    met.insert(pair.Next());
  }
  ASSERT_EQ(met.size(), 3U);
  EXPECT_EQ(*met.begin() % 4, 0);
  EXPECT_EQ(*met.rbegin(), *met.begin() + 2);
  Plb one(Settings{{"paths", "1"}, {"plb_suspend", "0"}});
  one.Hear(Pair::kFirst, Pair::kLost);
  const std::uint16_t only = one.Next();
  one.Hear(only, Pair::kLost);
  EXPECT_EQ(one.Next(), only);
}

}  // namespace
}  // namespace heddle::testing
