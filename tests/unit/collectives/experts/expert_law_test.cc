// SPDX-License-Identifier: GPL-2.0-only
/// Laws against what they give for 256 experts and 8 of each token: Gini coefficient of loads,
/// largest load over the mean, by simulation of the laws' definitions (reference in
/// docs/models/experts.md).
#include "collectives/experts/expert_law.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "collectives/experts/routed_tokens.h"
#include "tests/unit/collectives/experts/routing.h"

namespace heddle {
namespace {

using Routing = ExpertOptions::Routing;
using Order = ExpertOptions::Order;

double MaxOverMean(const std::vector<std::uint64_t>& loads) {
  const auto sum =
      static_cast<double>(std::accumulate(loads.begin(), loads.end(), std::uint64_t{0}));
  return static_cast<double>(*std::max_element(loads.begin(), loads.end())) /
         (sum / static_cast<double>(loads.size()));
}

double Gini(std::vector<std::uint64_t> loads) {
  std::sort(loads.begin(), loads.end());
  double weighted = 0, sum = 0;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    weighted += static_cast<double>(i + 1) * static_cast<double>(loads[i]);
    sum += static_cast<double>(loads[i]);
  }
  const auto n = static_cast<double>(loads.size());
  return 2 * weighted / (n * sum) - (n + 1) / n;
}

/// 16,384 tokens on 64 ranks.
RoutedTokens On64(Routing routing, Order order, double zipf = 1, double sigma = 0.43) {
  ExpertOptions options = ByLaw(routing, 256, 8, 256);
  options.order = order;
  options.zipf = zipf;
  options.sigma = sigma;
  return {options, 64, 0};
}

std::vector<std::uint64_t> RankLoads(const RoutedTokens& tokens) {
  std::vector<std::uint64_t> loads;
  for (std::uint32_t rank = 0; rank < tokens.ranks(); ++rank)
    loads.push_back(tokens.LoadOfRank(rank));
  return loads;
}

TEST(ExpertLaws, Uniform) {
  const RoutedTokens tokens = On64(Routing::kUniform, Order::kPermuted);
  EXPECT_NEAR(Gini(tokens.loads()), 0.025, 0.005);
  EXPECT_NEAR(MaxOverMean(tokens.loads()), 1.1, 0.05);
  EXPECT_NEAR(MaxOverMean(RankLoads(tokens)), 1.05, 0.03);
}

TEST(ExpertLaws, ZipfInOrderAndPermuted) {
  const RoutedTokens in_order = On64(Routing::kZipf, Order::kInOrder);
  EXPECT_NEAR(Gini(in_order.loads()), 0.63, 0.02);
  EXPECT_NEAR(MaxOverMean(in_order.loads()), 25, 1);
  EXPECT_NEAR(MaxOverMean(RankLoads(in_order)), 16.4, 0.7);
  const RoutedTokens permuted = On64(Routing::kZipf, Order::kPermuted);
  EXPECT_NEAR(Gini(permuted.loads()), 0.63, 0.02);
  EXPECT_LT(MaxOverMean(RankLoads(permuted)), 9);
  EXPECT_NEAR(Gini(On64(Routing::kZipf, Order::kInOrder, 0.5).loads()), 0.30, 0.02);
}

/// Gini of weights is erf(sigma / 2): 0.105, 0.24 and 0.38; of loads a little less, as an expert is
/// chosen once by a token.
TEST(ExpertLaws, LognormalHasItsGini) {
  for (const auto& [sigma, gini] : {std::pair{0.19, 0.105}, {0.43, 0.24}, {0.70, 0.38}})
    EXPECT_NEAR(Gini(On64(Routing::kLognormal, Order::kPermuted, 1, sigma).loads()), gini, 0.05)
        << sigma;
}

TEST(ExpertLaws, HotExpertsTakeNineTenthsOfTokens) {
  const RoutedTokens tokens = On64(Routing::kHot, Order::kInOrder);
  EXPECT_NEAR(Gini(tokens.loads()), 0.79, 0.02);
  EXPECT_NEAR(MaxOverMean(tokens.loads()), 7.5, 0.3);
  std::uint64_t hot = 0;
  for (std::uint32_t i = 0; i < 32; ++i) hot += tokens.loads()[i];
  EXPECT_NEAR(static_cast<double>(hot) / static_cast<double>(tokens.choices_in_all()),
              0.9 + 0.1 / 8, 0.01);
}

TEST(ExpertLaws, SeedsAndLayersDiffer) {
  const auto weights = [](std::int64_t seed, std::uint64_t layer) {
    ExpertOptions options = ByLaw(Routing::kLognormal, 64, 8, 1);
    options.seed = seed;
    return DrawExpertWeights(options, layer).usual;
  };
  EXPECT_EQ(weights(1, 0), weights(1, 0));
  EXPECT_NE(weights(1, 0), weights(2, 0));
  EXPECT_NE(weights(1, 0), weights(1, 1));
}

TEST(ExpertLaws, EvenAndTablesHaveNoRow) {
  for (const Routing routing : {Routing::kEven, Routing::kCounts, Routing::kTokens})
    EXPECT_EQ(FindExpertLaw(routing), nullptr);
}

}  // namespace
}  // namespace heddle
