// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/congestion/statistics.h"

#include <algorithm>

namespace heddle {

Statistics StatisticsOf(const std::vector<double>& values) {
  Statistics found;
  if (values.empty()) return found;
  found.least = *std::min_element(values.begin(), values.end());
  found.most = *std::max_element(values.begin(), values.end());
  for (const double value : values) found.mean += value;
  found.mean /= static_cast<double>(values.size());
  for (const double value : values) found.variance += (value - found.mean) * (value - found.mean);
  found.variance /= static_cast<double>(values.size());
  return found;
}

}  // namespace heddle
