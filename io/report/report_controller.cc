// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>
#include <array>

#include "core/base/table.h"
#include "io/analysis/controller_join.h"
#include "io/report/report_parts.h"

namespace heddle {

Json ReportController(const ReportSource& source, const ReportLimits& limits) {
  if (!source.HasRows(kRequestTable)) return nullptr;
  const std::size_t bins = std::min<std::size_t>(limits.points, 200);
  const double width = static_cast<double>(source.end_ps()) / static_cast<double>(bins);
  std::array<std::int64_t, 3> outcomes{};
  std::array<std::int64_t, 2> causes{};
  std::array<std::vector<std::int64_t>, 3> over_time;
  for (auto& counts : over_time) counts.resize(bins);
  LogHistogram waits, answers;
  std::int64_t waited = 0, longest = 0, held = 0;
  double wait_sum = 0, candidates = 0, most_candidates = 0;
  ForEachBlock(
      source.reader(), kRequestTable,
      {"cause", "outcome", "candidates", "asked_ps", "decided_ps", "wait_ps", "released_ps"},
      [&](const Table& block) {
        const auto& cause = GetColumn<std::uint8_t>(block, "cause");
        const auto& outcome = GetColumn<std::uint8_t>(block, "outcome");
        const auto& tried = GetColumn<std::uint32_t>(block, "candidates");
        const auto& asked = GetColumn<std::int64_t>(block, "asked_ps");
        const auto& decided = GetColumn<std::int64_t>(block, "decided_ps");
        const auto& wait = GetColumn<std::int64_t>(block, "wait_ps");
        const auto& released = GetColumn<std::int64_t>(block, "released_ps");
        for (std::size_t i = 0; i < cause.size(); ++i) {
          const std::size_t kind = std::min<std::size_t>(outcome[i], 2);
          ++causes[std::min<std::size_t>(cause[i], 1)];
          ++outcomes[kind];
          ++over_time[kind][std::min(bins - 1, static_cast<std::size_t>(std::max(
                                                   0.0, static_cast<double>(decided[i]) / width)))];
          candidates += tried[i];
          most_candidates = std::max(most_candidates, static_cast<double>(tried[i]));
          if (cause[i] == 0) {
            answers.Add(static_cast<double>(decided[i] - asked[i]));
            waits.Add(static_cast<double>(wait[i]));
            waited += wait[i] > 0 ? 1 : 0;
            wait_sum += static_cast<double>(wait[i]);
            longest = std::max(longest, wait[i]);
          }
          held += released[i] < 0 && kind != 1 ? 1 : 0;
        }
      });
  const double decisions = static_cast<double>(outcomes[0] + outcomes[1] + outcomes[2]);
  return {{"requests", causes[0]},
          {"moves", causes[1]},
          {"free", outcomes[0]},
          {"own_port", outcomes[1]},
          {"least_loaded", outcomes[2]},
          {"waited", waited},
          {"wait_mean_ps", waited > 0 ? Rounded(wait_sum / static_cast<double>(waited)) : 0},
          {"wait_p99_ps", Rounded(QuantileOf(waits.bins(), 0.99))},
          {"wait_max_ps", longest},
          {"answer_p50_ps", Rounded(QuantileOf(answers.bins(), 0.5))},
          {"answer_p99_ps", Rounded(QuantileOf(answers.bins(), 0.99))},
          {"candidates_mean", Rounded(candidates / decisions)},
          {"candidates_max", most_candidates},
          {"held", held},
          {"over_time",
           {{"from_ps", 0},
            {"bin_ps", Rounded(width, 9)},
            {"free", over_time[0]},
            {"own_port", over_time[1]},
            {"least_loaded", over_time[2]}}}};
}

}  // namespace heddle
