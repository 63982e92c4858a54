// SPDX-License-Identifier: GPL-2.0-only
/// How evenly routes lie on cables when all pairs of hosts talk at once: ORCS's --routequal.
#pragma once

#include <cstdint>

#include "topology/load/static_paths.h"

namespace heddle {

/// Statistics over pairs with an inner cable (neither the first nor the last of the path): of each
/// pair the largest load among its inner cables.
struct RouteQuality {
  std::uint64_t pairs = 0;  ///< with an inner cable
  double least = 0, most = 0, mean = 0, sigma = 0;
};

/// Walks every ordered pair of hosts twice.
RouteQuality QualityOf(const StaticPaths& paths);

}  // namespace heddle
