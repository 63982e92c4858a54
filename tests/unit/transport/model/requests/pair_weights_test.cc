// SPDX-License-Identifier: GPL-2.0-only
/// Weights from the paper's two formulas by hand.
#include "transport/model/requests/pair_weights.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

struct Measured {
  double estimate_us, minimum_us;
};

std::vector<PairState> PairsOf(const std::vector<Measured>& measured) {
  std::vector<PairState> pairs(measured.size());
  for (std::size_t i = 0; i < measured.size(); ++i) {
    pairs[i].estimator.estimate_ps = measured[i].estimate_us * 1e6;
    pairs[i].estimator.minimum_ps = measured[i].minimum_us * 1e6;
  }
  return pairs;
}

void ExpectWeights(bool filtered, const std::vector<Measured>& measured,
                   const std::vector<double>& weights) {
  std::vector<PairState> pairs = PairsOf(measured);
  ASSERT_TRUE(ComputeWeights(filtered, &pairs));
  double sum = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_NEAR(pairs[i].weight, weights[i], 1e-12) << i;
    sum += pairs[i].weight;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(PairWeights, EqualEstimatesGiveEqualWeights) {
  for (const bool filtered : {true, false}) {
    ExpectWeights(filtered, {{10, 4}, {10, 6}, {10, 2}, {10, 9}}, {.25, .25, .25, .25});
    ExpectWeights(filtered, {{10, 4}}, {1});
  }
}

/// The slower one by d = 20 with M = 5: w ratio M / (M + d) = 1/5.
TEST(PairWeights, FilteredBySlowdownOverTheMinimum) {
  ExpectWeights(true, {{10, 5}, {30, 2}}, {5.0 / 6, 1.0 / 6});
  ExpectWeights(true, {{30, 2}, {10, 5}}, {1.0 / 6, 5.0 / 6});
  // Denominators 4, 8, 4 + 12 = 16, 4 + 4 = 8: 4 : 2 : 1 : 2.
  ExpectWeights(true, {{10, 4}, {14, 1}, {22, 8}, {14, 3}}, {4.0 / 9, 2.0 / 9, 1.0 / 9, 2.0 / 9});
}

TEST(PairWeights, InverseToTheEstimate) {
  ExpectWeights(false, {{10, 5}, {30, 2}}, {0.75, 0.25});
  ExpectWeights(false, {{10, 4}, {20, 1}, {40, 8}, {20, 3}}, {4.0 / 9, 2.0 / 9, 1.0 / 9, 2.0 / 9});
}

/// Of equal estimates the first one's minimum counts: denominators 2, 2, 2 + 6.
TEST(PairWeights, TheFirstOfTheBestGivesTheMinimum) {
  ExpectWeights(true, {{10, 2}, {10, 8}, {16, 1}}, {4.0 / 9, 4.0 / 9, 1.0 / 9});
}

TEST(PairWeights, NoneWithoutAnEstimateOfEach) {
  for (const bool filtered : {true, false}) {
    std::vector<PairState> pairs = PairsOf({{10, 4}, {0, 0}, {20, 4}});
    for (PairState& pair : pairs) pair.weight = 0.125;
    EXPECT_FALSE(ComputeWeights(filtered, &pairs));
    for (const PairState& pair : pairs) EXPECT_EQ(pair.weight, 0.125);
  }
}

TEST(PairWeights, ExtremesStayAboveZero) {
  for (const bool filtered : {true, false}) {
    std::vector<PairState> pairs = PairsOf({{1e-6, 1e-6}, {1e12, 1e12}});
    ASSERT_TRUE(ComputeWeights(filtered, &pairs));
    EXPECT_GT(pairs[1].weight, 0);
    EXPECT_LE(pairs[0].weight, 1);
    std::vector<PairState> many(1024, PairsOf({{7, 3}})[0]);
    ASSERT_TRUE(ComputeWeights(filtered, &many));
    EXPECT_NEAR(many[1023].weight, 1.0 / 1024, 1e-15);
  }
}

}  // namespace
}  // namespace heddle
