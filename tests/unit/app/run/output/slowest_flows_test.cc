// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/output/slowest_flows.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {
namespace {

Table Sizes(const std::vector<double>& largest) {
  return {"flow_sizes", "", {{"slowdown_max", "1", "", largest}}};
}

/// One flow in each bin, given by its ends.
Table Histogram(const std::vector<double>& from, const std::vector<double>& to) {
  return {"slowdown_histogram",
          "",
          {{"slowdown_from", "1", "", from},
           {"slowdown_to", "1", "", to},
           {"flows", "1", "", std::vector<std::int64_t>(from.size(), 1)}}};
}

TEST(SlowestFlows, NoQuantileOfAHistogramIsAboveTheLargestSlowdown) {
  // The middle of the bin, 7.03125, lies above its only value.
  EXPECT_EQ(DescribeSlowdownHistogram(Sizes({7.02}), Histogram({7.0}, {7.0625})),
            "slowdown         p50 7.02x   p90 7.02x   p99 7.02x   worst 7.02x\n");
}

TEST(SlowestFlows, QuantilesOfAHistogramAreTheMiddlesOfItsBins) {
  EXPECT_EQ(DescribeSlowdownHistogram(Sizes({3.0, 1.2}), Histogram({1.0, 2.0}, {1.5, 3.0})),
            "slowdown         p50 1.25x   p90 1.25x   p99 1.25x   worst 3.00x\n");
  EXPECT_EQ(DescribeSlowdownHistogram(Sizes({}), Histogram({}, {})), "");
}

}  // namespace
}  // namespace heddle
