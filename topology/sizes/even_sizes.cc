// SPDX-License-Identifier: GPL-2.0-only
#include "topology/sizes/even_sizes.h"

#include <algorithm>
#include <cmath>

namespace heddle {

std::vector<std::uint32_t> Divisors(std::uint32_t n) {
  std::vector<std::uint32_t> low, high;
  for (std::uint32_t d = 1; std::uint64_t{d} * d <= n; ++d) {
    if (n % d != 0) continue;
    low.push_back(d);
    if (d != n / d) high.push_back(n / d);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

bool IsNear(double ratio, double wanted) {
  constexpr double kTolerance = 1.1;
  return std::max(ratio, wanted) <= kTolerance * std::min(ratio, wanted);
}

bool ServersFit(std::uint32_t gpus_per_server, std::uint32_t gpus) {
  return gpus % gpus_per_server == 0 || gpus_per_server % gpus == 0;
}

}  // namespace heddle
