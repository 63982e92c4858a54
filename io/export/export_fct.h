// SPDX-License-Identifier: GPL-2.0-only
/// Flow completion times in SimAI's text format (fct.txt): one line for each finished flow,
/// `source_ip destination_ip source_port destination_port size start fct ideal_fct`, addresses as
/// eight hexadecimal digits, size in bytes, times in whole nanoseconds (truncated), sorted by
/// completion. The last column is SimAI's own figure (IdealCompletionTime in
/// topology/paths/path_metrics.h), 0 if the ends are not connected.
#pragma once

#include <cstddef>
#include <ostream>

#include "core/base/table.h"
#include "core/base/units.h"
#include "topology/paths/path_metrics.h"

namespace heddle {

/// Writes the finished flows of table "flows" to `out` and returns the number of unfinished ones,
/// which are left out. Flows that finish at the same picosecond keep the order of their rows.
/// `metrics` are those of the run's fabric, of packets of `payload`. Throws UserError if a column
/// is missing. The caller checks the state of `out`.
std::size_t ExportFct(const Table& flows, const PathMetrics& metrics, Bytes payload,
                      std::ostream& out);

}  // namespace heddle
