// SPDX-License-Identifier: GPL-2.0-only
/// What a result says of a fabric: the step's time in parts, bandwidths of collectives, the hottest
/// tier, and what the end of the step waited for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/analysis/measured_times.h"
#include "io/analysis/step_shares.h"
#include "io/step/step_explanation.h"

namespace heddle {

struct TierUse {
  std::string name;    ///< "leaf to spine"; empty: nothing was sent but on NVLinks
  double mean = 0;     ///< utilisation over the run
  double highest = 0;  ///< in the interval in which it was used most (/tier_load)
};

struct FabricFigures {
  double step_ps = 0;                  ///< of the job that ends last, from its start
  std::vector<StepShare> shares;       ///< they sum to step_ps; in one order for all results
  std::vector<KindTimes> collectives;  ///< by operation, group, ranks and size
  TierUse hottest;
  double above_leaves = 0;        ///< bytes between switches
  std::uint64_t queue_pairs = 1;  ///< over which a message is divided (nic.qps_per_connection)
  StepExplanation why;            ///< of the same job
  std::string backend;            ///< "packet", ...
};

/// Throws UserError with the file's name for what is no result of a workload, or has no job that
/// ended.
FabricFigures ReadFabricFigures(const std::string& result);

}  // namespace heddle
