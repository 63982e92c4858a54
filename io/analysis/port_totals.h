// SPDX-License-Identifier: GPL-2.0-only
/// Table "ports" of a result, by number of the port.
#pragma once

#include <cstdint>
#include <vector>

#include "io/analysis/result_view.h"

namespace heddle {

/// Totals of one port over the run.
struct PortTotals {
  HopIndex port = 0;
  std::int64_t sent_packets = 0, sent_bytes = 0, max_queued_bytes = 0, ecn_marked = 0, pauses = 0,
               paused_ps = 0;
};

/// Reads the rows of the table, in its order; empty if the result has no such table.
std::vector<PortTotals> ReadPortTotals(const ReportSource& source);

/// Returns the share of the run during which the port was sending, 0 to 1.
double UtilisationOf(const ReportSource& source, const PortTotals& port);

}  // namespace heddle
