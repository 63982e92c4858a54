// SPDX-License-Identifier: GPL-2.0-only
/// Schemes oblivious and bitmap: penalties traced by hand, n = 4 unless said. O is the order of
/// oblivious, four values a round; bitmap walks in the same order.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/unit/transport/model/entropy/chooser_test_util.h"

namespace heddle::testing {
namespace {

class Bitmap : public Pair {
 public:
  explicit Bitmap(Settings more = {}, int paths = 4)
      : Pair([&more, paths] {
          more.insert(more.begin(), {{"scheme", "bitmap"}, {"paths", std::to_string(paths)}});
          return more;
        }()) {}
};

/// The walk of a bitmap in which only `value` has a penalty. Its last place in a round may be
/// followed by its first in the next: passed over both times, lowered once.
Entropies Without(const Entropies& walk, std::uint16_t value, int penalty) {
  Entropies taken;
  for (std::size_t i = 0; i < walk.size(); ++i) {
    if (walk[i] != value || penalty == 0) {
      taken.push_back(walk[i]);
      continue;
    }
    --penalty;
    while (penalty > 0 && i + 1 < walk.size() && walk[i + 1] == value) ++i;
  }
  return taken;
}

Entropies First(int count, const Entropies& values) {
  return {values.begin(), values.begin() + count};
}

TEST(ObliviousEntropy, UsesAllEquallyInNewOrders) {
  for (const int n : {1, 6, 64}) {
    const Entropies values = Walked(n, 4 * n);
    const std::uint16_t base = *std::min_element(values.begin(), values.end());
    EXPECT_EQ(base % (n == 6 ? 8 : n), 0);
    for (int round = 0; round < 4; ++round) {
      Entropies sorted(values.begin() + round * n, values.begin() + (round + 1) * n);
      std::sort(sorted.begin(), sorted.end());
      for (std::size_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], base + i) << n;
    }
    if (n < 64) continue;
    EXPECT_FALSE(std::equal(values.begin(), values.begin() + n, values.begin() + n));
  }
}

TEST(ObliviousEntropy, HearsNothing) {
  Pair pair(Settings{{"scheme", "oblivious"}, {"paths", "8"}});
  const Entropies expected = Walked(8, 40);
  for (int i = 0; i < 40; ++i) {
    const std::uint16_t entropy = pair.Next();
    EXPECT_EQ(entropy, expected[static_cast<std::size_t>(i)]);
    pair.Hear(entropy, Pair::kLost);
    pair.chooser.Idle(&pair.state, pair.now);
  }
}

TEST(BitmapEntropy, WithoutFeedbackOrWithGoodItIsOblivious) {
  Bitmap pair;
  for (const std::uint16_t expected : Walked(4, 40)) {
    EXPECT_EQ(pair.Next(), expected);
    pair.Hear(expected, Pair::kGood);
  }
}

TEST(BitmapEntropy, PenaltiesAreTurnsLost) {
  const Entropies walk = Walked(4, 100);
  const std::pair<PathFeedback, int> cases[] = {
      {Pair::kMarked, 1}, {Pair::kTrimmed, 4}, {Pair::kLost, 15}};
  for (const auto& [feedback, skips] : cases) {
    Bitmap pair;
    pair.Hear(walk[1], feedback);
    const Entropies expected = Without(walk, walk[1], skips);
    EXPECT_LE(expected.size(), walk.size() - static_cast<std::size_t>(skips));
    EXPECT_EQ(pair.Next(static_cast<int>(expected.size())), expected) << skips;
  }
}

TEST(BitmapEntropy, PenaltiesAddUpTo15) {
  const Entropies walk = Walked(4, 100);
  Bitmap three;
  for (int i = 0; i < 3; ++i) three.Hear(walk[2], Pair::kTrimmed);
  three.Hear(walk[2], Pair::kMarked);
  EXPECT_EQ(three.Next(60), First(60, Without(walk, walk[2], 13)));
  Bitmap many;
  for (int i = 0; i < 40; ++i) many.Hear(walk[2], Pair::kTrimmed);
  EXPECT_EQ(many.Next(60), First(60, Without(walk, walk[2], 15)));
}

TEST(BitmapEntropy, OnlyTheFirstMetIsLowered) {
  const Entropies walk = Walked(4, 12);
  Bitmap pair;
  pair.Hear(walk[0], Pair::kMarked);
  pair.Hear(walk[1], Pair::kMarked);
  // O0 is lowered to 0 and passed over, O1 is only passed over: O2, O3. In the second round O1 is
  // met again, now as the first: lowered and passed over.
  EXPECT_EQ(pair.Next(2), (Entropies{walk[2], walk[3]}));
  const Entropies second(walk.begin() + 4, walk.begin() + 8);
  EXPECT_EQ(pair.Next(3), Without(second, walk[1], 1));
  EXPECT_EQ(pair.Next(4), Entropies(walk.begin() + 8, walk.end()));
}

TEST(BitmapEntropy, WhenAllHaveAPenaltyTheNextIsTaken) {
  const Entropies walk = Walked(4, 12);
  Bitmap pair;
  for (int i = 0; i < 4; ++i) {
    pair.Hear(walk[static_cast<std::size_t>(i)], Pair::kMarked);
    pair.Hear(walk[static_cast<std::size_t>(i)], Pair::kMarked);
  }
  // 2 each. One round takes all four and leaves 1 each; the next lowers O4 to 0, passes over all
  // others and finds the only one without a penalty, O4, in the round after.
  EXPECT_EQ(pair.Next(4), Entropies(walk.begin(), walk.begin() + 4));
  EXPECT_EQ(pair.Next(), walk[4]);
}

/// The rules of bitmap_entropy.h, one step of the walk at a time.
class PlainBitmap {
 public:
  PlainBitmap(int paths, double most) : walk_(Walked(paths, 200'000)), most_(most * paths) {
    for (int i = 0; i < paths; ++i) penalties_[walk_[static_cast<std::size_t>(i)]] = 0;
  }
  std::uint16_t Next() {
    const std::uint16_t first = walk_[at_++];
    int& penalty = penalties_.at(first);
    if (penalty == 0) return first;
    const bool skips = Marked() <= most_;
    --penalty;
    if (!skips || Marked() == static_cast<int>(penalties_.size())) return first;
    while (penalties_.at(walk_.at(at_)) != 0) ++at_;
    return walk_[at_++];
  }
  void Hear(std::uint16_t entropy, int added) {
    penalties_.at(entropy) = std::min(15, penalties_.at(entropy) + added);
  }

 private:
  int Marked() const {
    int marked = 0;
    for (const auto& [entropy, penalty] : penalties_) marked += penalty != 0 ? 1 : 0;
    return marked;
  }
  Entropies walk_;
  std::size_t at_ = 0;
  double most_;
  std::map<std::uint16_t, int> penalties_;
};

TEST(BitmapEntropy, IsAsThePlainRules) {
  RandomStream random(5, 5, RandomPurpose::kEntropy);
  for (const int n : {1, 4, 7, 64, 100}) {
    for (const std::string saturation : {"1", "0.5"}) {
      Bitmap pair(Settings{{"bitmap_saturation", saturation}}, n);
      PlainBitmap plain(n, std::stod(saturation));
      for (int i = 0; i < 2000; ++i) {
        const std::uint16_t entropy = pair.Next();
        ASSERT_EQ(entropy, plain.Next()) << n << ' ' << saturation << ' ' << i;
        // Phases with many marks and with few.
        const std::uint64_t draw = random.Below(i / 200 % 2 == 0 ? 4 : 40);
        if (draw < 3) pair.Hear(entropy, static_cast<PathFeedback>(draw + 1));
        if (draw < 3) plain.Hear(entropy, draw == 0 ? 1 : draw == 1 ? 4 : 15);
      }
    }
  }
}

TEST(BitmapEntropy, NothingIsSkippedWhenSaturated) {
  const Entropies walk = Walked(4, 100);
  Bitmap two(Settings{{"bitmap_saturation", "0.5"}});  // 2 of 4 is not more than half
  two.Hear(walk[0], Pair::kLost);
  two.Hear(walk[1], Pair::kLost);
  EXPECT_EQ(two.Next(2), (Entropies{walk[2], walk[3]}));
  Bitmap three(Settings{{"bitmap_saturation", "0.5"}});
  for (std::size_t i = 0; i < 3; ++i) three.Hear(walk[i], Pair::kTrimmed);
  // Three of four: nothing is skipped while each turn lowers a penalty, so for three rounds. In the
  // fourth the first of them met is still taken; then only two have a penalty.
  EXPECT_EQ(three.Next(12), First(12, walk));
  std::size_t at = 12;
  while (walk[at] == walk[3]) ++at;
  const int taken = static_cast<int>(at) - 11;
  EXPECT_EQ(three.Next(taken), Entropies(walk.begin() + 12, walk.begin() + 12 + taken));
  Bitmap never(Settings{{"bitmap_saturation", "0"}});
  never.Hear(walk[0], Pair::kLost);
  EXPECT_EQ(never.Next(4), Entropies(walk.begin(), walk.begin() + 4));
}

TEST(BitmapEntropy, PenaltiesAreOptions) {
  const Entropies walk = Walked(4, 100);
  const Settings other = {{"bitmap_marked", "3"}, {"bitmap_trimmed", "0"}, {"bitmap_lost", "2"}};
  const std::pair<PathFeedback, int> cases[] = {
      {Pair::kMarked, 3}, {Pair::kTrimmed, 0}, {Pair::kLost, 2}};
  for (const auto& [feedback, skips] : cases) {
    Bitmap pair(other);
    pair.Hear(walk[0], feedback);
    EXPECT_EQ(pair.Next(80), First(80, Without(walk, walk[0], skips)));
  }
}

TEST(BitmapEntropy, ForeignValuesAreIgnored) {
  const Entropies walk = Walked(3, 30);
  const std::uint16_t least = *std::min_element(walk.begin(), walk.end());
  Bitmap pair({}, 3);
  pair.Hear(static_cast<std::uint16_t>(least + 3), Pair::kLost);
  pair.Hear(static_cast<std::uint16_t>(least ^ 0x8000), Pair::kLost);
  EXPECT_EQ(pair.Next(30), walk);
}

/// Half a byte and a bit an entropy.
TEST(BitmapEntropy, Memory) {
  Bitmap pair({}, 4096);
  EXPECT_GE(pair.state.memory(), 2048U + 512U);
  EXPECT_LT(pair.state.memory(), 2048U + 512U + 128U);
}

}  // namespace
}  // namespace heddle::testing
