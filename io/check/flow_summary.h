// SPDX-License-Identifier: GPL-2.0-only
/// A result's flows in a few figures, whether or not they have rows.
#ifndef HEDDLE_IO_CHECK_FLOW_SUMMARY_H_
#define HEDDLE_IO_CHECK_FLOW_SUMMARY_H_

#include <cstdint>

#include "io/result/result_reader.h"

namespace heddle {

/// Of a distribution; percentiles are the middles of bins, which are at most 1/64 wide.
struct Distribution {
  double mean = 0, p50 = 0, p99 = 0, largest = 0;
};

struct FlowSummary {
  std::int64_t simulated_ps = 0, packet_hops = 0, planned = 0, finished = 0;
  Distribution fct_ps,
      slowdown;  ///< of finished flows, with an ideal time if of slowdown; zeros if there are none
};

/// From /flow_sizes, the histograms and attributes. Throws UserError where one is missing.
FlowSummary ReadFlowSummary(const ResultReader& reader);

}  // namespace heddle

#endif  // HEDDLE_IO_CHECK_FLOW_SUMMARY_H_
