// SPDX-License-Identifier: GPL-2.0-only
#include "io/collisions/flow_comparison.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "core/base/table.h"

namespace heddle {
namespace {

using Traffic = std::vector<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>>;

Traffic TrafficOf(const Table& flows) {
  const auto& source = GetColumn<std::uint32_t>(flows, "src");
  const auto& destination = GetColumn<std::uint32_t>(flows, "dst");
  const auto& size = GetColumn<std::int64_t>(flows, "size_bytes");
  Traffic traffic;
  traffic.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i)
    traffic.emplace_back(source[i], destination[i], size[i]);
  std::sort(traffic.begin(), traffic.end());
  return traffic;
}

}  // namespace

CompletionFigures FiguresOf(const Table& flows) {
  const auto& start = GetColumn<std::int64_t>(flows, "start_ps");
  const auto& fct = GetColumn<std::int64_t>(flows, "fct_ps");
  const auto& ideal = GetColumn<std::int64_t>(flows, "ideal_ps");
  CompletionFigures figures;
  figures.flows = fct.size();
  std::vector<std::int64_t> times;
  std::size_t compared = 0;
  for (std::size_t i = 0; i < fct.size(); ++i) {
    if (fct[i] < 0) continue;
    times.push_back(fct[i]);
    figures.mean_fct_ps += static_cast<double>(fct[i]);
    figures.last_end_ps = std::max(figures.last_end_ps, start[i] + fct[i]);
    if (ideal[i] <= 0) continue;
    const double slowdown = static_cast<double>(fct[i]) / static_cast<double>(ideal[i]);
    figures.mean_slowdown += slowdown;
    figures.max_slowdown = std::max(figures.max_slowdown, slowdown);
    ++compared;
  }
  figures.finished = times.size();
  if (times.empty()) return figures;
  std::sort(times.begin(), times.end());
  figures.mean_fct_ps /= static_cast<double>(times.size());
  figures.p99_fct_ps = times[(99 * times.size() + 99) / 100 - 1];
  figures.max_fct_ps = times.back();
  if (compared > 0) figures.mean_slowdown /= static_cast<double>(compared);
  return figures;
}

bool SameTraffic(const Table& a, const Table& b) { return TrafficOf(a) == TrafficOf(b); }

}  // namespace heddle
