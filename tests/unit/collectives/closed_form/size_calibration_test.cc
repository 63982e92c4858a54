// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/closed_form/size_calibration.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle {
namespace {

constexpr double kFirstSize = 1 << 24;

TEST(SizeCalibration, AtRowsAndColumnsItIsTheTable) {
  EXPECT_DOUBLE_EQ(CalibratedPart(SimaiRatioTable::kNic, kFirstSize, 1), 0.45 / 0.81);
  EXPECT_DOUBLE_EQ(CalibratedPart(SimaiRatioTable::kNvlink, 4 * kFirstSize, 2), 0.74 / 0.88);
  EXPECT_DOUBLE_EQ(CalibratedPart(SimaiRatioTable::kNic, kFirstSize, 128), 0.0087 / 0.919175);
}

TEST(SizeCalibration, IsLinearInLogarithms) {
  // sqrt(2) x 16 MiB: halfway between 0.45 and 0.55 of 0.81.
  EXPECT_NEAR(CalibratedPart(SimaiRatioTable::kNic, kFirstSize * std::sqrt(2.0), 1), 0.5 / 0.81,
              1e-9);
  // sqrt(2) servers: halfway between 0.45 and 0.32, of halfway between 0.81 and 0.96.
  EXPECT_NEAR(CalibratedPart(SimaiRatioTable::kNic, kFirstSize, std::sqrt(2.0)), 0.385 / 0.885,
              1e-9);
}

TEST(SizeCalibration, IsFlatBeyondTheTable) {
  EXPECT_DOUBLE_EQ(CalibratedPart(SimaiRatioTable::kNic, 1, 1), 0.45 / 0.81);
  EXPECT_DOUBLE_EQ(CalibratedPart(SimaiRatioTable::kNic, 1e12, 4), 1);
  // Columns of more than 16 servers are empty.
  EXPECT_DOUBLE_EQ(CalibratedPart(SimaiRatioTable::kAllToAll, kFirstSize, 64), 0.62 / 0.9);
  EXPECT_DOUBLE_EQ(CalibratedPart(SimaiRatioTable::kAllToAll, kFirstSize, 9000), 0.62 / 0.9);
}

TEST(SizeCalibration, UnknownNumbersOfServersLieBetween) {
  const double three = CalibratedPart(SimaiRatioTable::kNic, kFirstSize, 3);
  EXPECT_LT(three, CalibratedPart(SimaiRatioTable::kNic, kFirstSize, 2));
  EXPECT_GT(three, CalibratedPart(SimaiRatioTable::kNic, kFirstSize, 4));
}

TEST(SizeCalibration, LeastTimes) {
  EXPECT_DOUBLE_EQ(CalibratedLeastTime(2), 10e-6);
  EXPECT_DOUBLE_EQ(CalibratedLeastTime(128), 320e-6);
  EXPECT_DOUBLE_EQ(CalibratedLeastTime(4096), 320e-6);
  EXPECT_NEAR(CalibratedLeastTime(3), 10e-6 + 2e-6 * (std::log2(3.0) - 1), 1e-12);  // SimAI: 0
}

}  // namespace
}  // namespace heddle
