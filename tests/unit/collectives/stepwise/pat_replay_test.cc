// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/stepwise/pat_replay.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

double Units(std::uint32_t ranks, const PatFactors& factors, double latency = 10, double block = 1,
             bool reduces = false, std::uint32_t pieces = 1) {
  return PatSeconds(PatRounds(ranks, factors, reduces), pieces, block, latency);
}

/// By hand, with latency 10 and 1 a block. Of A = 1 offsets leave in the order 4 6 7 5 2 3 1, at 1,
/// 12, 23, 24, 25, 36 and 37.
TEST(PatReplay, OfEightRanksByHand) {
  EXPECT_DOUBLE_EQ(Units(8, {1, 1}), 47);
  // 4 2 6 1 3 5 7 leave at 1, 2, 12, 13, 14, 15, 23.
  EXPECT_DOUBLE_EQ(Units(8, {1, 4}), 33);
  EXPECT_DOUBLE_EQ(Units(8, {4, 4}), 37);
}

/// The mirror has the time of the gathering.
TEST(PatReplay, OfReductionsByHand) {
  // 7 6 5 4 3 2 1 leave at 1, 12, 13, 24, 25, 36, 37.
  EXPECT_DOUBLE_EQ(Units(8, {1, 1}, 10, 1, true), 47);
  // 1 3 5 7 2 6 4 leave at 1, 2, 3, 4, 13, 15, 26.
  EXPECT_DOUBLE_EQ(Units(8, {1, 4}, 10, 1, true), 36);
  EXPECT_DOUBLE_EQ(Units(8, {4, 4}, 10, 1, true), 37);
}

TEST(PatReplay, WithoutLatencyIsBytes) {
  for (std::uint32_t n = 2; n <= 130; ++n) {
    const PatFactors factors = PatFactorsOf(n, 1, 1, 8);
    EXPECT_DOUBLE_EQ(Units(n, factors, 0, 3), 3 * (n - 1.0)) << n;
  }
}

/// Of D rounds of a tree half follow the one before without waiting, as they send what came
/// earlier: log2 A + D / 2 latencies.
TEST(PatReplay, WithoutBytesHalfOfTheRoundsWait) {
  for (std::uint32_t log = 1; log <= 10; ++log) {
    const std::uint32_t n = 1U << log;
    double rounds = n / 2;  // log2 A + D / 2 of A = 1
    for (std::uint32_t trees = 1; trees <= n / 2; trees *= 2) {
      for (const bool reduces : {false, true}) {
        EXPECT_DOUBLE_EQ(Units(n, {1, trees}, 1, 0, reduces), rounds) << n << ", A " << trees;
        EXPECT_DOUBLE_EQ(Units(n, {trees, trees}, 1, 0, reduces), rounds) << n << ", A " << trees;
      }
      rounds += 1 - n / trees / 4.0;
    }
  }
}

/// One block a message, one tree a round: as many latencies as half of the ranks.
TEST(PatReplay, NotAggregatedIsHalfOfTheRanksInLatencies) {
  for (std::uint32_t n = 2; n <= 1024; n *= 2) {
    for (const bool reduces : {false, true})
      EXPECT_DOUBLE_EQ(Units(n, {1, 1}, 10, 1, reduces), n / 2 * 10.0 + (n - 1)) << n;
  }
}

/// F = A = n / 2: each message waits for the one before it.
TEST(PatReplay, FullyAggregatedIsALogarithmOfLatencies) {
  for (std::uint32_t log = 1; log <= 10; ++log) {
    const std::uint32_t n = 1U << log;
    for (const bool reduces : {false, true})
      EXPECT_DOUBLE_EQ(Units(n, {n / 2, n / 2}, 10, 1, reduces), log * 10.0 + (n - 1)) << n;
  }
}

TEST(PatReplay, PiecesFollowEachOtherWithoutALatency) {
  EXPECT_DOUBLE_EQ(Units(8, {1, 1}, 10, 1, false, 3), 3 * 37 + 10);
}

}  // namespace
}  // namespace heddle
