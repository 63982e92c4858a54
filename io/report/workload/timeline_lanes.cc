// SPDX-License-Identifier: GPL-2.0-only
#include "io/report/workload/timeline_lanes.h"

#include <algorithm>
#include <tuple>

namespace heddle {

std::vector<TimelineBar> JoinShortBars(std::vector<TimelineBar> bars, std::int64_t least_ps) {
  std::stable_sort(bars.begin(), bars.end(), [](const TimelineBar& a, const TimelineBar& b) {
    return std::tie(a.start_ps, a.end_ps) < std::tie(b.start_ps, b.end_ps);
  });
  const auto is_short = [&](const TimelineBar& bar) {
    return bar.end_ps - bar.start_ps < least_ps;
  };
  std::vector<TimelineBar> joined;
  for (const TimelineBar& bar : bars) {
    if (!joined.empty()) {
      TimelineBar& last = joined.back();
      const bool overlaps = bar.start_ps < last.end_ps;
      const bool near = bar.start_ps - last.end_ps < least_ps;
      if (overlaps || (near && (is_short(bar) || is_short(last)))) {
        last.end_ps = std::max(last.end_ps, bar.end_ps);
        last.together += bar.together;
        continue;
      }
    }
    joined.push_back(bar);
  }
  return joined;
}

std::vector<std::uint32_t> SpreadEvenly(std::uint32_t count, std::uint32_t most) {
  std::vector<std::uint32_t> chosen;
  const std::uint32_t kept = std::min(count, most);
  for (std::uint32_t i = 0; i < kept; ++i) {
    chosen.push_back(
        kept == 1 ? 0 : static_cast<std::uint32_t>(std::uint64_t{i} * (count - 1) / (kept - 1)));
  }
  return chosen;
}

}  // namespace heddle
