// SPDX-License-Identifier: GPL-2.0-only
/// Records of senders and receivers, taken from a rank's domains together.
#ifndef HEDDLE_TRANSPORT_RECORD_TAKEN_FLOWS_H_
#define HEDDLE_TRANSPORT_RECORD_TAKEN_FLOWS_H_

#include <vector>

#include "transport/record/flow_records.h"

namespace heddle {

/// Senders' and receivers' records of some flows, in any order.
struct FlowRecords {
  std::vector<FlowRecord> flows;
  std::vector<FlowArrival> arrivals;

  void Append(const FlowRecords& more) {
    flows.insert(flows.end(), more.flows.begin(), more.flows.end());
    arrivals.insert(arrivals.end(), more.arrivals.begin(), more.arrivals.end());
  }
};

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_RECORD_TAKEN_FLOWS_H_
