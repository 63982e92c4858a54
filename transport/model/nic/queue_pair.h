// SPDX-License-Identifier: GPL-2.0-only
/// The two ends of a flow: the sender's queue pair and the receiver's state.
///
/// Source: SimAI's ns-3 (rdma-queue-pair): window and rate together. A queue pair is window bound
/// when the bytes in flight reach the window, so it exceeds it by less than one packet. One further
/// packet is sent when the window has shrunk below the bytes in flight and none of them is sure to
/// be acknowledged (docs/models/reliability.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/base/future.h"
#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/records/flow_vocabulary.h"
#include "transport/model/congestion/pace.h"

namespace heddle {

/// Sender state of one flow, from its start to its last acknowledgement. The first two cache lines
/// are what each packet and ACK uses; the third is for the flow's start and end.
struct alignas(64) QueuePair {
  static constexpr std::uint32_t kParked = ~0U;
  static constexpr std::uint8_t kClosed = 1;  ///< `size` is the flow's
  static constexpr std::uint8_t kOpen =
      2;  ///< more may come; the last byte so far is not in `size`

  FlowId flow;  ///< source invalid: the slot is free
  NodeId destination;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint8_t priority = 3;
  std::uint8_t timeouts = 0;     ///< consecutive timeouts without progress
  std::uint8_t resend = 0;       ///< selective repeat: 1 if a lost packet waits to be sent again
  std::uint8_t asked = 0;        ///< 1 if the last packet sent asks for an ACK
  std::uint32_t port = kParked;  ///< the NIC's port, numbered within the domain; kParked: no route
  std::uint32_t position = 0;    ///< in the NIC's round robin
  /// Slot of the posted message that it carries; kParked: none (a flow of a trace).
  std::uint32_t post = kParked;
  std::int64_t size = 0;     ///< [byte]
  std::int64_t next = 0;     ///< snd_nxt: first byte not yet sent
  std::int64_t unacked = 0;  ///< snd_una: first byte not yet acknowledged
  Time next_send;            ///< pacing: earliest time of the next packet

  std::int64_t highest = 0;  ///< first byte never sent
  /// Last time when data began to wait for an ACK, or an ACK acknowledged new data. Going back
  /// after a NACK is no progress: a packet that never gets through ends in timeouts.
  Time last_progress;
  std::int32_t last_size = 0;  ///< size of the last packet [byte]
  /// 1: its packets are Ultra Ethernet's (transport/domain/uec/uec_sender.h). Then `next` is
  /// `size`, `highest` the first byte never sent, and `resend` says whether it may send.
  std::uint8_t ultra = 0;
  /// Its bytes come in requests (transport/domain/requests/request_desk.h): kOpen or kClosed.
  std::uint8_t divided = 0;
  std::uint8_t sprays =
      0;  ///< 1: its packets have entropies (transport/model/nic/packet_entropies.h)
  /// 1: it carries on a stream that is still being added (transport/domain/streams); `size` is what
  /// may be sent so far, and more comes.
  std::uint8_t grows = 0;
  Pace pace;

  Time rate_timer = Time::Max();  ///< time of congestion control's pending event
  Time start;
  FlowRecovery recovery;
  std::uint32_t message = 0;  ///< running number of its message at the source
  /// Slot of its grant of a source port; kParked: not under the controller.
  std::uint32_t grant = kParked;
  std::uint32_t cnps = 0;  ///< ACKs with the CNP flag
  std::uint32_t seen_cnps = 0;
  std::int64_t seen_rate = 0;  ///< rate at the last sample of a monitor [bit/s]

