// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep_command/sweep_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/app/launch/sweep_command/sweep_plot.h"
#include "core/app/launch/sweep_command/sweep_text.h"
#include "core/app/launch/sweep_table/run_keys.h"

namespace heddle {
namespace {

bool HasOwnWords(const SweepAxis& axis) {
  return NamesFile(axis.key) ||
         std::any_of(axis.values.begin(), axis.values.end(), [](const SweepEntry& entry) {
           return !entry.label.empty() || !entry.word.empty();
         });
}

}  // namespace

SweptRuns SweptOf(const SweepTable& table) {
  SweptRuns sweep;
  for (const SweepAxis& axis : table.axes) {
    sweep.axes.push_back(axis.key);
    sweep.zips.push_back(axis.zip);
    const bool other_draws = axis.key == "seed";  // of the same traffic
    if (axis.values.size() > 1 && IsTrafficKey(axis.key) && !other_draws)
      sweep.same_traffic = false;
  }
  return sweep;
}

std::vector<std::string> PageValues(const SweepTable& table, const SweepRun& run) {
  std::vector<std::string> values;
  for (std::size_t axis = 0; axis < table.axes.size(); ++axis)
    values.push_back(HasOwnWords(table.axes[axis]) ? run.shown[axis] : run.values[axis]);
  return values;
}

std::string PlotHint(const SweepTable& table, const std::vector<SweepRun>& runs,
                     const std::vector<SweepResult>& results) {
  const auto has = [&](std::optional<double> SweepFigures::*figure) {
    return std::any_of(results.begin(), results.end(),
                       [&](const SweepResult& result) { return result.figures.*figure; });
  };
  const std::vector<std::size_t> varying = VaryingAxes(table, runs);
  if (varying.empty() || !has(&SweepFigures::completion_us)) return "";
  const char* figure = has(&SweepFigures::ttft_p99_us)         ? "ttft"
                       : has(&SweepFigures::busbw_gbyte_per_s) ? "busbw"
                       : has(&SweepFigures::step_us)           ? "step"
                                                               : "p99";
  const SweepPlot plot = FindPlot({figure, "", ""}, table, runs);
  std::string hint = fmt::format("; --plot {} --x {}", figure, table.axes[plot.x].key);
  for (const std::size_t axis : varying) {
    const int zip = table.axes[axis].zip;
    if (axis == plot.x || (zip > 0 && zip == table.axes[plot.x].zip)) continue;
    return hint + " --by " + table.axes[axis].key + " draws one figure";
  }
  return hint + " draws one figure";
}

}  // namespace heddle
