// SPDX-License-Identifier: GPL-2.0-only
/// Key figures of a result's flows, whether or not the flows have rows.
#pragma once

#include <cstdint>

#include "io/result/result_reader.h"

namespace heddle {

/// Figures of a distribution; percentiles are middles of bins, which are at most 1/64 wide.
struct Distribution {
  double mean = 0, p50 = 0, p99 = 0, largest = 0;
};

struct FlowSummary {
  std::int64_t simulated_ps = 0, packet_hops = 0, planned = 0, finished = 0;
  /// Distributions over finished flows; slowdown: over those with an ideal time. Zeros if there
  /// are none.
  Distribution fct_ps, slowdown;
};

/// Reads /flow_sizes, the histograms and attributes. Throws UserError if one is missing.
FlowSummary ReadFlowSummary(const ResultReader& reader);

}  // namespace heddle
