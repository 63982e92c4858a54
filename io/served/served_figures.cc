// SPDX-License-Identifier: GPL-2.0-only
#include "io/served/served_figures.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace heddle {
namespace {

/// Interpolated linearly between neighbours. Sorts the values.
std::optional<double> PercentileOf(double share, std::vector<double>* values) {
  if (values->empty()) return std::nullopt;
  std::sort(values->begin(), values->end());
  const double place = share * static_cast<double>(values->size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const double low = (*values)[below], high = (*values)[std::min(below + 1, values->size() - 1)];
  return low + (high - low) * (place - static_cast<double>(below));
}

bool HasLevels(const Table& requests) {
  return std::any_of(requests.columns.begin(), requests.columns.end(),
                     [](const Column& column) { return column.name == "slo"; });
}

/// Adds what is known of limits. Results before version 3.14 say nothing of them.
void AddLevels(const Table& requests, double seconds, ServedFigures* figures) {
  if (!HasLevels(requests)) return;
  std::int64_t kept = 0, limited = 0;
  for (const std::string& word : GetColumn<std::string>(requests, "slo")) {
    kept += word == "kept" ? 1 : 0;
    limited += word != "none" ? 1 : 0;
  }
  if (limited == 0) return;
  figures->kept = static_cast<double>(kept) / static_cast<double>(figures->requests);
  figures->goodput = seconds > 0 ? static_cast<double>(kept) / seconds : 0;
}

}  // namespace

ServedFigures FiguresOfServed(const Table& requests) {
  const auto& state = GetColumn<std::string>(requests, "state");
  const auto& output = GetColumn<std::uint32_t>(requests, "output_tokens");
  const auto& arrival = GetColumn<std::int64_t>(requests, "arrival_ps");
  const auto& first = GetColumn<std::int64_t>(requests, "first_token_ps");
  const auto& last = GetColumn<std::int64_t>(requests, "last_token_ps");
  ServedFigures figures;
  figures.requests = static_cast<std::int64_t>(state.size());
  std::vector<double> ttft, tpot;
  double end = state.empty() ? 0 : static_cast<double>(arrival[0]);
  const double begin = end;
  for (std::size_t i = 0; i < state.size(); ++i) {
    if (state[i] != "finished") continue;
    ++figures.finished;
    end = std::max(end, static_cast<double>(last[i]));
    ttft.push_back(static_cast<double>(first[i]) - static_cast<double>(arrival[i]));
    if (output[i] > 1)
      tpot.push_back((static_cast<double>(last[i]) - static_cast<double>(first[i])) /
                     (static_cast<double>(output[i]) - 1));
  }
  figures.ttft_p50 = PercentileOf(0.5, &ttft);
  figures.ttft_p99 = PercentileOf(0.99, &ttft);
  figures.tpot_p50 = PercentileOf(0.5, &tpot);
  figures.tpot_p99 = PercentileOf(0.99, &tpot);
  AddLevels(requests, (end - begin) * 1e-12, &figures);
  return figures;
}

}  // namespace heddle
