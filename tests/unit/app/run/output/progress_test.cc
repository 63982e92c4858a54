// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/output/progress.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle {
namespace {

TEST(ProgressEstimate, NothingBeforeThereIsSomethingToGoBy) {
  ProgressEstimate estimate;
  EXPECT_FALSE(estimate.Left());
  estimate.Add(0, 0);
  estimate.Add(2.9, 0.5);
  EXPECT_FALSE(estimate.Left()) << "too short";
  ProgressEstimate slow;
  slow.Add(0, 0);
  slow.Add(100, 0.0005);
  EXPECT_FALSE(slow.Left()) << "too little gain";
}

TEST(ProgressEstimate, SteadySpeed) {
  ProgressEstimate estimate;
  for (int i = 0; i <= 400; ++i) estimate.Add(i, i / 1000.0);
  ASSERT_TRUE(estimate.Left());
  EXPECT_NEAR(*estimate.Left(), 600, 1);
}

TEST(ProgressEstimate, FollowsARunThatBecomesSlower) {
  ProgressEstimate estimate;
  for (int i = 0; i <= 50; ++i) estimate.Add(i, i / 100.0);              // 1 % a second
  for (int i = 1; i <= 40; ++i) estimate.Add(50 + i, 0.5 + i / 1000.0);  // then 0.1 %
  ASSERT_TRUE(estimate.Left());
  EXPECT_NEAR(*estimate.Left(), 460, 20);
}

TEST(ProgressEstimate, ABurstDoesNotShakeIt) {
  ProgressEstimate estimate;  // flows that end together every 5 s
  double least = 1e9, most = 0;
  for (int i = 0; i <= 500; ++i) {
    estimate.Add(i, (i / 5) * 5 / 1000.0);
    if (i < 100) continue;
    const double expected = 1000 - i;
    least = std::min(least, *estimate.Left() / expected);
    most = std::max(most, *estimate.Left() / expected);
  }
  EXPECT_GT(least, 0.8);
  EXPECT_LT(most, 1.25);
}

TEST(ProgressEstimate, FrequentPointsDoNotPileUpNorChangeIt) {
  ProgressEstimate estimate;
  for (int i = 0; i <= 40000; ++i) estimate.Add(i * 0.01, i * 0.01 / 1000.0);
  EXPECT_NEAR(*estimate.Left(), 600, 1);
}

ProgressFigures Example() {
  ProgressState before, now;
  before.wall_seconds = 10;
  now.wall_seconds = 12;
  now.now = MicroSeconds(12345);
  now.events = 6'200'000;
  now.packet_hops = 10'400'000;
  now.blocked_seconds = 0.36;
  now.done = 412;
  now.expected = 1000;
  now.flows_finished = 7;
  now.flows = 20;
  now.memory_mib = 3.2 * 1024;
  return MakeFigures(before, now, 850.0);
}

TEST(Progress, FiguresAreThoseSinceTheLastCut) {
  const ProgressFigures figures = Example();
  EXPECT_DOUBLE_EQ(figures.share, 0.412);
  EXPECT_DOUBLE_EQ(figures.events_per_second, 3.1e6);
  EXPECT_DOUBLE_EQ(figures.hops_per_second, 5.2e6);
  EXPECT_DOUBLE_EQ(figures.blocked_share, 0.18);
  EXPECT_NEAR(figures.slowdown, 2 / 12.345e-3, 1e-6);
}

TEST(Progress, ARunThatGoesOnDoesNotCountWhatWasBefore) {
  ProgressState from, now;
  from.events = now.events = 1'000'000'000;
  from.now = now.now = MicroSeconds(500);
  now.events += 3'000;
  now.now = MicroSeconds(501);
  now.wall_seconds = 1;
  Progress progress(/*quiet=*/true);
  progress.GoOn(from);
  const ProgressFigures figures = progress.Show(now);
  EXPECT_DOUBLE_EQ(figures.events_per_second, 3'000);
  EXPECT_NEAR(figures.slowdown, 1e6, 1);
}

TEST(Progress, NoTimeSinceTheLastCutIsNoDivisionByZero) {
  const ProgressFigures figures = MakeFigures({}, {}, std::nullopt);
  EXPECT_EQ(figures.events_per_second, 0);
  EXPECT_EQ(figures.share, 0);
}

TEST(Progress, WholeLine) {
  EXPECT_EQ(ProgressLine(Example(), 500),
            "t=12.345 ms (41.2%)  3.1 M events/s  5.2 M hops/s  1:162  blocked 18%  RSS 3.2 GiB  "
            "7/20 flows  left 00:14:10");
}

TEST(Progress, FitsAnyWidthAndKeepsWhatMatters) {
  for (std::size_t width = 0; width <= 120; ++width)
    EXPECT_LE(ProgressLine(Example(), width).size(), width);
  EXPECT_EQ(ProgressLine(Example(), 40), "t=12.345 ms (41.2%)  left 00:14:10");
  EXPECT_EQ(ProgressLine(Example(), 79),
            "t=12.345 ms (41.2%)  3.1 M events/s  blocked 18%  RSS 3.2 GiB  left 00:14:10");
}

TEST(Progress, NothingIsSaidOfAnUnknownEnd) {
  ProgressFigures figures = Example();
  figures.left_seconds.reset();
  EXPECT_EQ(ProgressLine(figures, 500).find("left"), std::string::npos);
}

TEST(Progress, CutsAreRarerWhereTheyAreSlow) {
  EngineSetup setup;
  setup.report_interval = 0.2;
  EXPECT_DOUBLE_EQ(NextReportInterval(setup, 0.001), 0.2);
  EXPECT_DOUBLE_EQ(NextReportInterval(setup, 0.03), 3);
  EXPECT_DOUBLE_EQ(NextReportInterval(setup, 5), setup.longest_interval);
}

}  // namespace
}  // namespace heddle
