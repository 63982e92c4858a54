// SPDX-License-Identifier: GPL-2.0-only
/// Distribution of a result's completion times: from its histograms or, in results without them,
/// from table "flows".
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "io/analysis/result_view.h"
#include "io/table/log_histogram.h"

namespace heddle {

/// Finished flows of sizes from `from_bytes` to before `to_bytes`.
struct SizeClass {
  std::int64_t from_bytes = 0, to_bytes = 0;
  std::int64_t flows = 0, bytes = 0;
  double fct_mean_ps = 0, slowdown_mean = 0, slowdown_max = 0;
  std::int64_t fct_max_ps = 0;
  std::vector<Bin> slowdowns;  ///< of flows with an ideal time, as the two figures above
};

struct ReportedFlows {
  std::int64_t planned = 0, finished = 0;
  /// Number of unfinished rows of table "flows"; index: column `state`.
  std::array<std::int64_t, 6> unfinished_by_state{};
  std::vector<Bin> fct_ps;
  std::vector<SizeClass> sizes;  ///< ascending
  bool whole = true;  ///< whether all finished flows are included; false if the run kept no records

  std::int64_t bytes() const;       ///< sum of the sizes of finished flows
  double fct_mean_ps() const;       ///< over all finished flows; 0 if there are none
  std::int64_t fct_max_ps() const;  ///< 0 if no flow finished
  /// Returns the completion time [ps] below which this share of the flows is; never above the
  /// longest. `share` in [0, 1].
  double fct_ps_at(double share) const;
  double slowdown_mean() const;        ///< over flows with an ideal time; 0 if there are none
  double slowdown_max() const;         ///< largest fct / ideal; 0 if no flow has an ideal time
  std::vector<Bin> slowdowns() const;  ///< of all sizes
};

/// Reads tables "flow_sizes", "slowdown_histogram" and "fct_histogram"; counts the rows of "flows"
/// if one of them is missing. Attributes flows_planned and flows_finished replace what was counted.
ReportedFlows ReadReportedFlows(const ReportSource& source);

}  // namespace heddle
