// SPDX-License-Identifier: GPL-2.0-only
/// What all schemes have in common: names, reproducible sequences, saved state.
#include "transport/model/entropy/entropy_chooser.h"

#include <gtest/gtest.h>

#include <boost/serialization/vector.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/checkpoint/state_archive.h"
#include "core/options/enum_words.h"
#include "tests/unit/transport/model/entropy/chooser_test_util.h"

namespace heddle::testing {
namespace {

Settings Of(const std::string& scheme, const std::string& paths = "37") {
  return {{"scheme", scheme}, {"paths", paths}, {"reps_freeze", "60us"}, {"plb_suspend", "50us"}};
}

/// All words of the option but "auto".
std::vector<std::string> Schemes() {
  std::vector<std::string> words = AllWords<EntropyOptions::Scheme>();
  words.erase(words.begin());
  return words;
}

/// A life of sends, feedback of all kinds, pauses and probes, drawn from `random`.
Entropies Live(Pair* pair, int steps, RandomStream random) {
  Entropies met;
  for (int i = 0; i < steps; ++i) {
    met.push_back(pair->Next());
    const std::uint16_t heard = met[random.Below(met.size())];
    const std::uint64_t draw = random.Below(32);
    // Good ones for the most part, in phases many marks.
    const bool busy = i / 100 % 2 == 1;
    const std::uint64_t kind = draw == 0 ? 3 : draw == 1 ? 2 : draw < (busy ? 20U : 4U) ? 1 : 0;
    pair->Hear(heard, static_cast<PathFeedback>(kind));
    std::uint16_t probed = 0;
    if (pair->chooser.ProbeDue(&pair->state, pair->now, &probed)) met.push_back(probed);
    if (draw >= 16) pair->chooser.Probed(&pair->state, heard, draw != 16, pair->now);
    if (draw == 5) pair->chooser.Idle(&pair->state, pair->now);
    pair->Wait(draw == 6 ? 30 : 1);
  }
  return met;
}
RandomStream Script(std::uint64_t number) { return {number, 1, RandomPurpose::kEntropy}; }

std::vector<char> Saved(const EntropyState& state) {
  StateWriter writer;
  writer << state;
  return writer.bytes();
}
EntropyState Loaded(const std::vector<char>& bytes) {
  EntropyState state;
  StateReader reader(bytes);
  reader >> state;
  reader.ExpectEnd();
  return state;
}

TEST(EntropyChooser, KnowsEachSchemeByName) {
  std::set<std::string> names;
  for (const std::string& scheme : Schemes()) {
    const Pair pair(Settings{{"scheme", scheme}});
    EXPECT_EQ(pair.chooser.name(), scheme);
    EXPECT_EQ(pair.chooser.sprays(), scheme != "flow");
    names.insert(scheme);
  }
  EXPECT_EQ(names.size(), std::variant_size_v<EntropySchemes>);
  EXPECT_THROW(EntropyChooser{EntropyOptions()}, UserError) << "auto is none";
}

TEST(EntropyChooser, FlowKeepsItsFirst) {
  Pair pair(Settings{{"scheme", "flow"}});
  Entropies expected(300, Pair::kFirst);
  EXPECT_EQ(Live(&pair, 300, Script(1)), expected);
  EXPECT_EQ(pair.chooser.NextProbe(pair.state), Time::Max());
  EXPECT_EQ(pair.state.memory(), 0U);
  EXPECT_EQ(EntropyState().memory(), 0U);
  static_assert(sizeof(EntropyState) == 16);
}

TEST(EntropyChooser, StateIsSmall) {
  for (const auto& [scheme, most] : {std::pair{"oblivious", 16},
                                     {"bitmap", 128},
                                     {"reps", 64},
                                     {"mixed", 192},
                                     {"plb", 64},
                                     {"mrc", 256}}) {
    const Pair pair(Settings{{"scheme", scheme}, {"paths", "64"}});
    EXPECT_LE(pair.state.memory(), static_cast<std::size_t>(most)) << scheme;
    EXPECT_GE(pair.state.memory(), 16U) << scheme;
  }
}

TEST(EntropyChooser, SeedAndFlowDecide) {
  for (const std::string& scheme : Schemes()) {
    if (scheme == "flow") continue;
    Pair pair(Of(scheme)), same(Of(scheme)), seed(Of(scheme), 2);
    Pair flow(Of(scheme), Pair::kSeed, AnyFlow(1));
    const Entropies usual = Live(&pair, 1000, Script(1));
    EXPECT_EQ(Live(&same, 1000, Script(1)), usual) << scheme;
    EXPECT_NE(Live(&seed, 1000, Script(1)), usual) << scheme;
    EXPECT_NE(Live(&flow, 1000, Script(1)), usual) << scheme;
  }
}

TEST(EntropyChooser, ValuesAreOfTheSet) {
  for (const std::string& scheme : Schemes()) {
    for (const char* paths : {"1", "2", "37", "65536"}) {
      if (scheme == "flow") continue;
      Pair pair(Of(scheme, paths));
      Entropies met = Live(&pair, 3000, Script(2));
      std::set<std::uint16_t> values(met.begin(), met.end());
      values.erase(Pair::kFirst);  // plb begins with it
      const std::size_t n = static_cast<std::size_t>(std::stoi(paths));
      EXPECT_LE(values.size(), n) << scheme;
      EXPECT_LT(static_cast<std::size_t>(*values.rbegin() - *values.begin()), n) << scheme;
      const bool all = scheme != "plb" && n <= 37;
      EXPECT_TRUE(!all || values.size() == n) << scheme;
    }
  }
}

TEST(EntropyChooser, ANewFlowForgetsTheOld) {
  for (const std::string& scheme : Schemes()) {
    Pair fresh(Of(scheme)), used(Of(scheme), 77);
    Live(&used, 500, Script(3));
    used.chooser.Start(&used.state, Pair::kSeed, AnyFlow(), Pair::kFirst, MicroSeconds(10));
    used.now = fresh.now;
    EXPECT_EQ(Saved(used.state), Saved(fresh.state)) << scheme;
    EXPECT_EQ(Live(&used, 500, Script(4)), Live(&fresh, 500, Script(4))) << scheme;
  }
}

TEST(EntropyChooser, ASavedStateGoesOn) {
  for (const std::string& scheme : Schemes()) {
    for (std::uint64_t script = 0; script < 20; ++script) {
      Pair pair(Of(scheme)), other(Of(scheme), 99);
      Live(&pair, 50 + 37 * static_cast<int>(script), Script(script));
      other.state = Loaded(Saved(pair.state));
      other.chooser.Check(other.state);
      EXPECT_EQ(Saved(other.state), Saved(pair.state));
      other.now = pair.now;
      ASSERT_EQ(Live(&other, 500, Script(100)), Live(&pair, 500, Script(100))) << scheme;
    }
  }
}

TEST(EntropyChooser, ACopyIsItsOwn) {
  for (const std::string& scheme : Schemes()) {
    Pair pair(Of(scheme)), other(Of(scheme));
    Live(&pair, 300, Script(1));
    other.state = pair.state;
    other.now = pair.now;
    const std::vector<char> before = Saved(pair.state);
    const Entropies met = Live(&other, 300, Script(2));
    EXPECT_EQ(Saved(pair.state), before) << scheme;
    EXPECT_EQ(Live(&pair, 300, Script(2)), met) << scheme;
  }
}

/// Whether the state of these bytes is refused.
bool Refused(const EntropyChooser& chooser, const std::vector<char>& bytes) {
  try {
    chooser.Check(Loaded(bytes));
  } catch (const UserError&) {
    return true;
  }
  return false;
}

TEST(EntropyChooser, StateOfAnotherChoiceIsRefused) {
  for (const std::string& scheme : Schemes()) {
    const Pair pair(Of(scheme));
    for (const std::string& other : Schemes())
      EXPECT_EQ(Refused(Pair(Of(other)).chooser, Saved(pair.state)), other != scheme) << scheme;
    const bool sized = scheme == "bitmap" || scheme == "mixed" || scheme == "mrc";
    EXPECT_TRUE(!sized || Refused(Pair(Of(scheme, "36")).chooser, Saved(pair.state))) << scheme;
    std::vector<char> unknown = Saved(pair.state);
    unknown[0] = 7;
    EXPECT_TRUE(Refused(pair.chooser, unknown));
    std::vector<char> shorter = Saved(pair.state);
    shorter.pop_back();
    EXPECT_TRUE(Refused(pair.chooser, shorter));
  }
}

/// Every byte of a state, damaged: it is refused, or works on like one that a run can have. What is
/// not refused is what differs without being wrong, such as the random stream.
TEST(EntropyChooser, ADamagedStateIsRefusedOrHarmless) {
  for (const std::string& scheme : Schemes()) {
    Pair pair(Of(scheme));
    Live(&pair, 260, Script(1));
    const std::vector<char> sound = Saved(pair.state);
    std::size_t refused = 0;
    for (std::size_t at = 0; at < sound.size(); ++at) {
      for (const int change : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
        std::vector<char> damaged = sound;
        damaged[at] = static_cast<char>(damaged[at] ^ change);
        Pair other(Of(scheme));
        if (Refused(other.chooser, damaged)) {
          ++refused;
          continue;
        }
        other.state = Loaded(damaged);
        other.now = pair.now;
        Live(&other, 200, Script(2));
        other.chooser.Check(other.state);
      }
    }
    // At least the byte that names the scheme; most of the sets of entropies.
    EXPECT_GE(refused, 9U) << scheme;
    const bool sets = scheme == "bitmap" || scheme == "mrc";
    EXPECT_TRUE(!sets || refused > 9 * (sound.size() - 40) / 2) << scheme << ' ' << refused;
  }
}

/// Changes that break what the schemes rely on, one by one.
TEST(EntropyChooser, BrokenInvariantsAreRefused) {
  const auto refuses = [](const std::string& scheme, const auto& damage) {
    Pair pair(Of(scheme));
    Live(&pair, 3, Script(1));
    EXPECT_NO_THROW(pair.chooser.Check(pair.state));
    damage(&pair.state);
    EXPECT_THROW(pair.chooser.Check(pair.state), UserError) << scheme;
  };
  refuses("bitmap", [](EntropyState* s) { s->As<BitmapEntropy>().penalties[5] ^= 0x10; });
  refuses("bitmap", [](EntropyState* s) { s->As<BitmapEntropy>().penalties.pop_back(); });
  refuses("bitmap", [](EntropyState* s) { s->As<BitmapEntropy>().penalties.back() |= 0x10; });
  refuses("bitmap", [](EntropyState* s) { s->As<BitmapEntropy>().clean.Fill(70, true); });
  refuses("reps", [](EntropyState* s) { s->As<RepsEntropy>().base ^= 1; });
  refuses("reps", [](EntropyState* s) { s->As<RepsEntropy>().explore = 17; });
  refuses("reps", [](EntropyState* s) { s->As<RepsEntropy>().frozen = 2; });
  refuses("reps", [](EntropyState* s) { s->As<RepsEntropy>().filled = 9; });
  refuses("reps", [](EntropyState* s) { s->As<RepsEntropy>().fresh |= 0x80; });
  refuses("reps", [](EntropyState* s) { s->As<RepsEntropy>().write ^= 4; });
  refuses("reps", [](EntropyState* s) {
    auto& reps = s->As<RepsEntropy>();
    reps.ring[0] = static_cast<std::uint16_t>(reps.base ^ 0x8000);
    reps.filled = reps.write = 1;
    reps.fresh = 0;
  });
  refuses("reps", [](EntropyState* s) {
    s->As<RepsEntropy>().frozen = 1;
    s->As<RepsEntropy>().turn = 8;
  });
  refuses("mixed", [](EntropyState* s) {
    const std::uint16_t base = s->As<MixedEntropy>().bitmap.walk.base();
    s->As<MixedEntropy>().good.Push(static_cast<std::uint16_t>(base + 37));
  });
  refuses("mixed", [](EntropyState* s) {
    const std::uint16_t base = s->As<MixedEntropy>().bitmap.walk.base();
    for (int i = 0; i < 38; ++i) s->As<MixedEntropy>().good.Push(base);
  });
  refuses("plb", [](EntropyState* s) { s->As<PlbEntropy>().marked = 1000; });
  refuses("plb", [](EntropyState* s) { s->As<PlbEntropy>().congested = 12; });
  refuses("plb", [](EntropyState* s) { s->As<PlbEntropy>().congested = -1; });
  refuses("plb", [](EntropyState* s) { s->As<PlbEntropy>().base_rtt = Time{-1}; });
  refuses("plb", [](EntropyState* s) { s->As<PlbEntropy>().base_rtt = Time::Max(); });
  refuses("plb", [](EntropyState* s) { s->As<PlbEntropy>().base ^= 1; });
  refuses("mrc", [](EntropyState* s) { s->As<MrcEntropy>().used.Remove(3); });
  refuses("mrc", [](EntropyState* s) { s->As<MrcEntropy>().skip = Time::Max(); });
  refuses("mrc", [](EntropyState* s) { s->As<MrcEntropy>().used.Fill(37, false); });
  refuses("mrc", [](EntropyState* s) { s->As<MrcEntropy>().used.Fill(38, true); });
  refuses("mrc", [](EntropyState* s) { s->As<MrcEntropy>().out.Insert(3); });
  refuses("mrc", [](EntropyState* s) { s->As<MrcEntropy>().turn = 1; });
  refuses("mrc", [](EntropyState* s) { s->As<MrcEntropy>().rests.Push({Time{5}, 3}); });
  refuses("mrc", [](EntropyState* s) { s->As<MrcEntropy>().rests.Push({Time{5}, 37}); });
  refuses("mrc", [](EntropyState* s) { s->As<MrcEntropy>().retired.push_back({3, 0}); });
  refuses("mrc", [](EntropyState* s) { s->As<MrcEntropy>().retired.push_back({37, 0}); });
  refuses("mrc", [](EntropyState* s) {
    auto& mrc = s->As<MrcEntropy>();
    mrc.used.Remove(3);
    mrc.out.Insert(3);
    mrc.retired.push_back({3, 3});  // three arrivals would have revived it
  });
  refuses("mrc", [](EntropyState* s) {
    auto& mrc = s->As<MrcEntropy>();
    mrc.used.Remove(3);
    mrc.used.Remove(4);
    mrc.rests.Push({MicroSeconds(9), 3});
    mrc.rests.Push({MicroSeconds(8), 4});  // not by time
  });
}

}  // namespace
}  // namespace heddle::testing
