// SPDX-License-Identifier: GPL-2.0-only
/// Helpers for the sections of the report's data: numbers with few digits, and series with few
/// points.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/table/log_histogram.h"

namespace heddle {

using Json = nlohmann::json;

/// Bounds on the data of each run in a report, so that a page stays small for results of any size.
struct ReportLimits {
  std::size_t points = 1000;         ///< of a curve
  std::size_t time_bins = 256;       ///< of a heat map
  std::size_t heat_rows = 200;       ///< links in a heat map
  std::size_t queues = 8;            ///< curves of queues
  std::size_t table_rows = 300;      ///< of a table that grows with the run
  std::uint64_t traced = 5'000'000;  ///< flows whose paths are traced

  /// Returns the limits of each run on a page of `runs` runs.
  static ReportLimits ForRuns(std::size_t runs);
};

/// Rounds to `digits` significant digits.
inline double Rounded(double value, int digits = 5) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const int shift = digits - 1 - static_cast<int>(std::floor(std::log10(std::fabs(value))));
  const double scale = std::pow(10.0, std::abs(shift));  // whole, so that few digits stay few
  return shift >= 0 ? std::round(value * scale) / scale : std::round(value / scale) * scale;
}

/// Returns a distribution as {"x": [...], "share": [...]}: the share of values below each x, with
/// about `points` points; `most` is the largest value.
Json DistributionOf(const std::vector<Bin>& bins, std::size_t points, double most);

/// Returns the JSON text for a script element: pure ASCII, and without text that could end the
/// element.
std::string ScriptText(const Json& data);

}  // namespace heddle
