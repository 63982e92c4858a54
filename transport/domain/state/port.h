// SPDX-License-Identifier: GPL-2.0-only
/// One end of a cable: the transmitter, the queues before it, and where the far end is.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/base/future.h"
#include "core/base/ids.h"
#include "core/base/random.h"
#include "core/base/units.h"
#include "core/events/event.h"
#include "core/events/post_office.h"
#include "transport/model/congestion/congestion_control.h"
#include "transport/model/switch/ecn.h"
#include "transport/model/wire/limits.h"

namespace heddle {

/// A queue of packets, chained through Packet::next.
struct PacketFifo {
  std::uint32_t head = ~0U;
  std::uint32_t tail = ~0U;
  std::uint32_t bytes = 0;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& head& tail& bytes;
  }
};

/// A port of a node of this domain. Fixed by the topology: delay, tier, far end. The rest is state.
/// Its first cache line is all that a packet touches which finds the transmitter free.
struct alignas(64) Port {
  /// Bits of `flags`.
  enum Flag : std::uint8_t {
    kAtHost = 1,  ///< of a GPU
    kFaulty =
        2,  ///< the link may lose packets: by its error rate, or because it fails during the run
    kDown = 4,        ///< the link is down now
    kMarks = 8,       ///< ECN marks what leaves its queues
    kStamps = 16,     ///< congestion control writes into the data packets that leave it
    kEndsFlows = 32,  ///< of a node that passes on traffic and ends flows too (an NVSwitch): its
                      ///< own queue pairs share the port with what passes through
    kRare = 64,       ///< rare_flags is not 0: it is no plain port of Ethernet
    kRecorded = 128,  ///< transport/domain/replay: what it sends is written down, to be replayed,
                      ///< or what arrives ends a replay
  };

  /// Bits of `rare_flags`: room for kinds of ports, of which packets on plain Ethernet need not
  /// know.
  enum RareFlag : std::uint8_t {
    kScaleUp = 1,  ///< its link is no Ethernet (transport/domain/scale_up)
  };

  Time busy_until;              ///< the transmitter is free from here on
  Time wake_at = Time::Max();   ///< when its pending "port free" event fires; Max if there is none
  Time delay;                   ///< propagation
  std::uint64_t far_order = 0;  ///< EventOrder bits of an arrival at the far end
  std::int64_t sent_bytes = 0;
  std::uint32_t ps_per_byte =
      0;  ///< 0: not a whole number (or to be truncated): divide by the rate
  PostOffice::Address far_address{};
  std::uint32_t far_port = 0;  ///< numbered within the far domain
  std::uint32_t sent = 0;      ///< packets sent: numbers the arrivals at the far end
  std::uint32_t node = 0;      ///< its node, numbered within this domain
  std::uint8_t waiting = 0;    ///< bit p: queue p is not empty
  std::uint8_t paused = 0;     ///< bit p: PFC holds priority p
  std::uint8_t flags = 0;
  std::uint8_t tier = 0;  ///< of its link: slot of the domain's TierLoad; fixed by the topology

  PacketFifo queues[kPriorities];

  // The last line: what queues and NICs need besides.
  alignas(64) BitRate rate;
  std::uint64_t own_order = 0;  ///< EventOrder bits of "port free"
  std::int64_t queued_bytes = 0;
  std::int64_t max_queued_bytes = 0;
  DomainId far_domain;
  std::uint16_t turn = 0;  ///< packets that the queue pair served last may still send in its turn
  std::uint8_t last_served = 0;  ///< priority of the last packet from a queue
  std::uint8_t own_turn = 0;     ///< NVSwitch: 1 if its own queue pairs are next
  std::uint32_t kmin = 0;        ///< ECN: a queue of at most this is never marked [byte]
  std::uint32_t nic = ~0U;       ///< index of its NIC, where queue pairs send
  std::uint8_t rare_flags = 0;   ///< fixed by the topology

