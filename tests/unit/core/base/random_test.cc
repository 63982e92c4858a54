// SPDX-License-Identifier: GPL-2.0-only
#include "core/base/random.h"

#include <gtest/gtest.h>

#include <boost/archive/text_iarchive.hpp>
#include <boost/archive/text_oarchive.hpp>
#include <set>
#include <sstream>
#include <vector>

namespace heddle {
namespace {

std::vector<std::uint64_t> Draw(RandomStream stream, int count = 8) {
  std::vector<std::uint64_t> values;
  for (int i = 0; i < count; ++i) values.push_back(stream.Next());
  return values;
}

TEST(RandomStream, SameKeySameNumbers) {
  EXPECT_EQ(Draw(RandomStream(7, 3, RandomPurpose::kPartition)),
            Draw(RandomStream(7, 3, RandomPurpose::kPartition)));
}

TEST(RandomStream, SeedEntityAndPurposeAllMatter) {
  std::set<std::vector<std::uint64_t>> streams;
  std::set<std::uint64_t> numbers;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (std::uint64_t entity = 0; entity < 10; ++entity) {
      for (RandomPurpose purpose :
           {RandomPurpose::kPartition, RandomPurpose::kPermutation, RandomPurpose::kPintSampling,
            RandomPurpose::kEcnMarking, RandomPurpose::kWireLoss}) {
        const auto values = Draw(RandomStream(seed, entity, purpose));
        streams.insert(values);
        numbers.insert(values.begin(), values.end());
      }
    }
  }
  EXPECT_EQ(streams.size(), 500U);
  EXPECT_EQ(numbers.size(), 4000U);  // no two streams overlap
}

TEST(RandomStream, BelowStaysInRangeAndReachesAll) {
  RandomStream random(1, 2, RandomPurpose::kPartition);
  for (std::uint64_t bound : {1ULL, 2ULL, 7ULL}) {
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 500; ++i) seen.insert(random.Below(bound));
    EXPECT_EQ(seen.size(), bound);
    EXPECT_EQ(*seen.rbegin(), bound - 1);
  }
  for (int i = 0; i < 500; ++i) EXPECT_LT(random.Below(1ULL << 63), 1ULL << 63);
}

TEST(RandomStream, IsRoughlyUniform) {
  RandomStream random(11, 5, RandomPurpose::kPermutation);
  constexpr int kCells = 64, kDraws = 64000;
  std::vector<int> below(kCells), uniform(kCells);
  for (int i = 0; i < kDraws; ++i) {
    ++below[random.Below(kCells)];
    const double u = random.Uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    ++uniform[static_cast<int>(u * kCells)];
  }
  // Chi square with 63 degrees of freedom: mean 63, standard deviation 11.2; 130 is six standard
  // deviations above the mean.
  for (const auto& cells : {below, uniform}) {
    double chi = 0;
    for (int n : cells) chi += (n - 1000.0) * (n - 1000.0) / 1000.0;
    EXPECT_LT(chi, 130.0);
    EXPECT_GT(chi, 20.0);
  }
}

TEST(RandomStream, ArchiveContinuesTheStream) {
  RandomStream random(1, 1, RandomPurpose::kPartition);
  random.Next();
  std::stringstream text;
  boost::archive::text_oarchive(text) << const_cast<const RandomStream&>(random);
  RandomStream copy(9, 9, RandomPurpose::kPartition);
  boost::archive::text_iarchive(text) >> copy;
  EXPECT_EQ(Draw(copy), Draw(random));
}

}  // namespace
}  // namespace heddle
