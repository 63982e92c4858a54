// SPDX-License-Identifier: GPL-2.0-only
/// Intervals of one kind on a time line, joined where they are too short to be seen.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle {

struct TimelineBar {
  std::int64_t start_ps = 0, end_ps = 0;
  std::uint32_t label = 0;     ///< of the first
  std::uint32_t together = 1;  ///< intervals that it stands for
};

/// Returns the bars in the order of their start, with those joined that overlap, and neighbours
/// less than `least_ps` apart of which one is shorter than that. So a time of `t` has at most some
/// 2 t / `least_ps` bars.
std::vector<TimelineBar> JoinShortBars(std::vector<TimelineBar> bars, std::int64_t least_ps);

/// Returns at most `most` of the numbers 0 to `count` - 1, evenly spread, the first and the last
/// among them.
std::vector<std::uint32_t> SpreadEvenly(std::uint32_t count, std::uint32_t most);

}  // namespace heddle
