// SPDX-License-Identifier: GPL-2.0-only
/// Flows with their names: which number each has at its source, and which UDP source port.
#ifndef HEDDLE_TRANSPORT_NIC_FLOW_PLAN_H_
#define HEDDLE_TRANSPORT_NIC_FLOW_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/traffic/flow_request.h"

namespace heddle {

/// A flow that will start.
struct PlannedFlow {
  FlowId id;
  FlowRequest request;
  std::uint16_t source_port = 0;
  std::uint32_t message = 0;  ///< running number at its source; its queue pairs share it
  Time ideal;                 ///< SimAI's standalone completion time
  std::int64_t window = 0;    ///< bytes; 0: none
};

/// Number the flows by source in the order given, and give each pair's flows the source ports
/// 10000, 10001, ... (SimAI: a 16-bit counter a pair, which wraps.) A request is split over
/// `queue_pairs` of them, equal parts but for the last (SimAI's _QPS_PER_CONNECTION_), each a flow
/// of its own. `ideal` and `window` are left to the caller.
std::vector<PlannedFlow> PlanFlows(const std::vector<FlowRequest>& requests,
                                   std::int64_t queue_pairs = 1);

/// What a planned flow is a part of.
struct PlannedRequest {
  std::size_t number = 0;  ///< among the requests, from 1
  Bytes size;              ///< of all its parts
};

/// The request that plan[flow] was made of; `plan` as PlanFlows gave it. Takes a walk through the
/// plan: for messages.
PlannedRequest RequestOf(const std::vector<PlannedFlow>& plan, std::size_t flow);

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_NIC_FLOW_PLAN_H_
