// SPDX-License-Identifier: GPL-2.0-only
/// Completion times of a run in a few figures, and whether two runs had the same traffic.
#ifndef HEDDLE_IO_ANALYSIS_FLOW_COMPARISON_H_
#define HEDDLE_IO_ANALYSIS_FLOW_COMPARISON_H_

#include <cstddef>
#include <cstdint>

#include "core/base/table.h"

namespace heddle {

/// Of finished flows. The 99th percentile is the value that 99 % of them do not exceed (nearest
/// rank).
struct CompletionFigures {
  std::size_t flows = 0, finished = 0;
  double mean_fct_ps = 0;
  std::int64_t p99_fct_ps = 0, max_fct_ps = 0;
  double mean_slowdown = 0, max_slowdown = 0;  ///< completion time over that of the flow alone
  std::int64_t last_end_ps = 0;                ///< when the last flow finished
};

/// Throws UserError if table "flows" lacks a column.
CompletionFigures FiguresOf(const Table& flows);

/// Whether both tables "flows" have the same flows: sources, destinations and sizes, in whatever
/// order (in a workload the order in which a GPU starts its flows depends on when others end).
bool SameTraffic(const Table& a, const Table& b);

}  // namespace heddle

#endif  // HEDDLE_IO_ANALYSIS_FLOW_COMPARISON_H_
