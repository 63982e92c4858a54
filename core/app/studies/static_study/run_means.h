// SPDX-License-Identifier: GPL-2.0-only
/// What the runs of a study of static congestion gave together.
#pragma once

#include <cstdint>

#include "core/app/studies/static_study/congestion_study.h"
#include "core/app/studies/static_study/statistics.h"

namespace heddle {

struct RunMeans {
  std::uint64_t messages = 0, no_route = 0, loops = 0;  ///< of all runs
  /// Over runs with messages: LoadFigures::mean_bandwidth(), congestion, delay.
  Statistics bandwidth, congestion, delay;
};

/// Sums messages over all runs, and takes means over runs that have any.
RunMeans MeansOf(const CongestionStudy& study);

}  // namespace heddle
