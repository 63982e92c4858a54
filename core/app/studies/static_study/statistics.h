// SPDX-License-Identifier: GPL-2.0-only
/// Extremes, mean and variance of the values of runs.
#pragma once

#include <cstddef>
#include <vector>

namespace heddle {

struct Statistics {
  std::size_t count = 0;
  double least = 0, most = 0, mean = 0;
  double variance = 0;  ///< of the values, not an estimate of what they were drawn from

  /// Returns half the interval in which the mean of what they were drawn from lies with a
  /// probability of 95 %: 1.96 standard errors; 0 of fewer than two values.
  double error() const;
};

/// Returns zeros without a value.
Statistics StatisticsOf(const std::vector<double>& values);

}  // namespace heddle
