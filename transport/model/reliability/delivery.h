// SPDX-License-Identifier: GPL-2.0-only
/// What schemes of reliable delivery learn of packets, and what they answer.
#pragma once

#include <cstdint>

#include "core/base/units.h"
#include "transport/model/nic/queue_pair.h"
#include "transport/model/nic/reliability_options.h"
#include "transport/model/wire/packet.h"

namespace heddle {

/// What a scheme is made from.
struct DeliveryRules {
  ReliabilityOptions options;
  std::int64_t payload = 0;  ///< of a full packet, above 0 [byte]
  bool sprays = false;       ///< packets have entropies, and each that arrives has its answer
};

/// A data packet at its receiver.
struct DataArrival {
  Time now;
  std::int64_t first = 0;  ///< byte of the flow
  std::int64_t end = 0;    ///< one past its last byte
  bool asks = false;       ///< the sender asks for an ACK (Packet::ack_request)
};

/// Answer of the receiver to a data packet.
enum class DataAnswer : std::uint8_t {
  kWhenDue,  ///< the next byte in order has moved: an ACK when one is due
  kNothing,
  kAck,
  kNack
};

struct Reception {
  DataAnswer answer = DataAnswer::kNothing;
  std::int64_t note = 0;  ///< Packet::note of the answer
};

/// Returned by senders' functions if no packet counts as lost; otherwise they return its first
/// byte.
constexpr std::int64_t kNoByte = -1;

/// Whether an ACK on another path overtook this NACK: it reports bytes as missing that have
/// arrived. A receiver forgets flows that are complete, and then asks for them from the start. That
/// is believed once nothing has moved for a timeout.
inline bool IsOutdated(const QueuePair& pair, const Packet& answer) {
  return pair.sprays != 0 && pair.timeouts == 0 &&
         static_cast<std::int64_t>(answer.sequence) < pair.unacked;
}

/// Makes the first unacknowledged byte the next to send.
inline void GoBack(QueuePair* pair) { pair->next = pair->unacked; }

}  // namespace heddle
