// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/runs/cuts.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/fuzz/runs/draw.h"
#include "transport/model/record/tier_load.h"

namespace heddle {
namespace {

/// The longest time between two samples at the end, or a bin of the tiers' load if there are none.
Time LongestInterval(const MonitorOptions& monitors, Time end) {
  Time longest = TierLoad::WidthFor(end);
  if (end <= monitors.start) return longest;
  if (monitors.queues) longest = std::max(longest, monitors.queue_grid().IntervalOf(end));
  if (monitors.links) longest = std::max(longest, monitors.link_grid().IntervalOf(end));
  if (monitors.rates || monitors.cnps)
    longest = std::max(longest, monitors.pair_grid().IntervalOf(end));
  return longest;
}

/// A stream of its own, so that the scenarios of all seeds stay what they are.
class CutDraw final : private Draw {
 public:
  explicit CutDraw(std::uint64_t seed) : Draw(seed * 0x9e3779b97f4a7c15 + 1) {}

  std::vector<Time> Times(Time end, Time interval) {
    std::vector<Time> times;
    for (std::uint32_t count = Between(1, 3); count > 0; --count) {
      const bool anywhere = Chance(4);
      const Time from = anywhere ? Time{0} : std::max(Time{0}, end - interval);
      const Time until = anywhere ? end : end + interval;
      const auto span = static_cast<std::size_t>((until - from).ps) + 1;
      times.push_back(from + Time{static_cast<std::int64_t>(random_() % span)});
    }
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return times;
  }

  void Monitors(MonitorOptions* monitors) {
    bool* const kinds[] = {&monitors->queues, &monitors->links, &monitors->rates,
                           &monitors->cnps,   &monitors->pfc,   &monitors->cast};
    const bool all = Chance(3);
    for (bool* kind : kinds) *kind = all || Chance(2);
    monitors->links = monitors->links || !monitors->queues;
    monitors->on_change = Chance(4);
    for (Time* interval :
         {&monitors->queue_interval, &monitors->link_interval, &monitors->pair_interval}) {
      *interval = Pick(std::vector<Time>{SampleGrid::kAutomatic, NanoSeconds(500), MicroSeconds(7),
                                         MicroSeconds(100)});
    }
  }
};

}  // namespace

std::vector<Time> DrawCuts(std::uint64_t seed, Time end, const MonitorOptions& monitors) {
  return CutDraw(seed).Times(end, LongestInterval(monitors, end));
}

void AddCuts(std::uint64_t seed, Time end, std::vector<Time>* stops) {
  const std::vector<Time> more = DrawCuts(seed, end, {});
  stops->insert(stops->end(), more.begin(), more.end());
  std::sort(stops->begin(), stops->end());
  stops->erase(std::unique(stops->begin(), stops->end()), stops->end());
}

void DrawMonitors(std::uint64_t seed, TransportOptions* options) {
  CutDraw(~seed).Monitors(&options->monitors);
}

void CutRun(std::uint64_t seed, const testing::Observed& whole, const MonitorOptions& monitors,
            const std::string& checkpoint, testing::RunPlan* plan) {
  plan->stops = DrawCuts(seed, whole.traffic_end, monitors);
  plan->checkpoint = checkpoint;
  if (seed % 2 == 0) plan->check_every = 0;
}

std::string DescribeCuts(const testing::RunPlan& plan) {
  std::string text = plan.check_every == 0 ? "flushed after each window, cut at" : "cut at";
  for (const Time stop : plan.stops) text += fmt::format(" {} ps", stop.ps);
  return text;
}

}  // namespace heddle
