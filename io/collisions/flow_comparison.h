// SPDX-License-Identifier: GPL-2.0-only
/// Key figures of the completion times of a run, and a check that two runs had the same traffic.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/table.h"

namespace heddle {

/// Figures of finished flows. The 99th percentile is the value that 99 % of them do not exceed
/// (nearest rank).
struct CompletionFigures {
  std::size_t flows = 0, finished = 0;
  double mean_fct_ps = 0;
  std::int64_t p99_fct_ps = 0, max_fct_ps = 0;
  double mean_slowdown = 0, max_slowdown = 0;  ///< completion time over that of the flow alone
  std::int64_t last_end_ps = 0;                ///< when the last flow finished
};

/// Throws UserError if table "flows" lacks a column.
CompletionFigures FiguresOf(const Table& flows);

/// Whether both tables "flows" have the same flows: sources, destinations and sizes, in any order
/// (in a workload the order in which a GPU starts its flows depends on the ends of others).
bool SameTraffic(const Table& a, const Table& b);

}  // namespace heddle
