// SPDX-License-Identifier: GPL-2.0-only
/// Time of one collective by SimAI 1.6 and 1.7: from rates of NVLinks and NICs, with a fixed time
/// below 1 MiB and ratios by size for a few collectives.
///
/// Source: SimAI 1.6, Layer.cc (compute_time, cal_ratio). Kept are its defects: times of
/// small collectives that depend on the number of ranks only; the ranks of a data parallel group
/// counted as its servers; NICs divided among groups in whole numbers, so that there may be none,
/// and a bandwidth of -1; no ratio for AllReduce and for data parallel groups.
#pragma once

#include <optional>

#include "collectives/simai_closed_form/simai_bus_bandwidth.h"
#include "collectives/simai_closed_form/simai_groups.h"
#include "collectives/simai_closed_form/simai_ticks.h"

namespace heddle {

/// Returns the servers that SimAI counts for a group. None: a group of one rank, or of no known
/// kind, which takes no time. Throws UserError where SimAI divides by zero.
std::optional<SimaiServers> SimaiServersOf(const SimaiCollective& collective,
                                           const SimaiGroups& groups);

/// Returns the ratio of its size that its bus bandwidth is multiplied by. Throws UserError above 16
/// GiB where there is a table, as SimAI ends without a result there.
float SimaiRatioOf(const SimaiCollective& collective, const SimaiGroups& groups, bool nvlink_bound);

/// Returns the time of a collective. Throws UserError where SimAI crashes.
SimaiTicks SimaiAutomaticTime(const SimaiCollective& collective, const SimaiGroups& groups,
                              const SimaiRates& rates);

}  // namespace heddle