  /// Whether this bit of `flags` is set.
  bool has(Flag flag) const { return (flags & flag) != 0; }
  /// Whether its link is no Ethernet; false for all ports of a fabric without scale-up links.
  bool is_scale_up() const { return has(kRare) && (rare_flags & kScaleUp) != 0; }
  /// Returns bit p for each queue p that holds something and is not paused.
  std::uint32_t sendable() const { return static_cast<std::uint32_t>(waiting & ~paused); }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& busy_until& wake_at& sent_bytes& ps_per_byte& sent& waiting& paused& flags& queues&
        kmin& nic& rate& queued_bytes& max_queued_bytes& turn& last_served& own_turn& rare_flags;
  }
  /// core/base/future.h.
  template <class Self, class Visitor>
  static constexpr void VisitFuture(Self& self, Visitor& visit) {
    visit.Shape(self.rate);
    visit.Shape(self.delay);
    visit.Shape(self.kmin, self.flags, self.tier);
    visit.MovesWhileAhead(self.busy_until);
    visit.Timer(self.wake_at);
    visit.MovesWithBytes(self.sent_bytes);
    visit.MovesWithPackets(self.sent);
    visit.Decides(self.queued_bytes);
    visit.Decides(self.waiting);
    visit.DecidesAtRest(self.turn, self.last_served, self.own_turn);
    visit.Peak(self.max_queued_bytes);
    visit.MustBe(self.paused, std::uint8_t{0});
    visit.MustBe(self.rare_flags, std::uint8_t{0});
    visit.NoMatter(self.queues);       // their packets are visited one by one
    visit.NoMatter(self.ps_per_byte);  // follows from the rate
    // Where it is: islands have ports by label, and their shape says how these are linked.
    visit.NoMatter(self.far_order, self.far_address, self.far_port, self.far_domain, self.node,
                   self.own_order, self.nic);
  }
};
static_assert(std::is_trivially_copyable_v<Port> && sizeof(Port) == 256);
static_assert(SpeaksForAllMembers<Port>(),
              "say in VisitFuture() what the new member is to a replay (core/base/future.h)");

/// What of a port is touched now and then only: thresholds, random streams, counts.
struct PortExtras {
  EcnTable::Thresholds ecn{};
  RandomStream marking, errors;
  double error_rate = 0;  ///< of packets that arrive here
  Time last_down{-1};     ///< when the link last went down; negative: never
  Time fails_until{-1};   ///< when it goes down for the last time in this run; negative: never
  Time rate_changed;      ///< when the link's rate last changed, while rate_before says that it did
  BitRate rate_before;  ///< until all that was sent at it has arrived; 0: nothing to come was sent
                        ///< at another rate
  CongestionControl::PortState congestion;  ///< what the algorithm keeps for its stamps
  std::int64_t marked = 0;                  ///< packets marked when they left it
  std::int64_t pauses = 0;                  ///< times that one of its priorities was paused
  Time paused_total;                        ///< sum over priorities of the time paused
  std::int64_t monitored_bytes = 0;         ///< sent_bytes at the last sample
  std::uint32_t pause_state =
      ~0U;  ///< slot of its PauseState, once it was paused or paused another

  /// Seeds the two random streams by the port's place in the graph, so that they are the same in
  /// any partition.
  PortExtras(std::uint64_t seed, NodeId node, PortId port)
      : marking(seed, Entity(node, port), RandomPurpose::kEcnMarking),
        errors(seed, Entity(node, port), RandomPurpose::kWireLoss) {}

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& marking& errors& last_down& rate_changed& rate_before& congestion& marked& pauses&
        paused_total& monitored_bytes;
    archive& pause_state& ecn.kmin& ecn.kmax& ecn.pmax;
  }

 private:
  /// Returns the number that distinguishes a port's random streams from those of all other ports.
  static std::uint64_t Entity(NodeId node, PortId port) {
    return (static_cast<std::uint64_t>(node.value) << 32) | port.value;
  }
};

}  // namespace heddle
