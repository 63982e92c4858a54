// SPDX-License-Identifier: GPL-2.0-only
/// A packet on the wire or in a queue: one plain record that fits a message's cargo.
///
/// Sizes follow SimAI's ns-3 (PPP 14 + IPv4 20 + UDP 8 + sequence header 10 = 52 bytes before the
/// payload; ACK 60 bytes; pause frame 43). Congestion controls that need telemetry add to them
/// (CongestionControl::header_bytes).
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/base/future.h"
#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/events/message.h"
#include "core/traffic/flow_request.h"

namespace heddle {

enum class PacketKind : std::uint8_t {
  kData,
  kAck,          ///< acknowledges all before `sequence`
  kNack,         ///< like kAck, and bytes from `sequence` on are missing
  kProbe,        ///< headers of data: does the path of this entropy lead to the receiver?
  kProbeAnswer,  ///< it does
  /// PFC: `last` = 1 pauses a priority of the receiving port, 0 resumes it (fields:
  /// transport/domain/switching/pause_control.h).
  kPause,
  // Ultra Ethernet (transport/domain/uec/uec_packets.h has the meaning of the fields).
  kUecData,
  kUecTrimmed,  ///< data whose payload a full queue cut off
  kUecRequest,  ///< without payload: a request to send, or a probe; answered by an ACK
  kUecAck,
  kUecNack,  ///< the packet of number `sequence` came without its payload, or was refused
  kUecPull   ///< credit: `sequence` quanta in all
};

/// Whether it is a packet of Ultra Ethernet: lossy, and never in the shared buffer of a switch.
constexpr bool IsUec(PacketKind kind) { return kind > PacketKind::kPause; }
/// Whether it carries a flow's payload: what switches mark, spray and stamp.
constexpr bool IsData(PacketKind kind) {
  return kind == PacketKind::kData || kind == PacketKind::kUecData;
}

constexpr std::uint32_t kNoPacket = ~0U;  ///< end of a queue of packets

struct Packet {
  NodeId source;  ///< of this packet: an ACK's source is the flow's destination
  NodeId destination;
  /// FlowId::number; the flow's source is `source` of data, `destination` of an ACK.
  std::uint32_t flow_number;
  std::uint32_t queue_pair;  ///< the sender's slot, echoed by the ACK
  std::uint16_t source_port;
  std::uint16_t destination_port;
  std::uint16_t size;  ///< on the wire, headers included [byte]
  PacketKind kind;
  std::uint8_t priority : 3;  ///< 0 to 7
  std::uint8_t last : 1;      ///< carries the flow's last byte
  std::uint8_t marked : 1;    ///< ECN: congestion experienced
  std::uint8_t echo : 1;      ///< ACK: the data it acknowledges was marked (SimAI's CNP flag)
  /// Data: the sender has had an ACK, so the receiver has seen the flow.
  std::uint8_t answered : 1;
  /// Data: the receiver must acknowledge this packet, as the window is full (the BTH's AckReq bit).
  std::uint8_t ack_request : 1;
  std::uint64_t sequence : 40;  ///< data: first byte's offset; ACK: next byte expected
  /// ACK with selective repeat: the packet that arrived, counted from `sequence`. Data with
  /// entropies, which are `source_port`: the queue pair's own source port.
  std::uint64_t note : 24;
  /// Data: CongestionControl::FirstStampAt and what ports made of it, not negative; an ACK echoes
  /// it.
  std::int64_t stamp;
  std::uint32_t ingress;  ///< port it arrives at, numbered within the receiving domain
  std::uint32_t next;     ///< the packet after it in a queue

  /// Says what each member is to a replay (core/base/future.h).
  template <class Self, class Visitor>
  static constexpr void VisitFuture(Self& self, Visitor& visit) {
    std::uint64_t sequence = self.sequence;  // nothing can refer to a member of 40 bits
    visit.MovesWithBytes(sequence);
    if constexpr (!std::is_const_v<Self>) self.sequence = sequence & 0xff'ffff'ffff;
    visit.Stamp(self.stamp);
    visit.Decides(self.size, self.kind, self.priority, self.answered, self.ack_request);
    visit.Decides(self.ingress, static_cast<std::uint32_t>(self.note));
    visit.MustBe(std::uint8_t{self.last}, std::uint8_t{0});
    visit.MustBe(std::uint8_t{self.marked}, std::uint8_t{0});
    visit.MustBe(std::uint8_t{self.echo}, std::uint8_t{0});
    // Its flow's.
    visit.NoMatter(self.source, self.destination, self.flow_number, self.queue_pair,
                   self.source_port, self.destination_port);
    visit.NoMatter(self.next);  // of the queue, which is visited in order
  }
};
static_assert(sizeof(Packet) == sizeof(Cargo) && std::is_trivially_copyable_v<Packet>,
              "a packet is copied from domain to domain");
static_assert(SpeaksForAllMembers<Packet>(),
              "say in VisitFuture() what the new member is to a replay (core/base/future.h)");

constexpr std::int64_t kHeaderBytes = 52;  ///< SimAI: headers of data, without telemetry
constexpr std::int64_t kAckBytes = 60;
constexpr std::int64_t kPauseBytes = 43;
constexpr std::int64_t kMaxPacketBytes = 65535;
static_assert(kMaxFlowBytes + kMaxPacketBytes <= std::int64_t{1} << 40,
              "what `sequence` can count");

}  // namespace heddle
