// SPDX-License-Identifier: GPL-2.0-only
/// Time of one collective by SimAI 1.0 to 1.5: from bus bandwidths that the user gives, without
/// latency.
///
/// Source: SimAI at its commit d44c48bb, Layer.cc (compute_time). Kept are its defects:
/// missing branches, which cost no time; values that are given and never used (ReduceScatter of TP,
/// DP and EP, AllToAll of DP); -1 for values that are not given.
#pragma once

#include <optional>

#include "collectives/simai_closed_form/simai_groups.h"
#include "collectives/simai_closed_form/simai_ticks.h"

namespace heddle {

/// Bandwidths of one kind of group [2^30 byte/s]; -1: not given.
struct GivenBandwidths {
  float all_reduce = -1, all_gather = -1, reduce_scatter = -1, all_to_all = -1;
};

/// A busbw.yaml.
struct BusBandwidthFile {
  GivenBandwidths tensor, data, expert;
  float pipeline = -1;
};

/// Returns the bandwidth that SimAI takes. None: no branch, and no time.
std::optional<float> SimaiManualBandwidth(const SimaiCollective& collective,
                                          const SimaiGroups& groups, const BusBandwidthFile& given);

/// Returns the time of a collective; 0 where SimAI has no branch for it.
SimaiTicks SimaiManualTime(const SimaiCollective& collective, const SimaiGroups& groups,
                           const BusBandwidthFile& given);

}  // namespace heddle
