// SPDX-License-Identifier: GPL-2.0-only
/// The two ends of a flow: the sender's queue pair and what the receiver remembers.
///
/// Source: SimAI's ns-3 (rdma-queue-pair), as described in its section on the host NIC: window and rate together; a queue
/// pair is window bound when the bytes in flight reach the window, so it exceeds it by less than one packet.
/// Not modelled here: congestion control, retransmission (a lost packet leaves the flow unfinished, which is reported).
#ifndef HEDDLE_TRANSPORT_QUEUE_PAIR_H_
#define HEDDLE_TRANSPORT_QUEUE_PAIR_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/ids.h"
#include "core/units.h"

namespace heddle {

/// Sender state of one flow, from its start to its last acknowledgement.
struct QueuePair {
  FlowId flow;
  NodeId destination;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint8_t priority = 3;
  std::uint32_t port = 0;      ///< the NIC's port, numbered within the domain
  std::uint32_t position = 0;  ///< in the NIC's round robin
  std::int64_t size = 0;       ///< [byte]
  std::int64_t next = 0;       ///< snd_nxt: first byte not yet sent
  std::int64_t unacked = 0;    ///< snd_una: first byte not yet acknowledged
  std::int64_t window = 0;     ///< bytes that may be in flight; 0: no limit
  BitRate rate;                ///< pacing rate
  Time next_send;              ///< pacing: not before
  Time start;
  Time ideal;                  ///< SimAI's standalone completion time, for the slowdown

  bool window_bound() const { return window > 0 && next - unacked >= window; }
  bool has_data() const { return next < size; }
  bool ready() const { return has_data() && !window_bound(); }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& flow& destination& source_port& destination_port& priority& port& position& size& next&
        unacked& window& rate& next_send& start& ideal;
  }
};
static_assert(std::is_trivially_copyable_v<QueuePair>);

/// Receiver state of one flow, from its first packet to its last byte.
struct ReceiveQueuePair {
  std::int64_t expected = 0;   ///< next byte in order
  std::int64_t unreported = 0; ///< bytes since the last ACK
  std::uint32_t ack_port = 0;  ///< NIC port of its ACKs, numbered within the domain

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& expected& unreported& ack_port;
  }
};
static_assert(std::is_trivially_copyable_v<ReceiveQueuePair>);

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_QUEUE_PAIR_H_
