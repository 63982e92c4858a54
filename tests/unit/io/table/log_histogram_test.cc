// SPDX-License-Identifier: GPL-2.0-only
#include "io/table/log_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace heddle {
namespace {

TEST(LogHistogram, HoldTheirValuesAndAreNarrow) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const double value = std::ldexp(1 + static_cast<double>(random() % 1'000'000) / 1e6,
                                    static_cast<int>(random() % 80) - 20);
    LogHistogram bins;
    bins.Add(value);
    const Bin bin = bins.bins().at(0);
    ASSERT_LE(bin.from, value);
    ASSERT_LT(value, bin.to);
    ASSERT_LE((bin.to - bin.from) / bin.from, 1.0 / 64 + 1e-12);
  }
}

TEST(LogHistogram, QuantilesAreWithinABinOfTheSortedValues) {
  std::mt19937_64 random(3);
  std::vector<double> values;
  LogHistogram bins;
  for (int i = 0; i < 5000; ++i) {
    values.push_back(std::exp(static_cast<double>(random() % 10'000) / 1000));
    bins.Add(values.back());
  }
  std::sort(values.begin(), values.end());
  for (const double share : {0.01, 0.25, 0.5, 0.9, 0.99}) {
    const double exact = values[static_cast<std::size_t>(share * 5000) - 1];
    EXPECT_NEAR(QuantileOf(bins.bins(), share), exact, exact / 60) << share;
  }
  EXPECT_EQ(QuantileOf({}, 0.5), 0);
}

}  // namespace
}  // namespace heddle
