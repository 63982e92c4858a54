// SPDX-License-Identifier: GPL-2.0-only
#include "core/base/exponential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace heddle {
namespace {

TEST(Exponential, IsMinusTheLogarithmOfTheStream) {
  RandomStream numbers(1, 0, RandomPurpose::kTrace);
  RandomStream draws = numbers;
  for (int i = 0; i < 100000; ++i) {
    const double u = static_cast<double>(numbers.Next() | 1) * 0x1p-64;
    ASSERT_NEAR(DrawExponential(&draws), -std::log(u), 0x1p-39) << i;
  }
  EXPECT_EQ(draws.Next(), numbers.Next());  // one number a draw
}

/// Expected values computed in Python with logarithms of 40 digits.
TEST(Exponential, IsTheSameOnEveryMachine) {
  RandomStream random(1, 0, RandomPurpose::kTrace);
  std::vector<double> draws;
  for (int i = 0; i < 4; ++i) draws.push_back(DrawExponential(&random));
  EXPECT_EQ(draws, (std::vector<double>{0x1.5f4df2f0a344ap+0, 0x1.28d15d355332dp+0,
                                        0x1.6812d2a1ab8c0p+1, 0x1.4037c8a16bbd6p-2}));
}

/// Mean and standard deviation are 1; the square's mean is 2 and its standard deviation sqrt(20).
TEST(Exponential, MomentsWithinThreeSigma) {
  RandomStream random(3, 0, RandomPurpose::kTrace);
  constexpr int kDraws = 400000;
  double sum = 0, squares = 0;
  int above_three = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double draw = DrawExponential(&random);
    ASSERT_GT(draw, 0);
    ASSERT_LT(draw, 45);
    sum += draw;
    squares += draw * draw;
    above_three += draw > 3 ? 1 : 0;
  }
  const double root = std::sqrt(static_cast<double>(kDraws));
  EXPECT_NEAR(sum / kDraws, 1, 3 / root);
  EXPECT_NEAR(squares / kDraws, 2, 3 * std::sqrt(20.0) / root);
  const double tail = std::exp(-3.0);
  EXPECT_NEAR(above_three / static_cast<double>(kDraws), tail,
              3 * std::sqrt(tail * (1 - tail)) / root);
}

}  // namespace
}  // namespace heddle
