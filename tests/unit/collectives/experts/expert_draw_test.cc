// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/experts/expert_draw.h"

#include <gtest/gtest.h>

#include <set>

namespace heddle {
namespace {

RandomStream Stream() { return {7, 3, RandomPurpose::kExpertChoice}; }

TEST(ExpertDraw, FirstChoicesAreInProportionToWeights) {
  ExpertDraw draw({1, 2, 3, 4}, 2, 1, 1);
  RandomStream random = Stream();
  std::vector<std::uint32_t> experts;
  double first[4] = {}, second_after_last[4] = {};
  constexpr int kTokens = 100'000;
  for (int i = 0; i < kTokens; ++i) {
    draw.Draw(&random, &experts);
    ASSERT_EQ(experts.size(), 2U);
    ASSERT_NE(experts[0], experts[1]);
    ++first[experts[0]];
    if (experts[0] == 3) ++second_after_last[experts[1]];
  }
  for (int e = 0; e < 4; ++e) EXPECT_NEAR(first[e] / kTokens, (e + 1) / 10.0, 0.006) << e;
  // Of what is left, 1 : 2 : 3.
  for (int e = 0; e < 3; ++e)
    EXPECT_NEAR(second_after_last[e] / first[3], (e + 1) / 6.0, 0.01) << e;
}

/// Experts that are nearly never chosen are, if there are no others.
TEST(ExpertDraw, TakesAllThereAre) {
  std::vector<double> weights(64, 1e-12);
  weights[5] = 1;
  ExpertDraw draw(weights, 64, 1, 1);
  RandomStream random = Stream();
  std::vector<std::uint32_t> experts;
  for (int i = 0; i < 100; ++i) {
    draw.Draw(&random, &experts);
    EXPECT_EQ(std::set<std::uint32_t>(experts.begin(), experts.end()).size(), 64U);
    EXPECT_EQ(experts.front(), 5U);
  }
}

/// Mean number of servers of a token on so many, of DeepSeek-V3's experts.
double MeanServers(std::uint32_t top_groups, std::uint32_t servers) {
  ExpertDraw draw(std::vector<double>(256, 1.0), 8, 8, top_groups);
  RandomStream random = Stream();
  std::vector<std::uint32_t> experts;
  constexpr int kTokens = 20'000;
  double sum = 0;
  for (int i = 0; i < kTokens; ++i) {
    draw.Draw(&random, &experts);
    std::set<std::uint32_t> hit;
    for (const std::uint32_t expert : experts) hit.insert(expert / (256 / servers));
    sum += static_cast<double>(hit.size());
  }
  return sum / kTokens;
}

/// Closed form: m (1 - C(E - E/m, k) / C(E, k)).
TEST(ExpertDraw, UniformChoicesReachAsManyServersAsTheClosedFormSays) {
  for (const std::uint32_t servers : {2U, 4U, 8U, 32U}) {
    double none = 1;
    for (int i = 0; i < 8; ++i) none *= (256.0 - 256.0 / servers - i) / (256.0 - i);
    EXPECT_NEAR(MeanServers(8, servers), servers * (1 - none), 0.02) << servers;
  }
}

/// Random scores, 4 groups of 8: 1.967, 3.121 and 3.963 servers of 2, 4 and 8, 5.72 of 16.
TEST(ExpertDraw, GateOfDeepSeekV3ReachesFewerServers) {
  EXPECT_NEAR(MeanServers(4, 2), 1.967, 0.02);
  EXPECT_NEAR(MeanServers(4, 4), 3.121, 0.03);
  EXPECT_NEAR(MeanServers(4, 8), 3.963, 0.03);
  EXPECT_NEAR(MeanServers(4, 16), 5.72, 0.06);
}

}  // namespace
}  // namespace heddle
