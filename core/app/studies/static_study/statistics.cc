// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/static_study/statistics.h"

#include <algorithm>
#include <cmath>

namespace heddle {

double Statistics::error() const {
  return count < 2 ? 0 : 1.96 * std::sqrt(variance / (static_cast<double>(count) - 1));
}

Statistics StatisticsOf(const std::vector<double>& values) {
  Statistics found;
  found.count = values.size();
  if (values.empty()) return found;
  found.least = *std::min_element(values.begin(), values.end());
  found.most = *std::max_element(values.begin(), values.end());
  for (const double value : values) found.mean += value;
  found.mean /= static_cast<double>(values.size());
  for (const double value : values) found.variance += (value - found.mean) * (value - found.mean);
  found.variance /= static_cast<double>(values.size());
  if (found.least == found.most) found.mean = found.most, found.variance = 0;  // no rounding
  return found;
}

}  // namespace heddle
