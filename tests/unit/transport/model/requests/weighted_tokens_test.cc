// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/requests/weighted_tokens.h"

#include <gtest/gtest.h>

#include <map>

namespace heddle {
namespace {

using Counts = std::vector<std::uint32_t>;

void SetWeights(const std::vector<double>& weights, std::vector<PairState>* pairs) {
  pairs->resize(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) (*pairs)[i].weight = weights[i];
}

Counts AllowedBy(std::int64_t tokens, const std::vector<double>& weights) {
  std::vector<PairState> pairs;
  SetWeights(weights, &pairs);
  AllowTokens(tokens, true, &pairs);
  Counts allowed;
  for (const PairState& pair : pairs) allowed.push_back(pair.allowed);
  return allowed;
}

Counts Take(int count, std::vector<PairState>* pairs, std::uint32_t* turn) {
  Counts taken;
  for (int i = 0; i < count; ++i) taken.push_back(TakeToken(pairs, turn));
  return taken;
}

TEST(WeightedTokens, RoundedToTheNearest) {
  EXPECT_EQ(AllowedBy(100, {0.253, 0.247, 0.2549, 0.2451}), (Counts{25, 25, 25, 25}));
  EXPECT_EQ(AllowedBy(100, {0.256, 0.244, 0.25, 0.25}), (Counts{26, 24, 25, 25}));
  EXPECT_EQ(AllowedBy(100, {1}), Counts{100});
}

TEST(WeightedTokens, AHalfIsRoundedDown) {
  EXPECT_EQ(AllowedBy(100, std::vector<double>(8, 0.125)), Counts(8, 12));  // 12.5
  EXPECT_EQ(AllowedBy(4, {0.625, 0.375}), (Counts{2, 1}));                  // 2.5, 1.5
}

TEST(WeightedTokens, AtLeastOneEach) {
  EXPECT_EQ(AllowedBy(100, {0.996, 0.004}), (Counts{100, 1}));
  EXPECT_EQ(AllowedBy(1, {0.4, 0.3, 0.3}), (Counts{1, 1, 1}));
}

TEST(WeightedTokens, TakesTurnsAmongThoseWithTokens) {
  std::vector<PairState> pairs;
  SetWeights({0.5, 0.25, 0.25}, &pairs);
  AllowTokens(8, true, &pairs);  // 4, 2, 2
  std::uint32_t turn = 0;
  EXPECT_EQ(Take(8, &pairs, &turn), (Counts{0, 1, 2, 0, 1, 2, 0, 0}));
  EXPECT_EQ(turn, 1U);
  // The next round begins where the last one ended.
  EXPECT_EQ(Take(9, &pairs, &turn), (Counts{1, 2, 0, 1, 2, 0, 0, 0, 1}));
}

TEST(WeightedTokens, ARoundFollowsTheWeights) {
  std::vector<PairState> pairs;
  SetWeights({0.61, 0.09, 0.22, 0.08}, &pairs);
  AllowTokens(100, true, &pairs);
  std::uint32_t turn = 3;
  std::map<std::uint32_t, int> counts;
  for (const std::uint32_t pair : Take(300, &pairs, &turn)) ++counts[pair];
  EXPECT_EQ(counts, (std::map<std::uint32_t, int>{{0, 183}, {1, 27}, {2, 66}, {3, 24}}));
}

/// 4 and 4 tokens, one of each used, then 2 and 6 are allowed: clamped to 2 and 3, or still 3
/// and 3.
TEST(WeightedTokens, NewWeightsWithinARound) {
  for (const bool clamp : {true, false}) {
    std::vector<PairState> pairs;
    SetWeights({0.5, 0.5}, &pairs);
    AllowTokens(8, clamp, &pairs);
    std::uint32_t turn = 0;
    Take(2, &pairs, &turn);
    SetWeights({0.25, 0.75}, &pairs);
    AllowTokens(8, clamp, &pairs);
    if (clamp) {
      EXPECT_EQ(Take(5, &pairs, &turn), (Counts{0, 1, 0, 1, 1}));
    } else {
      EXPECT_EQ(Take(6, &pairs, &turn), (Counts{0, 1, 0, 1, 0, 1}));
    }
    turn = 0;
    EXPECT_EQ(Take(8, &pairs, &turn), (Counts{0, 1, 0, 1, 1, 1, 1, 1})) << clamp;
  }
}

}  // namespace
}  // namespace heddle
