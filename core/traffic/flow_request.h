// SPDX-License-Identifier: GPL-2.0-only
/// What somebody wants transferred: the input of the transport, whoever it comes from (a trace, a
/// flow file, a collective).
#ifndef HEDDLE_CORE_TRAFFIC_FLOW_REQUEST_H_
#define HEDDLE_CORE_TRAFFIC_FLOW_REQUEST_H_

#include <cstdint>

#include "core/base/ids.h"
#include "core/base/units.h"

namespace heddle {

/// Payload of one flow at most [byte]: what a packet can say of its place in it.
constexpr std::int64_t kMaxFlowBytes = (std::int64_t{1} << 40) - 65536;

/// One message from one GPU to another. `start` is when the queue pair is created (software latency
/// already added).
struct FlowRequest {
  Time start;
  NodeId source;
  NodeId destination;
  Bytes size;                            ///< payload, > 0
  std::uint16_t destination_port = 100;  ///< UDP port of SimAI's flows
  std::uint8_t priority = 3;  ///< 1 to 7; SimAI sends data on 3. (0 is strictly first and never
                              ///< paused: readers refuse it.)
  bool send_latency = true;   ///< `start` comes after software latency (flow.send_latency), which a
                              ///< controller may use
};

}  // namespace heddle

#endif  // HEDDLE_CORE_TRAFFIC_FLOW_REQUEST_H_
