// SPDX-License-Identifier: GPL-2.0-only
/// What goes over a scale-up link: data packets, or a train of them, credits and reports of
/// arrival.
///
/// A train is a series of packets of one flow that follow each other on a link without a gap, to
/// the flow's destination. One record stands for them where no other packet can come between them
/// (ScaleUpSide).
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/base/ids.h"
#include "core/events/message.h"

namespace heddle {

enum class ScaleUpKind : std::uint8_t {
  kData,
  kCredit,   ///< the buffer that a packet held is free: `bytes` flits of `channel`
  kArrived,  ///< all of a flow had arrived at the time `bytes` [ps]; from its receiver to its
             ///< source
};

struct ScaleUpPacket {
  NodeId source;       ///< of the flow
  NodeId destination;  ///< of the flow
  std::uint32_t flow_number = 0;
  std::uint32_t flow_slot = 0;  ///< the sender's
  std::uint32_t ingress = 0;    ///< port it arrives at, numbered within the receiving domain
  std::uint32_t next = ~0U;     ///< the packet after it in a queue
  std::int64_t bytes = 0;       ///< data: payload of all its packets
  std::uint32_t count = 1;      ///< packets
  std::uint32_t first = 0;      ///< number of its first packet in the flow
  std::uint16_t lane = 0;       ///< FlowPost::lane
  std::uint8_t channel = 0;     ///< virtual channel of the link that it is on
  ScaleUpKind kind = ScaleUpKind::kData;
  std::uint8_t last = 0;  ///< 1: its last packet is the flow's last one
  std::uint8_t unused[3] = {};
};
static_assert(sizeof(ScaleUpPacket) == sizeof(Cargo) &&
              std::is_trivially_copyable_v<ScaleUpPacket>);

}  // namespace heddle
