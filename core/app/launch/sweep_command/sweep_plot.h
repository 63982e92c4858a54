// SPDX-License-Identifier: GPL-2.0-only
/// One figure of a sweep over one of its axes: as a table for the terminal, and as the curves of a
/// page.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/app/launch/sweep/sweep_runs.h"
#include "core/app/launch/sweep_command/sweep_results.h"
#include "core/app/launch/sweep_table/sweep_table.h"
#include "io/report/report.h"

namespace heddle {

/// As given: --plot, --x, --by. Empty axes are chosen.
struct PlotWish {
  std::string figure, x, by;
};

/// What is drawn, found by the names that were given.
struct SweepPlot {
  std::string title;              ///< "bus bandwidth"
  std::string unit;               ///< "GB/s"; empty: a number
  std::string page_unit;          ///< "B/s", as the page's own figures are
  double page_scale = 1;          ///< from `unit` to `page_unit`
  std::string column;             ///< of table.csv
  std::size_t x = 0;              ///< axis
  std::optional<std::size_t> by;  ///< axis that names the curves; none: there is no other
};

/// Finds a figure of table.csv ("busbw", "step time", "fct_p99_us"), and axes by their keys, the
/// last part of a key, or another name of the option. Without x, the axis with numbers that has
/// most values; without by, the first of the others. Throws UsageError with the nearest name.
SweepPlot FindPlot(const PlotWish& wish, const SweepTable& table,
                   const std::vector<SweepRun>& runs);

/// Returns a line for each value of x, a column for each curve. Curves are distinguished by all
/// that varies beside x.
std::string PlotText(const SweepPlot& plot, const SweepTable& table,
                     const std::vector<SweepRun>& runs, const std::vector<SweepResult>& results);

/// Returns the same for the page; `rows`: the runs that it shows.
SweptPlot PlotOfPage(const SweepPlot& plot, const std::vector<SweepResult>& results,
                     const std::vector<std::size_t>& rows);

}  // namespace heddle
