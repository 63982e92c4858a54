// SPDX-License-Identifier: GPL-2.0-only
/// What the runs of a study of static congestion gave together.
#ifndef HEDDLE_CORE_APP_STATIC_STUDY_RUN_MEANS_H_
#define HEDDLE_CORE_APP_STATIC_STUDY_RUN_MEANS_H_

#include <cstdint>

#include "core/app/static_study/congestion_study.h"
#include "core/app/static_study/statistics.h"

namespace heddle {

struct RunMeans {
  std::uint64_t messages = 0, no_route = 0, loops = 0;  ///< of all runs
  /// Over runs with messages: LoadFigures::mean_bandwidth(), congestion, delay.
  Statistics bandwidth, congestion, delay;
};

RunMeans MeansOf(const CongestionStudy& study);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_STATIC_STUDY_RUN_MEANS_H_
