// SPDX-License-Identifier: GPL-2.0-only
/// What goes before the payload of a real message: all that its receiver needs for the agent, for
/// the row of the result and for its checks.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/traffic/flow_agent.h"

namespace heddle {

struct MessageHeader {
  FlowCookie cookie;
  FlowOrigin origin;
  FlowId flow;
  NodeId destination;
  std::uint32_t message = 0;   ///< number at its source
  std::int64_t size = 0;       ///< of the payload [byte]
  MessageSlice slice;          ///< what it carries
  Time start;                  ///< when its sender handed it to MPI, by the aligned clock
  std::uint64_t sequence = 0;  ///< number among the messages of its two ranks
  std::uint16_t source_port = 0, destination_port = 0;
  std::uint8_t priority = 0;
};
static_assert(std::is_trivially_copyable_v<MessageHeader> && sizeof(MessageHeader) <= 128);

}  // namespace heddle
