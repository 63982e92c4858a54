// SPDX-License-Identifier: GPL-2.0-only
/// What schemes of reliable delivery are told of packets, and what they answer.
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
  bool asks = false;       ///< for an ACK (Packet::ack_request)
};

/// What the receiver says to a data packet.
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

/// What senders' functions return if no packet counts as lost; else they return its first byte.
constexpr std::int64_t kNoByte = -1;

/// Whether a NACK was overtaken by an ACK that went another way: it says that something is missing
/// that has arrived. Its sender also forgets flows that are complete, and then asks for them from
/// the start; that is believed once nothing has moved for a timeout.
inline bool IsOutdated(const QueuePair& pair, const Packet& answer) {
  return pair.sprays != 0 && pair.timeouts == 0 &&
         static_cast<std::int64_t>(answer.sequence) < pair.unacked;
}

/// Sends again from the first byte that is not acknowledged.
inline void GoBack(QueuePair* pair) { pair->next = pair->unacked; }

}  // namespace heddle