  /// Whether its packets are RoCE's, on one path, of a message that was posted whole.
  bool plain() const { return (ultra | divided | sprays | grows) == 0; }
  /// Returns the bytes of the flow that are known so far; one more than `size` if more will come.
  std::int64_t bytes() const { return size + (more_comes() ? 1 : 0); }
  /// Whether more bytes than `size` will come.
  bool more_comes() const { return divided == kOpen || grows != 0; }
  /// Whether the bytes in flight have reached Pace::limit. False without a limit.
  bool window_full() const { return pace.limit > 0 && next - unacked >= pace.limit; }
  /// Whether the window is full and an ACK is sure to come: the last packet asks for one, or
  /// `sure_of_ack` bytes are in flight (ReliabilityOptions::sure_of_ack()).
  bool window_bound(std::int64_t sure_of_ack) const {
    return window_full() && (asked != 0 || next - unacked >= sure_of_ack);
  }
  bool has_data() const { return next < size; }  ///< bytes of `size` not yet sent
  /// Whether it may send: new data within the window, or a packet again.
  bool ready(std::int64_t sure_of_ack) const {
    return (has_data() && !window_bound(sure_of_ack)) || resend != 0;
  }
  bool in_flight() const { return next > unacked; }  ///< some byte is sent and not acknowledged

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& flow& destination& source_port& destination_port& priority& timeouts& resend& asked&
        port& position& size& next& unacked& highest& pace& next_send& last_progress& rate_timer&
            start& recovery& message& post& grant& cnps& last_size& ultra& divided& sprays& grows&
                seen_rate& seen_cnps;
  }
  /// Says what each member is to a replay (core/base/future.h).
  template <class Self, class Visitor>
  static constexpr void VisitFuture(Self& self, Visitor& visit) {
    visit.Given(self.size);
    visit.Given(self.priority);
    visit.GivenOrNone(self.post, kParked);
    visit.MovesWithBytes(self.next);
    visit.MovesWithBytes(self.unacked);
    visit.MovesWithBytes(self.highest);
    visit.MovesWhileAhead(self.next_send);
    visit.MovesWithTime(self.last_progress);
    visit.Decides(self.position, self.last_size);
    visit.Decides(self.asked);
    visit.Part(self.pace);
    visit.Part(self.recovery);
    visit.MustBe(self.timeouts, std::uint8_t{0});
    visit.MustBe(self.resend, std::uint8_t{0});
    visit.MustBe(self.ultra, std::uint8_t{0});
    visit.MustBe(self.divided, std::uint8_t{0});
    visit.MustBe(self.sprays, std::uint8_t{0});
    visit.MustBe(self.grows, std::uint8_t{0});
    visit.MustBe(self.rate_timer, Time::Max());
    visit.MustBe(self.grant, kParked);
    visit.MustBe(self.cnps, 0U);
    // The path is in the input's key instead.
    visit.NoMatter(self.flow, self.destination, self.source_port, self.destination_port, self.port,
                   self.message, self.start);
    visit.NoMatter(self.seen_cnps, self.seen_rate);  // of monitors
  }
};
static_assert(std::is_trivially_copyable_v<QueuePair> && sizeof(QueuePair) == 192);
static_assert(SpeaksForAllMembers<QueuePair>(),
              "say in VisitFuture() what the new member is to a replay (core/base/future.h)");

/// Receiver state of one flow, from its first packet to its last byte.
struct ReceiveQueuePair {
  FlowId flow;
  NodeId node;                                          ///< the receiving node
  std::uint16_t source_port = 0, destination_port = 0;  ///< of the data
  std::uint8_t marked = 0;                              ///< 1 if the next ACK reports a mark
  std::uint8_t asked = 0;       ///< 1 if a packet that is kept beyond a gap asked for an ACK
  std::int64_t expected = 0;    ///< next byte in order
  std::int64_t unreported = 0;  ///< bytes since the last ACK
  std::int64_t last_nack = -1;  ///< first byte of the gap reported last
  Time nack_again;              ///< earliest time to report the same gap again
  std::int64_t end = -1;        ///< size of the flow, once its last packet has arrived
  /// NIC port of its ACKs, numbered within the domain; kParked: no route.
  std::uint32_t ack_port = 0;
  /// What it feeds, an input of StreamDesk; kParked: nothing.
  std::uint32_t input = QueuePair::kParked;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& flow& node& source_port& destination_port& marked& asked& expected& unreported&
        last_nack& nack_again& end& ack_port& input;
  }
  /// Says what each member is to a replay (core/base/future.h).
  template <class Self, class Visitor>
  static constexpr void VisitFuture(Self& self, Visitor& visit) {
    visit.MovesWithBytes(self.expected);
    visit.Decides(self.unreported);
    visit.Decides(self.marked, self.asked);
    visit.MustBe(self.last_nack, std::int64_t{-1});
    visit.MustBe(self.nack_again, Time{0});
    visit.MustBe(self.end, std::int64_t{-1});
    visit.MustBe(self.input, QueuePair::kParked);
    visit.NoMatter(self.flow, self.node, self.source_port, self.destination_port, self.ack_port);
  }
};
static_assert(std::is_trivially_copyable_v<ReceiveQueuePair>);
static_assert(SpeaksForAllMembers<ReceiveQueuePair>(),
              "say in VisitFuture() what the new member is to a replay (core/base/future.h)");

}  // namespace heddle
