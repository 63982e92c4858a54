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

TEST(Calibration, IsMetAtItsSizesGeometricBetweenThemAndFlatBeyond) {
  const CalibratedKind kind = TreeKind(16, 2);
  const Calibration known({RowOf(kind, kMiB, 2), RowOf(kind, 4 * kMiB, 0.5)});
  const auto at = [&](double bytes) { return known.Factor(kind, bytes).value(); };
  EXPECT_DOUBLE_EQ(at(kMiB), 2);
  EXPECT_NEAR(at(2 * kMiB), 1, 1e-12);
  EXPECT_DOUBLE_EQ(at(4 * kMiB), 0.5);
  EXPECT_DOUBLE_EQ(at(1), 2);
  EXPECT_DOUBLE_EQ(at(1e12), 0.5);
}

TEST(Calibration, IsGeometricBetweenNumbersOfRanks) {
  const Calibration known({RowOf(TreeKind(16, 2), 1, 1), RowOf(TreeKind(64, 8), 1, 4)});
  EXPECT_NEAR(known.Factor(TreeKind(32, 4), 1).value(), 2, 1e-12);
  EXPECT_DOUBLE_EQ(known.Factor(TreeKind(8, 4), 1).value(), 1);
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

TEST(Calibration, OtherAlgorithmsAndProtocolsHelpWhereTheirOwnSizesAreNotOnBothSides) {
  const CalibratedKind ll = TreeKind(16, 2, Protocol::kLl), simple = TreeKind(16, 2);
  const Calibration known({RowOf(ll, kKiB, 1), RowOf(ll, 16 * kKiB, 1), RowOf(simple, 4 * kKiB, 9),
                           RowOf(simple, 64 * kKiB, 4)});
  EXPECT_DOUBLE_EQ(known.Factor(ll, 4 * kKiB).value(), 1) << "between its own";
  EXPECT_NEAR(known.Factor(ll, 32 * kKiB).value(), 2, 1e-12) << "between its own and another's";
  EXPECT_DOUBLE_EQ(known.Factor(ll, kMiB).value(), 4);
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
  EXPECT_DOUBLE_EQ(known.Factor(TreeKind(16, 4), 1).value(), 1);
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
