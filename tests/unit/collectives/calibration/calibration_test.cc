// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/calibration/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle {
namespace {

constexpr double kKiB = 1024, kMiB = kKiB * kKiB;

CalibratedKind TreeKind(std::uint32_t ranks, std::uint32_t servers,
                        Protocol protocol = Protocol::kSimple) {
  return {Operation::kAllReduce, Algorithm::kTree, protocol, ranks, servers};
}

/// A row whose measured time is `factor` times the closed form's.
CalibrationRow RowOf(const CalibratedKind& kind, double bytes, double factor) {
  return {kind, static_cast<std::int64_t>(bytes), factor * 1e-3, 1e-3};
}

TEST(Calibration, IsMetAtItsSizesBetweenThemInBetweenAndBeyondNearerToTheMean) {
  const CalibratedKind kind = TreeKind(16, 2);
  const Calibration known({RowOf(kind, kMiB, 2), RowOf(kind, 4 * kMiB, 0.5)});
  const auto at = [&](double bytes) { return known.Factor(kind, bytes).value(); };
  EXPECT_NEAR(at(kMiB), 2, 1e-12);
  EXPECT_NEAR(at(2 * kMiB), 1, 1e-12);
  EXPECT_NEAR(at(4 * kMiB), 0.5, 1e-12);
  // By hand, of two sizes 2 doublings apart whose logarithms are l and -l: the mean is 0, and the
  // weights l / (1 - c) and -l / (1 - c), c = exp(-2 / 16).
  const double l = std::log(2), c = std::exp(-2.0 / 16);
  const double beyond = l * (std::exp(-4.0 / 16) - std::exp(-6.0 / 16)) / (1 - c);
  EXPECT_NEAR(at(kMiB / 16), std::exp(beyond), 1e-12);
  EXPECT_NEAR(at(64 * kMiB), std::exp(-beyond), 1e-12);
}

TEST(Calibration, OneSizeIsTheFactorOfAll) {
  const Calibration known({RowOf(TreeKind(16, 2, Protocol::kLl), kMiB, 3)});
  for (const double bytes : {1.0, kKiB, kMiB, 1e12}) {
    EXPECT_NEAR(known.Factor(TreeKind(16, 2), bytes).value(), 3, 1e-12);
    EXPECT_NEAR(known.Factor(TreeKind(16, 2, Protocol::kLl), bytes).value(), 3, 1e-12);
  }
}

TEST(Calibration, IsGeometricBetweenNumbersOfRanks) {
  const Calibration known({RowOf(TreeKind(16, 2), 1, 1), RowOf(TreeKind(64, 8), 1, 4)});
  EXPECT_NEAR(known.Factor(TreeKind(32, 4), 1).value(), 2, 1e-12);
  EXPECT_NEAR(known.Factor(TreeKind(8, 4), 1).value(), 1, 1e-12);
  EXPECT_NEAR(known.Factor(TreeKind(1024, 128), 1).value(), 4, 1e-12);
}

TEST(Calibration, OneServerAndOtherOperationsAreApart) {
  const Calibration known({RowOf(TreeKind(16, 2), 1, 3)});
  EXPECT_FALSE(known.Factor(TreeKind(16, 1), 1));
  CalibratedKind gather = TreeKind(16, 2);
  gather.operation = Operation::kAllGather;
  EXPECT_FALSE(known.Factor(gather, 1));
  EXPECT_EQ(known.Describe(), "ALLREDUCE (16 ranks)");
}

TEST(Calibration, OtherAlgorithmsAndProtocolsCountLess) {
  const CalibratedKind ll = TreeKind(16, 2, Protocol::kLl), simple = TreeKind(16, 2);
  const Calibration known({RowOf(ll, kKiB, 1), RowOf(ll, 16 * kKiB, 1), RowOf(simple, 4 * kKiB, 9),
                           RowOf(simple, 64 * kKiB, 4)});
  const auto at = [&](const CalibratedKind& kind, double bytes) {
    return known.Factor(kind, bytes).value();
  };
  EXPECT_NEAR(at(ll, kKiB), 1, 1e-12);
  EXPECT_NEAR(at(simple, 64 * kKiB), 4, 1e-12);
  // Between its own sizes, and beyond, each is nearer to its own.
  EXPECT_LT(at(ll, 4 * kKiB), 2);
  EXPECT_GT(at(simple, 16 * kKiB), 4);
  EXPECT_LT(at(ll, kMiB), at(simple, kMiB));
  // So are others, which have the mean of all and a part of what is near.
  const CalibratedKind other = TreeKind(16, 2, Protocol::kLl128);
  EXPECT_GT(at(other, 4 * kKiB), at(ll, 4 * kKiB));
  EXPECT_LT(at(other, 4 * kKiB), at(simple, 4 * kKiB));
  EXPECT_TRUE(known.Has(ll));
  EXPECT_FALSE(known.Has(TreeKind(16, 2, Protocol::kLl128)));
}

TEST(Calibration, OfOneSizeByTwoProtocolsTheMeanCountsForOthers) {
  const Calibration known({RowOf(TreeKind(16, 2, Protocol::kLl), 1, 2),
                           RowOf(TreeKind(16, 2, Protocol::kSimple), 1, 8)});
  EXPECT_NEAR(known.Factor(TreeKind(16, 2, Protocol::kLl128), 1).value(), 4, 1e-12);
}

TEST(Calibration, OfEqualRanksTheNearestServersCount) {
  const Calibration known({RowOf(TreeKind(16, 2), 1, 1), RowOf(TreeKind(16, 16), 1, 9)});
  EXPECT_NEAR(known.Factor(TreeKind(16, 4), 1).value(), 1, 1e-12);
  EXPECT_NEAR(known.Factor(TreeKind(16, 8), 1).value(), 9, 1e-12);
  EXPECT_EQ(known.Describe(), "ALLREDUCE (16 ranks)");
}

TEST(Calibration, AnotherClosedFormHasItsOwnFactors) {
  const CalibratedKind kind = TreeKind(16, 2);
  const Calibration known({RowOf(kind, kMiB, 2)});
  const auto half = [](const CalibrationRow& row) { return row.closed_form / 2; };
  EXPECT_NEAR(known.Factor(kind, kMiB, half).value(), 4, 1e-12);
}

}  // namespace
}  // namespace heddle
