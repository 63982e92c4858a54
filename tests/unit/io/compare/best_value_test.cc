// SPDX-License-Identifier: GPL-2.0-only
#include "io/compare/best_value.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace heddle {
namespace {

using MaybeValues = std::vector<std::optional<double>>;

TEST(BestValue, IsTheLeastOrTheMostAndTheFirstOfEquals) {
  const MaybeValues values = {3, 1, 2, 1, 3};
  EXPECT_EQ(BestValue(values, Better::kLess), 1u);
  EXPECT_EQ(BestValue(values, Better::kMore), 0u);
  EXPECT_EQ(BestValue(values, Better::kNeither), std::nullopt);
}

TEST(BestValue, IsOfValuesThatAreThere) {
  EXPECT_EQ(BestValue({std::nullopt, 5, std::nullopt, 4}, Better::kLess), 3u);
  EXPECT_EQ(BestValue({std::nullopt, 0}, Better::kMore), 1u) << "0 is a value";
  EXPECT_EQ(BestValue({std::nullopt}, Better::kLess), std::nullopt);
  EXPECT_EQ(BestValue({}, Better::kMore), std::nullopt);
}

// Half of 0.1 % of 1000 is 0.5.
TEST(BestValue, IsEqualledWhereADifferenceWouldShowAsNothing) {
  EXPECT_TRUE(IsAsGood(1000, 1000));
  EXPECT_TRUE(IsAsGood(1000.4, 1000));
  EXPECT_TRUE(IsAsGood(999.6, 1000));
  EXPECT_FALSE(IsAsGood(1000.6, 1000));
  EXPECT_TRUE(IsAsGood(0, 0));
  EXPECT_FALSE(IsAsGood(1e-12, 0)) << "more than nothing";
}

TEST(BestValue, DifferencesAreInPercentUpToTenTimes) {
  EXPECT_EQ(DifferenceText(1032, 1000), "+3.2 %");
  EXPECT_EQ(DifferenceText(500, 1000), "-50.0 %");
  EXPECT_EQ(DifferenceText(0, 1000), "-100.0 %");
  EXPECT_EQ(DifferenceText(9990, 1000), "+899.0 %");
  EXPECT_EQ(DifferenceText(10'000, 1000), "10x");
  EXPECT_EQ(DifferenceText(111'130, 1000), "111x");
}

TEST(BestValue, WhatIsAsGoodHasNoDifferenceAndNothingHasOneToZero) {
  EXPECT_EQ(DifferenceText(1000.4, 1000), "");
  EXPECT_EQ(DifferenceText(0, 0), "");
  EXPECT_EQ(DifferenceText(7, 0), "");
}

}  // namespace
}  // namespace heddle
