// SPDX-License-Identifier: GPL-2.0-only
#include "core/options/quantity_text.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(QuantityText, DurationsAndRates) {
  EXPECT_EQ(DurationText(0.4), "00:00:00");
  EXPECT_EQ(DurationText(850), "00:14:10");
  EXPECT_EQ(DurationText(86399.6), "1 d 00:00:00");
  EXPECT_EQ(RateText(0), "0");
  EXPECT_EQ(RateText(812), "812");
  EXPECT_EQ(RateText(999.6), "1.0 k");
  EXPECT_EQ(RateText(9.99e6), "10 M");
  EXPECT_EQ(RateText(31e5), "3.1 M");
}

TEST(QuantityText, DigitsInGroupsOfThree) {
  EXPECT_EQ(GroupedDigits(0), "0");
  EXPECT_EQ(GroupedDigits(999), "999");
  EXPECT_EQ(GroupedDigits(1000), "1,000");
  EXPECT_EQ(GroupedDigits(1234567), "1,234,567");
}

/// 7964700000005.999 us was printed by way of a double for 7964700000006 us.
TEST(QuantityText, MicrosecondsAreExact) {
  EXPECT_EQ(MicrosecondText(Time{1'699'549'440}), "1699.549");
  EXPECT_EQ(MicrosecondText(Time{0}), "0.000");
  EXPECT_EQ(MicrosecondText(Time{500}), "0.001");
  EXPECT_EQ(MicrosecondText(Time{7'964'700'000'006'000'000}), "7964700000006.000");
  EXPECT_EQ(MicrosecondText(Time{-1'500'000}), "-1.500");
  EXPECT_EQ(MicrosecondText(Time::Max()), "9223372036854.776");
}

}  // namespace
}  // namespace heddle
