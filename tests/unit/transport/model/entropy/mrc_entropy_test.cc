// SPDX-License-Identifier: GPL-2.0-only
/// Scheme mrc, traced by hand: n = 4, rests of 10 us (the base round trip), probes each 100 us,
/// three arrivals revive, one entropy always in use. O is the order of oblivious.
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/transport/model/entropy/chooser_test_util.h"

namespace heddle::testing {
namespace {

class Mrc : public Pair {
 public:
  explicit Mrc(Settings more = {}, int paths = 4)
      : Pair([&more, paths] {
          more.insert(more.begin(), {{"scheme", "mrc"}, {"paths", std::to_string(paths)}});
          return more;
        }()) {}

  /// The entropies of a few rounds.
  std::set<std::uint16_t> Used() {
    const Entropies values = Next(40);
    return {values.begin(), values.end()};
  }
  std::set<std::uint16_t> Of(const std::vector<std::size_t>& places) const {
    std::set<std::uint16_t> values;
    for (const std::size_t place : places) values.insert(O[place]);
    return values;
  }
  Time NextProbe() const { return chooser.NextProbe(state); }
  /// The entropy of the probe due now; 0 if none (no value of O is 0).
  std::uint16_t Probe() {
    std::uint16_t entropy = 0;
    return chooser.ProbeDue(&state, now, &entropy) ? entropy : std::uint16_t{0};
  }
  void Probed(std::uint16_t entropy, bool arrived) {
    chooser.Probed(&state, entropy, arrived, now);
  }

