// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/static_study/run_means.h"

#include <vector>

namespace heddle {

RunMeans MeansOf(const CongestionStudy& study) {
  RunMeans means;
  std::vector<double> bandwidth, congestion, delay;
  for (const LoadFigures& run : study.runs) {
    means.messages += run.messages;
    means.no_route += run.no_route;
    means.loops += run.loops;
    if (run.messages == 0) continue;
    bandwidth.push_back(run.mean_bandwidth());
    congestion.push_back(run.congestion);
    delay.push_back(run.delay);
  }
  means.bandwidth = StatisticsOf(bandwidth);
  means.congestion = StatisticsOf(congestion);
  means.delay = StatisticsOf(delay);
  return means;
}

}  // namespace heddle
