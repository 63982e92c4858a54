// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/calibration/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "collectives/calibration/calibration_fit.h"

namespace heddle {
namespace {

CalibratedKind TreeKind(std::uint32_t ranks, std::uint32_t servers) {
  return {Operation::kAllReduce, Algorithm::kTree, Protocol::kSimple, ranks, servers};
}

TEST(Calibration, IsLinearBetweenSizesAndFlatBeyond) {
  const Calibration known(
      {{TreeKind(16, 2), 1e-6, 1 << 20, 0.5}, {TreeKind(16, 2), 1e-6, 4 << 20, 1}});
  const auto at = [&](double bytes) { return known.Find(TreeKind(16, 2), bytes)->TimeOf(1e-3); };
  EXPECT_DOUBLE_EQ(at(1 << 20), 1e-6 + 2e-3);
  EXPECT_DOUBLE_EQ(at(2 << 20), 1e-6 + 1.5e-3);
  EXPECT_DOUBLE_EQ(at(4 << 20), 1e-6 + 1e-3);
  EXPECT_DOUBLE_EQ(at(1), at(1 << 20));
  EXPECT_DOUBLE_EQ(at(1e12), at(4 << 20));
}

TEST(Calibration, IsLinearBetweenNumbersOfRanks) {
  const Calibration known({{TreeKind(16, 2), 1e-6, 1, 1}, {TreeKind(64, 8), 3e-6, 1, 0.5}});
  EXPECT_DOUBLE_EQ(known.Find(TreeKind(32, 4), 1)->latency, 2e-6);
  EXPECT_DOUBLE_EQ(known.Find(TreeKind(32, 4), 1)->slowness, 1.5);
  EXPECT_DOUBLE_EQ(known.Find(TreeKind(8, 4), 1)->latency, 1e-6);
  EXPECT_DOUBLE_EQ(known.Find(TreeKind(1024, 128), 1)->latency, 3e-6);
}

TEST(Calibration, OneServerAndOtherAlgorithmsAreApart) {
  const Calibration known({{TreeKind(16, 2), 1e-6, 1, 1}});
  EXPECT_FALSE(known.Find(TreeKind(16, 1), 1));
  CalibratedKind ring = TreeKind(16, 2);
  ring.algorithm = Algorithm::kRing;
  EXPECT_FALSE(known.Find(ring, 1));
  EXPECT_EQ(known.Describe(), "ALLREDUCE TREE SIMPLE (16 ranks)");
}

TEST(Calibration, OfEqualRanksTheNearestServersCount) {
  const Calibration known({{TreeKind(16, 2), 1e-6, 1, 1}, {TreeKind(16, 16), 9e-6, 1, 1}});
  EXPECT_DOUBLE_EQ(known.Find(TreeKind(16, 4), 1)->latency, 1e-6);
  EXPECT_DOUBLE_EQ(known.Find(TreeKind(16, 8), 1)->latency, 9e-6);
}

/// Points of a known latency and efficiency; the closed form believes in neither.
std::vector<MeasuredPoint> PointsOf(double latency, double (*efficiency)(std::int64_t), int sizes) {
  std::vector<MeasuredPoint> points;
  for (int i = 0; i < sizes; ++i) {
    const std::int64_t bytes = std::int64_t{1} << (12 + i);
    const double ports = static_cast<double>(bytes) * 1e-11;
    points.push_back({bytes, latency + ports / efficiency(bytes), ports, ports + 1e-6, 1});
  }
  return points;
}

TEST(CalibrationFit, FindsTheLatencyAndAnEfficiencyThatIsTheSameEverywhere) {
  const std::vector<CalibrationRow> rows =
      FitCalibration(TreeKind(16, 2), PointsOf(
                                          20e-6, [](std::int64_t) { return 0.8; }, 16));
  ASSERT_EQ(rows.size(), 9U);  // each size a quarter of the next, and the smallest
  EXPECT_NEAR(rows[0].latency, 20e-6, 0.5e-6);
  for (const CalibrationRow& row : rows) {
    if (row.bytes < 1 << 20) continue;
    EXPECT_NEAR(row.efficiency, 0.8, 0.02) << row.bytes;
  }
}

TEST(CalibrationFit, FollowsAnEfficiencyThatGrows) {
  const auto growing = [](std::int64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(bytes + (1 << 20));
  };
  const std::vector<MeasuredPoint> points = PointsOf(5e-6, growing, 20);
  const Calibration fitted(FitCalibration(TreeKind(16, 2), points));
  for (const MeasuredPoint& point : points) {
    const double time =
        fitted.Find(TreeKind(16, 2), static_cast<double>(point.bytes))->TimeOf(point.ports);
    EXPECT_NEAR(time / point.seconds, 1, 0.03) << point.bytes;
  }
}

TEST(CalibrationFit, OnePointIsMet) {
  const std::vector<CalibrationRow> rows =
      FitCalibration(TreeKind(16, 2), {{4096, 30e-6, 10e-6, 12e-6, 1}});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_NEAR(rows[0].latency + 10e-6 / rows[0].efficiency, 30e-6, 0.01e-6);
}

TEST(CalibrationFit, OneSizeThatIsFarOffHasAnotherEfficiency) {
  const std::vector<CalibrationRow> rows =
      FitCalibration(TreeKind(16, 2), {{1 << 29, 48e-3, 16e-3, 16.1e-3, 8}});
  EXPECT_NEAR(rows[0].latency, 0.1e-3, 0.1e-3);
  EXPECT_NEAR(rows[0].efficiency, 16e-3 / 47.9e-3, 0.01);
}

TEST(CalibrationFit, PointsFarFromTheClosedFormAreMet) {
  // Real messages between processes on a fabric of fast links: 200 and 120 times as long.
  const std::vector<MeasuredPoint> points = {{64000, 2029e-6, 0.53e-6, 11.2e-6, 6},
                                             {4000000, 5300e-6, 33e-6, 43.8e-6, 6}};
  for (const std::vector<MeasuredPoint>& some :
       {std::vector<MeasuredPoint>{points[0]}, {points[1]}, points}) {
    const Calibration fitted(FitCalibration(TreeKind(4, 1), some));
    for (const MeasuredPoint& point : some) {
      const double time =
          fitted.Find(TreeKind(4, 1), static_cast<double>(point.bytes))->TimeOf(point.ports);
      EXPECT_NEAR(time / point.seconds, 1, 0.02) << point.bytes << " of " << some.size();
    }
  }
}

TEST(CalibrationFit, StaysInItsBounds) {
  // Faster than any efficiency allows, and slower at less: no latency below 0 and no infinity.
  const std::vector<CalibrationRow> rows =
      FitCalibration(TreeKind(16, 2), {{4096, 1e-6, 1e-3, 1e-3, 1}, {1 << 20, 1e-9, 1, 1, 1}});
  for (const CalibrationRow& row : rows) {
    EXPECT_GE(row.latency, 0);
    EXPECT_GE(row.efficiency, kLeastEfficiency);
    EXPECT_LE(row.efficiency, kMostEfficiency * 1.000001);
  }
}

}  // namespace
}  // namespace heddle
