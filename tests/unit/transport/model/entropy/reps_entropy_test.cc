// SPDX-License-Identifier: GPL-2.0-only
/// Schemes reps and mixed: traces by hand. What is random is known from the stream (Drawn).
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/transport/model/entropy/chooser_test_util.h"

namespace heddle::testing {
namespace {

constexpr int kPaths = 64;

class Reps : public Pair {
 public:
  explicit Reps(Settings more = {})
      : Pair([&more] {
          more.insert(more.begin(), {{"scheme", "reps"}, {"paths", std::to_string(kPaths)}});
          return more;
        }()) {}

  void Good(const Entropies& values) {
    for (const std::uint16_t value : values) Hear(value, kGood);
  }
  Drawn drawn{kPaths};
};

TEST(RepsEntropy, AtFirstAllAreRandom) {
  Reps pair;
  EXPECT_EQ(pair.Next(200), pair.drawn.Next(200));
}

TEST(RepsEntropy, AnUnmarkedOneIsUsedOnceMore) {
  Reps pair;
  const std::uint16_t a = pair.drawn.At(5), b = pair.drawn.At(9);
  pair.Good({a, b, a});
  EXPECT_EQ(pair.Next(3), (Entropies{a, b, a}));
  EXPECT_EQ(pair.Next(5), pair.drawn.Next(5));
  pair.Good({b});
  EXPECT_EQ(pair.Next(), b);
  EXPECT_EQ(pair.Next(), pair.drawn.Next());
}

TEST(RepsEntropy, MarkedTrimmedAndForeignOnesAreNot) {
  Reps pair;
  pair.Hear(pair.drawn.At(5), Pair::kMarked);
  pair.Hear(pair.drawn.At(5), Pair::kTrimmed);
  pair.Hear(static_cast<std::uint16_t>(pair.drawn.At(5) ^ 0x8000), Pair::kGood);
  EXPECT_EQ(pair.Next(5), pair.drawn.Next(5));
}

TEST(RepsEntropy, TheRingKeepsTheNewest) {
  Reps pair(Settings{{"reps_ring", "3"}});
  Entropies e;
  for (std::uint32_t i = 0; i < 9; ++i) e.push_back(pair.drawn.At(i));
  pair.Good({e[0], e[1], e[2], e[3], e[4]});
  EXPECT_EQ(pair.Next(3), (Entropies{e[2], e[3], e[4]}));
  EXPECT_EQ(pair.Next(), pair.drawn.Next());
  // Partly used: slots hold 5, 6 (used), 7; a newer one overwrites the oldest slot, not the used.
  pair.Good({e[5], e[6]});
  EXPECT_EQ(pair.Next(), e[5]);
  pair.Good({e[7], e[8]});
  EXPECT_EQ(pair.Next(3), (Entropies{e[6], e[7], e[8]}));
  EXPECT_EQ(pair.Next(), pair.drawn.Next());
}

TEST(RepsEntropy, EightByDefaultAndSixteenAtMost) {
  for (const int k : {8, 16, 1}) {
    Reps pair(k == 8 ? Settings{} : Settings{{"reps_ring", std::to_string(k)}});
    Entropies e;
    for (std::uint32_t i = 0; i < 40; ++i) e.push_back(pair.drawn.At(i));
    pair.Good(e);
    EXPECT_EQ(pair.Next(k), Entropies(e.end() - k, e.end()));
    EXPECT_EQ(pair.Next(), pair.drawn.Next());
  }
}

TEST(RepsEntropy, FrozenTheRingIsUsedInTurn) {
  Reps pair(Settings{{"reps_ring", "3"}, {"reps_freeze", "50us"}});
  Entropies e;
  for (std::uint32_t i = 0; i < 6; ++i) e.push_back(pair.drawn.At(i));
  pair.Good({e[0], e[1], e[2], e[3]});  // slots 3, 1, 2
  EXPECT_EQ(pair.Next(), e[1]);
  pair.Hear(e[5], Pair::kLost);
  EXPECT_EQ(pair.Next(7), (Entropies{e[1], e[2], e[3], e[1], e[2], e[3], e[1]}));
  pair.Wait(50);
  pair.Hear(e[0], Pair::kMarked);  // not later than the freeze
  EXPECT_EQ(pair.Next(), e[2]);
  pair.Good({e[4]});  // still learns: into the oldest slot, that of 1
  EXPECT_EQ(pair.Next(3), (Entropies{e[3], e[4], e[2]}));
  pair.Hear(e[0], Pair::kLost);  // does not lengthen it
  pair.now += PicoSeconds(1);
  EXPECT_EQ(pair.Next(), e[3]);  // thaws by feedback, not by itself
  pair.Hear(e[0], Pair::kMarked);
  EXPECT_EQ(pair.Next(), pair.drawn.Next());
}

TEST(RepsEntropy, FrozenWithPartOfARing) {
  Reps pair(Settings{{"reps_ring", "4"}});
  const std::uint16_t a = pair.drawn.At(1), b = pair.drawn.At(2), c = pair.drawn.At(3);
  pair.Hear(a, Pair::kLost);
  EXPECT_EQ(pair.Next(3), pair.drawn.Next(3)) << "nothing is known: random";
  pair.Good({a, b});
  EXPECT_EQ(pair.Next(4), (Entropies{a, b, a, b}));
  pair.Good({c});
  EXPECT_EQ(pair.Next(4), (Entropies{a, b, c, a}));
}

TEST(RepsEntropy, ThawedAsInHtsim16AreRandomAndTheRingIsEmpty) {
  Reps pair(Settings{{"reps_freeze", "50us"}});
  const std::uint16_t a = pair.drawn.At(1), b = pair.drawn.At(2), c = pair.drawn.At(3);
  pair.Good({a, b});
  pair.Hear(a, Pair::kLost);
  pair.Wait(51);
  pair.Good({c});
  EXPECT_EQ(pair.Next(3), pair.drawn.Next(3));
  pair.Hear(a, Pair::kLost);  // exploring: no new freeze
  EXPECT_EQ(pair.Next(13), pair.drawn.Next(13));
  EXPECT_EQ(pair.Next(), c) << "the ring, of which only c is left";
  EXPECT_EQ(pair.Next(2), pair.drawn.Next(2));
  pair.Hear(c, Pair::kLost);
  EXPECT_EQ(pair.Next(2), (Entropies{c, c})) << "frozen again";
}

TEST(RepsEntropy, ThawedAsInThePaperEveryEighthIsRandom) {
  Reps pair(Settings{{"reps_freeze", "50us"}, {"reps_thaw", "paper"}, {"reps_explore", "20"}});
  Entropies e;
  for (std::uint32_t i = 0; i < 8; ++i) e.push_back(pair.drawn.At(i));
  pair.Good(e);
  pair.Hear(e[0], Pair::kLost);
  EXPECT_EQ(pair.Next(3), (Entropies{e[0], e[1], e[2]}));
  pair.Wait(51);
  pair.Hear(e[0], Pair::kMarked);
  // E = 20: random when E falls to 16, 8, 0, thus packets 4, 12, 20. The ring is kept: 3..7 are
  // fresh.
  EXPECT_EQ(pair.Next(3), (Entropies{e[3], e[4], e[5]}));
  EXPECT_EQ(pair.Next(), pair.drawn.Next());
  EXPECT_EQ(pair.Next(2), (Entropies{e[6], e[7]}));
  EXPECT_EQ(pair.Next(), pair.drawn.Next()) << "none is fresh";
  for (std::uint32_t i = 8; i < 21; ++i) {
    pair.Good({e[0]});
    const bool random = i == 12 || i == 20;
    EXPECT_EQ(pair.Next(), random ? pair.drawn.Next() : e[0]) << i;
  }
  // Two are left of the packets that were random; then a loss freezes again.
  EXPECT_EQ(pair.Next(2), (Entropies{e[0], e[0]}));
  EXPECT_EQ(pair.Next(), pair.drawn.Next());
  pair.Hear(e[0], Pair::kLost);
  EXPECT_EQ(pair.Next(9), Entropies(9, e[0])) << "in the meantime the ring had eight times e0";
}

/// 128 packets with the paper, 16 of them random; all of 16 otherwise.
TEST(RepsEntropy, LengthOfTheExploration) {
  for (const std::string thaw : {"paper", "uet-htsim"}) {
    Reps pair(Settings{{"reps_freeze", "50us"}, {"reps_thaw", thaw}});
    const std::uint16_t a = pair.drawn.At(1);
    pair.Hear(a, Pair::kLost);
    pair.Wait(51);
    pair.Good({a});
    int packets = 0, random = 0;
    for (int i = 0; i < 300; ++i) {
      pair.Good({a});  // never short of a fresh one: what differs was explored
      if (pair.Next() == a) continue;
      ++random;
      packets = i + 1;
    }
    EXPECT_EQ(random, 16) << thaw;
    EXPECT_EQ(packets, thaw == "paper" ? 128 : 16);
  }
}

TEST(RepsEntropy, StateIsACacheLine) { EXPECT_EQ(Reps().state.memory(), 64U); }

class Mixed : public Pair {
 public:
  explicit Mixed(int paths = 4) : Pair({{"scheme", "mixed"}, {"paths", std::to_string(paths)}}) {}
};

TEST(MixedEntropy, GoodOnesFirstThenBitmap) {
  const Entropies walk = Walked(4, 16);
  Mixed pair;
  EXPECT_EQ(pair.Next(2), (Entropies{walk[0], walk[1]}));
  pair.Hear(walk[3], Pair::kGood);
  pair.Hear(walk[0], Pair::kGood);
  pair.Hear(walk[2], Pair::kMarked);  // not queued, and has a penalty
  EXPECT_EQ(pair.Next(2), (Entropies{walk[3], walk[0]}));
  EXPECT_EQ(pair.Next(), walk[3]) << "bitmap skips O2";
  EXPECT_EQ(pair.Next(4), Entropies(walk.begin() + 4, walk.begin() + 8));
}

TEST(MixedEntropy, AGoodOneIsUsedDespiteAPenalty) {
  const Entropies walk = Walked(4, 4);
  Mixed pair;
  pair.Hear(walk[0], Pair::kLost);
  pair.Hear(walk[0], Pair::kGood);
  EXPECT_EQ(pair.Next(2), (Entropies{walk[0], walk[1]}));
}

TEST(MixedEntropy, QueuesTheNewestN) {
  const Entropies walk = Walked(4, 4);
  Mixed pair;
  for (int i = 0; i < 100; ++i) pair.Hear(walk[0], Pair::kGood);
  for (const std::size_t i : {3U, 2U, 1U}) pair.Hear(walk[i], Pair::kGood);
  EXPECT_EQ(pair.Next(4), (Entropies{walk[0], walk[3], walk[2], walk[1]}));
  EXPECT_EQ(pair.Next(4), walk) << "bitmap from its first on";
  EXPECT_LT(pair.state.memory(), 300U);
}

TEST(MixedEntropy, ForeignValuesAreIgnored) {
  const Entropies walk = Walked(4, 8);
  Mixed pair;
  pair.Hear(static_cast<std::uint16_t>(walk[0] ^ 0x4000), Pair::kGood);
  EXPECT_EQ(pair.Next(8), walk);
}

}  // namespace
}  // namespace heddle::testing
