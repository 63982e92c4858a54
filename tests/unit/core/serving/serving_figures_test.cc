// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/serving_figures.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

// 1, 2, 2, 2, 5: the median is 2; 90 % lie at place 3.6 between 2 and 5.
TEST(ServingFigures, PercentilesAreInterpolated) {
  const Latencies found = LatenciesOf({{1, 1}, {2, 3}, {5, 1}});
  EXPECT_EQ(found.count, 5);
  EXPECT_DOUBLE_EQ(found.mean, 12.0 / 5);
  EXPECT_DOUBLE_EQ(found.p50, 2);
  EXPECT_DOUBLE_EQ(found.p90, 2 + 0.6 * 3);
  EXPECT_DOUBLE_EQ(found.p99, 2 + 0.96 * 3);
  EXPECT_DOUBLE_EQ(found.most, 5);
  EXPECT_EQ(LatenciesOf({}).count, 0);
  EXPECT_DOUBLE_EQ(LatenciesOf({{7, 1}}).p99, 7);
}

RequestTimes Finished(std::int64_t first, std::int64_t last) {
  RequestTimes times;
  times.state = RequestState::kFinished;
  times.first = Time{first};
  times.last = Time{last};
  return times;
}

TEST(ServingFigures, LatenciesAndGoodput) {
  const ServingRequests requests = {{Time{10}, 5, 3}, {Time{20}, 5, 1}, {Time{30}, 5, 2}};
  std::vector<RequestTimes> times = {Finished(110, 310), Finished(60, 60), {}};
  times[2].state = RequestState::kRejected;
  const ServingFigures figures = FiguresOfServing(requests, times, {{100, 2}});
  EXPECT_EQ(figures.finished, 2);
  EXPECT_EQ(figures.rejected, 1);
  EXPECT_DOUBLE_EQ(figures.ttft.mean, 70);
  EXPECT_DOUBLE_EQ(figures.e2el.most, 300);
  EXPECT_EQ(figures.tpot.count, 1);
  EXPECT_DOUBLE_EQ(figures.tpot.mean, 100);
  EXPECT_EQ(figures.duration(), Time{300});
  ServiceLevel level;
  EXPECT_EQ(CountGood(requests, times, level), 2);
  level.ttft = Time{100};
  EXPECT_EQ(CountGood(requests, times, level), 2);
  level.ttft = Time{99};
  EXPECT_EQ(CountGood(requests, times, level), 1);
  level.tpot = Time{0};
  EXPECT_EQ(CountGood(requests, times, level), 1);  // one token has no time between tokens
}

}  // namespace
}  // namespace heddle
