// SPDX-License-Identifier: GPL-2.0-only
#include "core/base/sample_grid.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle {
namespace {

TEST(SampleGrid, MultiplesOfAnIntervalFromTheStartOn) {
  const SampleGrid grid(MicroSeconds(5), MicroSeconds(10));
  EXPECT_EQ(grid.AtOrAfter(Time{0}), MicroSeconds(15));
  EXPECT_EQ(grid.AtOrAfter(MicroSeconds(5)), MicroSeconds(15));
  EXPECT_EQ(grid.AtOrAfter(MicroSeconds(15)), MicroSeconds(15));
  EXPECT_EQ(grid.AtOrAfter(MicroSeconds(15) + PicoSeconds(1)), MicroSeconds(25));
  EXPECT_EQ(grid.Before(MicroSeconds(15)), MicroSeconds(5));
  EXPECT_EQ(grid.Before(MicroSeconds(17)), MicroSeconds(15));
  EXPECT_EQ(grid.CountUntil(MicroSeconds(5)), 0);
  EXPECT_EQ(grid.CountUntil(MicroSeconds(34)), 2);
}

/// All samples up to a time, by walking.
std::vector<Time> Walk(const SampleGrid& grid, Time end) {
  std::vector<Time> times;
  for (Time t = grid.AtOrAfter(Time{0}); t <= end; t = grid.AtOrAfter(t + PicoSeconds(1)))
    times.push_back(t);
  return times;
}

TEST(SampleGrid, AutomaticIntervalsFollowTheLengthOfTheRun) {
  const SampleGrid grid(Time{0}, SampleGrid::kAutomatic);
  EXPECT_EQ(grid.AtOrAfter(Time{0}), MicroSeconds(1));
  EXPECT_EQ(grid.AtOrAfter(MicroSeconds(256)), MicroSeconds(256));
  EXPECT_EQ(grid.AtOrAfter(MicroSeconds(256) + PicoSeconds(1)), MicroSeconds(258));
  for (const std::int64_t us : {3, 255, 256, 257, 1500, 4200, 1'000'000}) {
    const std::vector<Time> times = Walk(grid, MicroSeconds(us));
    EXPECT_EQ(grid.CountUntil(MicroSeconds(us)), static_cast<std::int64_t>(times.size())) << us;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const Time before = i == 0 ? Time{0} : times[i - 1];
      ASSERT_EQ(grid.Before(times[i]), before) << us;
      ASSERT_EQ(grid.IntervalOf(times[i]), times[i] - before) << us;
      // A longer interval begins where shorter ones end.
      ASSERT_EQ(before.ps % (times[i] - before).ps, 0) << us;
    }
    if (us <= 256) continue;
    const std::int64_t as_last = us * 1'000'000 / grid.IntervalOf(MicroSeconds(us)).ps;
    EXPECT_GE(as_last, 128) << us;
    EXPECT_LE(as_last, 256) << us;
  }
}

}  // namespace
}  // namespace heddle
