// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/simai_closed_form/simai_ticks.h"

#include <gtest/gtest.h>

#include <limits>

namespace heddle {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(SimaiTicks, AreCutDown) {
  EXPECT_EQ(TicksOf(0.999), 0U);
  EXPECT_EQ(TicksOf(15628.9), 15628U);
}

TEST(SimaiTicks, NegativeTimesWrapAndOthersHaveTheProcessorsValues) {
  EXPECT_EQ(TicksOf(-1.5), std::numeric_limits<SimaiTicks>::max());  // 2^64 - 1
  EXPECT_EQ(TicksOf(std::numeric_limits<double>::quiet_NaN()), SimaiTicks{1} << 63);
  EXPECT_EQ(TicksOf(kInfinity), 0U);
  EXPECT_EQ(TicksOf(-kInfinity), SimaiTicks{1} << 63);
  EXPECT_EQ(TicksOf(9223372036854775808.0), SimaiTicks{1} << 63);
  EXPECT_EQ(TicksOf(18446744073709551616.0), 0U);
}

TEST(SimaiTicks, ScalingKeeps24Bits) {
  EXPECT_EQ(ScaledTicks(16777217, 1), 16777216U);
  EXPECT_EQ(ScaledTicks(1000, 0.25F), 250U);
}

TEST(SimaiTicks, AWrappedTimeIsExposedForNothingUnlessSomeIsHidden) {
  const SimaiTicks wrapped = TicksOf(-1e9);
  EXPECT_EQ(ScaledTicks(wrapped, 1), 0U);  // rounds to 2^64, which is 0
  EXPECT_EQ(ScaledTicks(wrapped, 0.5F), SimaiTicks{1} << 63);
}

}  // namespace
}  // namespace heddle