  const Entropies O = Walked(4, 4);
};

TEST(MrcEntropy, UndisturbedItIsOblivious) {
  Mrc pair;
  for (const std::uint16_t expected : Walked(4, 40)) {
    EXPECT_EQ(pair.Next(), expected);
    pair.Hear(expected, Pair::kGood);
    pair.Hear(expected, Pair::kTrimmed);
  }
  EXPECT_EQ(pair.NextProbe(), Time::Max());
  EXPECT_EQ(pair.Probe(), 0);
}

TEST(MrcEntropy, AMarkedOneRestsForARoundTrip) {
  Mrc pair;
  pair.Hear(pair.O[1], Pair::kMarked);
  EXPECT_EQ(pair.Next(3), (Entropies{pair.O[0], pair.O[2], pair.O[3]}));
  pair.Wait(5);
  pair.Hear(pair.O[1], Pair::kMarked);  // sent before: changes nothing
  pair.Hear(pair.O[2], Pair::kMarked);
  EXPECT_EQ(pair.Used(), pair.Of({0, 3}));
  pair.now += PicoSeconds(4'999'999);
  EXPECT_EQ(pair.Used(), pair.Of({0, 3}));
  pair.now += PicoSeconds(1);
  EXPECT_EQ(pair.Used(), pair.Of({0, 1, 3}));
  pair.Wait(5);
  EXPECT_EQ(pair.Used(), pair.Of({0, 1, 2, 3}));
}

TEST(MrcEntropy, TheRestIsAnOption) {
  Mrc pair(Settings{{"mrc_skip", "3us"}});
  pair.Hear(pair.O[1], Pair::kMarked);
  pair.Wait(2);
  EXPECT_EQ(pair.Used(), pair.Of({0, 2, 3}));
  pair.Wait(1);
  EXPECT_EQ(pair.Used(), pair.Of({0, 1, 2, 3}));
}

TEST(MrcEntropy, SomeAlwaysStay) {
  Mrc one;
  for (const std::uint16_t entropy : one.O) one.Hear(entropy, Pair::kMarked);
  EXPECT_EQ(one.Used(), one.Of({3}));
  Mrc two(Settings{{"mrc_least", "0.26"}});  // 1.04: two
  for (const std::uint16_t entropy : two.O) two.Hear(entropy, Pair::kMarked);
  EXPECT_EQ(two.Used(), two.Of({2, 3}));
  Mrc all(Settings{{"mrc_least", "1"}});
  for (const std::uint16_t entropy : all.O) all.Hear(entropy, Pair::kMarked);
  for (const std::uint16_t entropy : all.O) all.Hear(entropy, Pair::kLost);
  EXPECT_EQ(all.Used(), all.Of({0, 1, 2, 3}));
  EXPECT_EQ(all.NextProbe(), Time::Max());
  Mrc none(Settings{{"mrc_least", "0"}});
  for (const std::uint16_t entropy : none.O) none.Hear(entropy, Pair::kLost);
  EXPECT_EQ(none.Used(), none.Of({3}));
}

TEST(MrcEntropy, ALossRetires) {
  Mrc pair;
  pair.Hear(pair.O[1], Pair::kLost);
  pair.Wait(1'000'000);
  EXPECT_EQ(pair.Used(), pair.Of({0, 2, 3}));
  pair.Hear(pair.O[1], Pair::kGood);
  pair.Hear(pair.O[1], Pair::kMarked);
  pair.Wait(1'000);
  EXPECT_EQ(pair.Used(), pair.Of({0, 2, 3}));
}

TEST(MrcEntropy, OneThatRestsCanBeRetired) {
  Mrc pair(Settings{{"mrc_probes", "1"}, {"mrc_probe_interval", "1us"}});
  pair.Hear(pair.O[1], Pair::kMarked);
  pair.Hear(pair.O[1], Pair::kLost);
  pair.Wait(8);
  // Back in use before its rest would have ended, and marked again: rests until 18 us, not 10.
  pair.Probed(pair.O[1], true);
  EXPECT_EQ(pair.Used(), pair.Of({0, 1, 2, 3}));
  pair.Hear(pair.O[1], Pair::kMarked);
  pair.Wait(2);
  EXPECT_EQ(pair.Used(), pair.Of({0, 2, 3}));
  pair.Wait(8);
  EXPECT_EQ(pair.Used(), pair.Of({0, 1, 2, 3}));
}

TEST(MrcEntropy, TheLongestRestEndsForARetirement) {
  Mrc pair;
  for (const std::size_t i : {0U, 1U, 2U}) pair.Hear(pair.O[i], Pair::kMarked);
  pair.Hear(pair.O[0], Pair::kLost);  // rested: only voids its rest
  EXPECT_EQ(pair.Used(), pair.Of({3}));
  pair.Hear(pair.O[3], Pair::kLost);
  EXPECT_EQ(pair.Used(), pair.Of({1}));
  pair.Hear(pair.O[1], Pair::kLost);
  EXPECT_EQ(pair.Used(), pair.Of({2}));
  pair.Hear(pair.O[2], Pair::kLost);
  EXPECT_EQ(pair.Used(), pair.Of({2})) << "the last one stays";
  pair.Wait(1'000);
  EXPECT_EQ(pair.Used(), pair.Of({2}));
}

TEST(MrcEntropy, ProbesInTurnOneAnInterval) {
  Mrc pair;
  pair.Hear(pair.O[1], Pair::kLost);
  EXPECT_EQ(pair.NextProbe(), MicroSeconds(200));
  pair.Wait(50);
  pair.Hear(pair.O[2], Pair::kLost);
  EXPECT_EQ(pair.NextProbe(), MicroSeconds(200));
  EXPECT_EQ(pair.Probe(), 0);
  pair.now = MicroSeconds(200);
  EXPECT_EQ(pair.Probe(), pair.O[1]);
  EXPECT_EQ(pair.Probe(), 0);
  EXPECT_EQ(pair.NextProbe(), MicroSeconds(300));
  pair.now = MicroSeconds(350);
  EXPECT_EQ(pair.Probe(), pair.O[2]);
  EXPECT_EQ(pair.NextProbe(), MicroSeconds(450));
  pair.now = MicroSeconds(450);
  EXPECT_EQ(pair.Probe(), pair.O[1]);
}

TEST(MrcEntropy, ThreeArrivalsInARowRevive) {
  Mrc pair;
  pair.Hear(pair.O[1], Pair::kLost);
  pair.Hear(pair.O[2], Pair::kLost);
  for (const bool arrived : {true, true, false, true, true}) pair.Probed(pair.O[1], arrived);
  for (const bool arrived : {true, true}) pair.Probed(pair.O[2], arrived);
  pair.Probed(pair.O[0], true);  // is in use
  EXPECT_EQ(pair.Used(), pair.Of({0, 3}));
  pair.Probed(pair.O[1], true);
  EXPECT_EQ(pair.Used(), pair.Of({0, 1, 3}));
  pair.Wait(100);
  EXPECT_EQ(pair.Probe(), pair.O[2]) << "1 is probed no more";
  pair.Probed(pair.O[2], true);
  EXPECT_EQ(pair.Used(), pair.Of({0, 1, 2, 3}));
  EXPECT_EQ(pair.NextProbe(), Time::Max());
  EXPECT_EQ(pair.Probe(), 0);
}

TEST(MrcEntropy, TurnsGoOnAfterARevival) {
  Mrc pair(Settings{{"mrc_probes", "1"}});
  for (const std::size_t i : {0U, 1U, 2U}) pair.Hear(pair.O[i], Pair::kLost);
  pair.Wait(100);
  EXPECT_EQ(pair.Probe(), pair.O[0]);
  pair.Wait(100);
  EXPECT_EQ(pair.Probe(), pair.O[1]);
  pair.Probed(pair.O[0], true);
  pair.Wait(100);
  EXPECT_EQ(pair.Probe(), pair.O[2]);
  pair.Wait(100);
  EXPECT_EQ(pair.Probe(), pair.O[1]);
}

/// At most one probe an interval, whatever is retired and revived meanwhile.
TEST(MrcEntropy, ANewRetirementDoesNotHurryProbes) {
  Mrc pair(Settings{{"mrc_probes", "1"}});
  pair.Hear(pair.O[1], Pair::kLost);
  pair.Wait(100);
  EXPECT_EQ(pair.Probe(), pair.O[1]);  // next at 300 us
  pair.Probed(pair.O[1], true);
  pair.Hear(pair.O[2], Pair::kLost);
  EXPECT_EQ(pair.NextProbe(), MicroSeconds(300));
  pair.Wait(50);
  pair.Probed(pair.O[2], true);
  pair.Hear(pair.O[3], Pair::kLost);
  EXPECT_EQ(pair.NextProbe(), MicroSeconds(350)) << "an interval after the retirement";
}

TEST(MrcEntropy, ForeignValuesAreIgnored) {
  Mrc pair({}, 3);
  const Entropies walk = Walked(3, 30);
  const auto foreign = static_cast<std::uint16_t>(walk[0] ^ 0x8000);
  for (const PathFeedback feedback : {Pair::kMarked, Pair::kLost}) pair.Hear(foreign, feedback);
  pair.Probed(foreign, true);
  EXPECT_EQ(pair.Next(30), walk);
  EXPECT_EQ(pair.NextProbe(), Time::Max());
}

/// Two bits an entropy while all are in use.
TEST(MrcEntropy, Memory) {
  Mrc small({}, 64), large({}, 65536);
  EXPECT_EQ(large.state.memory() - small.state.memory(), 2U * 65536 / 8 - 2U * 8);
  EXPECT_LT(small.state.memory(), 300U);
}

}  // namespace
}  // namespace heddle::testing
