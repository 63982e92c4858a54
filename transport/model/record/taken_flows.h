// SPDX-License-Identifier: GPL-2.0-only
/// Records of senders and receivers, taken from a rank's domains together.
#pragma once

#include <vector>

#include "transport/model/record/flow_records.h"

namespace heddle {

/// Where the records of a domain are; pointers into its ledger.
struct FlowLists {
  const std::vector<FlowRecord>* flows;
  const std::vector<FlowArrival>* arrivals;
};

/// Records of senders and receivers of some flows, in any order.
struct FlowRecords {
  std::vector<FlowRecord> flows;
  std::vector<FlowArrival> arrivals;
  /// Time from each flow's start to its arrival; negative: not known here. Only where
  /// both were joined (transport/model/record/sorted_flows.h), otherwise empty.
  std::vector<Time> received = {};

  /// Appends copies of both lists; leaves `received` as it is.
  void Append(const FlowLists& more) {
    flows.insert(flows.end(), more.flows->begin(), more.flows->end());
    arrivals.insert(arrivals.end(), more.arrivals->begin(), more.arrivals->end());
  }
  void Append(const FlowRecords& more) { Append({&more.flows, &more.arrivals}); }  ///< the same
  bool empty() const { return flows.empty() && arrivals.empty(); }  ///< no flow and no arrival
  /// Empties all lists; their memory stays for other records.
  void Clear() {
    flows.clear();
    arrivals.clear();
    received.clear();
  }
};

}  // namespace heddle
