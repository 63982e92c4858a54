// SPDX-License-Identifier: GPL-2.0-only
/// Best divisions of bytes over given paths: by hand, and proved for random ones.
#include "topology/load/best_split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/base/random.h"

namespace heddle {
namespace {

using Paths = std::vector<SplitProblem::Path>;

TEST(BestSplit, OfNobodyIsNothing) {
  EXPECT_EQ(EvenSplit({}), 0);
  EXPECT_EQ(FindBestSplit({}).load, 0);
  EXPECT_TRUE(FindBestSplit({}).parts.empty());
}

TEST(BestSplit, OnePathLeavesNoChoice) {
  const SplitProblem problem{{1, 2}, {Paths{{0, 1}}, Paths{{1}}}};
  EXPECT_DOUBLE_EQ(EvenSplit(problem), 1) << "cable 0 has one unit; cable 1 two at rate 2";
  const BestSplit best = FindBestSplit(problem);
  EXPECT_DOUBLE_EQ(best.load, 1);
  EXPECT_NEAR(best.bound, 1, 0.005);
}

TEST(BestSplit, LeavesACableThatAnotherNeeds) {
  // One has cables 0 and 1, the other cable 1 alone. Evenly cable 1 has 1.5; at best all of the
  // first goes by cable 0.
  const SplitProblem problem{{1, 1}, {Paths{{0}, {1}}, Paths{{1}}}};
  EXPECT_DOUBLE_EQ(EvenSplit(problem), 1.5);
  const BestSplit best = FindBestSplit(problem);
  EXPECT_NEAR(best.load, 1, 0.006);
  EXPECT_GT(best.parts[0][0], 0.99);
}

TEST(BestSplit, DividesByRates) {
  // Alone on cables of rates 1 and 3: a quarter and three quarters, both with load 1/4.
  const SplitProblem problem{{1, 3}, {Paths{{0}, {1}}}};
  EXPECT_DOUBLE_EQ(EvenSplit(problem), 0.5);
  const BestSplit best = FindBestSplit(problem);
  EXPECT_NEAR(best.load, 0.25, 0.002);
  EXPECT_NEAR(best.parts[0][0], 0.25, 0.002);
}

TEST(BestSplit, SharesWhatAllMustUse) {
  // Three have a path by cable 0, two of them a second one: only the third stays.
  const SplitProblem problem{{1, 1, 1}, {Paths{{0}, {1}}, Paths{{0}, {2}}, Paths{{0}}}};
  EXPECT_DOUBLE_EQ(EvenSplit(problem), 2);
  EXPECT_NEAR(FindBestSplit(problem).load, 1, 0.006);
  // A cable for all in front of it is the limit whatever they do.
  const SplitProblem narrow{{1, 1, 1}, {Paths{{2, 0}, {2, 1}}, Paths{{2, 0}, {2, 1}}}};
  EXPECT_DOUBLE_EQ(EvenSplit(narrow), 2);
  EXPECT_NEAR(FindBestSplit(narrow).bound, 2, 0.01);
}

TEST(BestSplit, ProvesItsTolerance) {
  RandomStream random(1, 2, RandomPurpose::kLevelPattern);
  for (int trial = 0; trial < 30; ++trial) {
    SplitProblem problem;
    for (int cable = 0; cable < 24; ++cable)
      problem.rates.push_back(1 + static_cast<double>(random.Below(4)));
    for (int connection = 0; connection < 20; ++connection) {
      Paths paths;
      for (std::uint64_t path = 0; path < 1 + random.Below(5); ++path)
        paths.push_back({static_cast<std::uint32_t>(random.Below(12)),
                         static_cast<std::uint32_t>(12 + random.Below(12))});
      problem.connections.push_back(paths);
    }
    const BestSplit best = FindBestSplit(problem, 0.002);
    EXPECT_LE(best.load, 1.002 * best.bound) << trial;
    EXPECT_LE(best.bound, EvenSplit(problem) * 1.0000001) << trial;
    // The load is that of the parts.
    std::vector<double> loads(problem.rates.size());
    for (std::size_t c = 0; c < problem.connections.size(); ++c) {
      EXPECT_NEAR(std::accumulate(best.parts[c].begin(), best.parts[c].end(), 0.0), 1, 1e-9);
      for (std::size_t path = 0; path < best.parts[c].size(); ++path) {
        for (const std::uint32_t cable : problem.connections[c][path])
          loads[cable] += best.parts[c][path] / problem.rates[cable];
      }
    }
    EXPECT_NEAR(*std::max_element(loads.begin(), loads.end()), best.load, 1e-9) << trial;
  }
}

}  // namespace
}  // namespace heddle
