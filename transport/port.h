// SPDX-License-Identifier: GPL-2.0-only
/// One end of a cable: the transmitter, the queues before it, and where the far end is.
#ifndef HEDDLE_TRANSPORT_PORT_H_
#define HEDDLE_TRANSPORT_PORT_H_

#include <cstdint>
#include <type_traits>

#include "core/event.h"
#include "core/ids.h"
#include "core/post_office.h"
#include "core/units.h"

namespace heddle {

/// A queue of packets, chained through Packet::next.
struct PacketFifo {
  std::uint32_t head = ~0U;
  std::uint32_t tail = ~0U;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& head& tail;
  }
};

constexpr int kPriorities = 8;

/// A port of a node of this domain. Fixed by the topology: rate, delay, far end. The rest is state.
/// Its first cache line is all that a packet touches which finds the transmitter free.
struct alignas(64) Port {
  Time busy_until;               ///< the transmitter is free from here on
  Time wake_at = Time::Max();    ///< when its pending "port free" event fires; Max if there is none
  std::int64_t ps_per_byte = 0;  ///< 0: not a whole number (or to be truncated): divide by the rate
  Time delay;                    ///< propagation
  std::uint64_t far_order = 0;   ///< EventOrder bits of an arrival at the far end
  std::int64_t sent_bytes = 0;
  PostOffice::Address far_address{};
  std::uint32_t far_port = 0;    ///< numbered within the far domain
  std::uint32_t sent = 0;        ///< packets sent: numbers the arrivals at the far end
  std::uint32_t node : 24;       ///< its node, numbered within this domain
  std::uint32_t waiting : 8;     ///< bit p: queue p is not empty

  PacketFifo queues[kPriorities];

  BitRate rate;
  std::uint64_t own_order = 0;   ///< EventOrder bits of "port free"
  std::int64_t queued_bytes = 0;
  std::int64_t max_queued_bytes = 0;
  DomainId far_domain;
  std::uint32_t nic = ~0U;       ///< index of the NIC, at hosts
  std::uint8_t last_served = 0;  ///< priority of the last packet from a queue

  Port() : node(0), waiting(0) {}

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    std::uint32_t queues_in_use = waiting;
    archive& busy_until& wake_at& sent& queues_in_use& last_served& queues& queued_bytes& max_queued_bytes&
        sent_bytes;
    waiting = queues_in_use & 0xff;
  }
};
static_assert(std::is_trivially_copyable_v<Port> && sizeof(Port) == 192);

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_PORT_H_
