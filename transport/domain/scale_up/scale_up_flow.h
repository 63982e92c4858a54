// SPDX-License-Identifier: GPL-2.0-only
/// A flow on scale-up links, as its source and its destination keep it.
///
/// Links are lossless and keep the order of a flow's packets on one path, so that there are no
/// acknowledgements, windows or rates. A flow is complete when all its packets are at the
/// destination, whose report of it ends the flow at the source.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/traffic/flow_agent.h"

namespace heddle {

/// The flow at its source.
struct ScaleUpFlow {
  static constexpr std::uint32_t kNoPost = ~0U;

  FlowId flow;  ///< source invalid: the slot is free
  NodeId destination;
  std::uint32_t message = 0;  ///< running number of its message at the source
  std::uint16_t source_port = 0, destination_port = 0;
  std::uint16_t lane = 0;
  std::uint8_t priority = 0;
  std::uint8_t unused = 0;
  std::uint32_t post = kNoPost;  ///< slot of its message; kNoPost: no reports
  std::uint32_t next = ~0U;      ///< the flow after it at its port
  std::uint32_t port = 0;        ///< that it leaves by, numbered within the domain
  std::uint32_t packets = 0;     ///< sent
  std::int64_t size = 0;         ///< payload [byte]
  std::int64_t sent = 0;         ///< of it
  Time start;
  FlowOrigin origin;
};
static_assert(std::is_trivially_copyable_v<ScaleUpFlow>);

/// The flow at its destination, from its first packet to its last.
struct ScaleUpArriving {
  FlowId flow;  ///< source invalid: the slot is free
  NodeId node;
  std::uint32_t received = 0;  ///< packets
  std::uint32_t packets = 0;   ///< in all; 0 before the last one has come
};
static_assert(std::is_trivially_copyable_v<ScaleUpArriving>);

}  // namespace heddle
