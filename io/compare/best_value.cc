// SPDX-License-Identifier: GPL-2.0-only
#include "io/compare/best_value.h"

#include <fmt/format.h>

#include <cmath>

namespace heddle {

std::optional<std::size_t> BestValue(const std::vector<std::optional<double>>& values,
                                     Better better) {
  std::optional<std::size_t> best;
  if (better == Better::kNeither) return best;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i]) continue;
    const bool wins = !best || (better == Better::kLess ? *values[i] < *values[*best]
                                                        : *values[i] > *values[*best]);
    if (wins) best = i;
  }
  return best;
}

bool IsAsGood(double value, double best) {
  constexpr double kEqual = 5e-4;
  return value == best || (best != 0 && std::abs(value / best - 1) < kEqual);
}

std::string DifferenceText(double value, double best) {
  constexpr double kManyTimes = 10;
  if (IsAsGood(value, best) || best == 0) return "";
  const double ratio = value / best;
  return ratio >= kManyTimes ? fmt::format("{:.0f}x", ratio)
                             : fmt::format("{:+.1f} %", 100 * (ratio - 1));
}

}  // namespace heddle
