// SPDX-License-Identifier: GPL-2.0-only
/// A requested transfer: the input of the transport, from any source (a trace, a flow file, a
/// collective).
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/base/units.h"

namespace heddle {

/// Largest payload of a flow [byte]: the range of a packet's offset field.
constexpr std::int64_t kMaxFlowBytes = (std::int64_t{1} << 40) - 65536;

/// One message from one GPU to another. `start` is the creation time of the queue pair, software
/// latency included.
struct FlowRequest {
  Time start;
  NodeId source;
  NodeId destination;
  Bytes size;                            ///< payload, > 0
  std::uint16_t destination_port = 100;  ///< UDP port of SimAI's flows
  std::uint8_t priority = 3;  ///< 1 to 7; SimAI sends data on 3. Readers refuse 0, which has strict
                              ///< priority and is never paused.
  bool send_latency = true;   ///< whether `start` includes software latency (flow.send_latency), in
                              ///< which a controller may be asked
};

}  // namespace heddle
