// SPDX-License-Identifier: GPL-2.0-only
/// The sets of entropies, and orders of them: permutations by definition, searches against steps.
#include "transport/model/entropy/entropy_walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace heddle {
namespace {

RandomStream Stream(std::uint64_t seed) { return {seed, 7, RandomPurpose::kEntropy}; }

EntropyWalk Started(const EntropySet& set, std::uint64_t seed = 1) {
  EntropyWalk walk;
  walk.Start(set, Stream(seed));
  return walk;
}

TEST(EntropySet, LowerBitsNumberItsValues) {
  const EntropySet set(100);
  EXPECT_EQ(set.span(), 128U);
  RandomStream random = Stream(1);
  const std::uint16_t base = set.DrawBase(&random);
  EXPECT_EQ(base % 128, 0);
  EXPECT_TRUE(set.IsBase(base));
  EXPECT_FALSE(set.IsBase(static_cast<std::uint16_t>(base + 64)));
  EXPECT_EQ(EntropySet::At(base, 99), base + 99);
  EXPECT_EQ(set.IndexOf(base, static_cast<std::uint16_t>(base + 99)), 99U);
  EXPECT_EQ(set.IndexOf(base, static_cast<std::uint16_t>(base + 100)), EntropySet::kNone);
  EXPECT_EQ(set.IndexOf(base, static_cast<std::uint16_t>(base ^ 128)), EntropySet::kNone);
}

TEST(EntropySet, UpperBitsAreRandom) {
  const EntropySet set(64);
  std::set<std::uint16_t> bases;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    RandomStream random = Stream(seed);
    bases.insert(set.DrawBase(&random));
  }
  // Of 1024 bases 400 draws meet 1024 (1 - (1 - 1/1024)^400) = 331 on average.
  EXPECT_GT(bases.size(), 300U);
  EXPECT_GT(*bases.rbegin(), 60'000);
  EXPECT_LT(*bases.begin(), 5'000);
  RandomStream random = Stream(1);
  EXPECT_EQ(EntropySet(65536).DrawBase(&random), 0);
}

TEST(EntropySet, DrawsAreUniform) {
  const EntropySet set(3);
  RandomStream random = Stream(1);
  std::vector<int> uses(3);
  for (int i = 0; i < 3000; ++i) {
    const std::uint32_t index = set.IndexOf(8, set.Draw(8, &random));
    ASSERT_LT(index, 3U);
    ++uses[index];
  }
  for (const int count : uses) EXPECT_NEAR(count, 1000, 5 * 26);  // 5 sqrt(3000 1/3 2/3)
}

TEST(EntropyWalk, EachRoundIsAPermutation) {
  for (const int n : {1, 2, 3, 5, 63, 64, 65, 100, 128, 1000, 65535, 65536}) {
    const EntropySet set(n);
    EntropyWalk walk = Started(set);
    std::vector<bool> met;
    for (int round = 0; round < 3; ++round) {
      met.assign(static_cast<std::size_t>(n), false);
      for (int i = 0; i < n; ++i) {
        const std::uint32_t index = walk.Next(set);
        ASSERT_LT(index, set.size());
        ASSERT_FALSE(met[index]) << n << " in round " << round;
        met[index] = true;
      }
    }
  }
}

TEST(EntropyWalk, RoundsDiffer) {
  const EntropySet set(64);
  EntropyWalk walk = Started(set);
  std::set<std::uint32_t> firsts;
  for (int round = 0; round < 64; ++round) {
    const std::uint32_t first = walk.Next(set);
    firsts.insert(first);
    for (std::uint32_t i = 1; i < 64; ++i) ASSERT_EQ(walk.Next(set), first ^ i);
  }
  // The key of a round is its first index; 64 draws of 64 meet 41 on average.
  EXPECT_GT(firsts.size(), 30U);
}

/// Steps of the plain walk until a wanted index comes, which NextOf must equal.
TEST(EntropyWalk, NextOfIsTheFirstWantedStep) {
  for (const int n : {1, 2, 7, 63, 64, 100, 128, 300, 65536}) {
    const EntropySet set(n);
    RandomStream random = Stream(9);
    for (const double share : {1.0, 0.5, 0.05, 0.0}) {
      IndexMask wanted;
      wanted.Fill(set.size(), false);
      wanted.Insert(static_cast<std::uint32_t>(random.Below(set.size())));
      for (std::uint32_t i = 0; i < set.size(); ++i) {
        if (random.Uniform() < share && !wanted.Test(i)) wanted.Insert(i);
      }
      EntropyWalk fast = Started(set), plain = Started(set);
      for (int i = 0; i < 300; ++i) {
        std::uint32_t expected = plain.Next(set);
        while (!wanted.Test(expected)) expected = plain.Next(set);
        ASSERT_EQ(fast.NextOf(set, wanted), expected) << n << ' ' << share << ' ' << i;
        ASSERT_EQ(fast.Next(set), plain.Next(set));
        if (n == 65536 && share == 0 && i == 20) break;
      }
    }
  }
}

}  // namespace
}  // namespace heddle
