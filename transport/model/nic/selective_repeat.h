// SPDX-License-Identifier: GPL-2.0-only
/// Bookkeeping of selective repeat: which packets arrived, and which to send again.
///
/// Source: Mittal et al., "Revisiting Network Support for RDMA" (IRN), SIGCOMM 2018, section 3.1;
/// our recovery point is the paper's "recovery sequence". Packets of a flow are numbered from 0:
/// packet n carries the bytes from n x payload on. Left to the caller: the limit of bytes in
/// flight, timers and the packets themselves.
#pragma once

#include <cstdint>
#include <vector>

#include "core/containers/state_count.h"

namespace heddle {

/// A set of packet numbers at or above a base that only advances. It is a ring of words, released
/// when the set becomes empty: a flow without gaps allocates nothing. Its size depends on the span
/// from the base to the largest member, not on the flow's size.
class PacketBitmap {
 public:
  std::int64_t base() const { return base_; }  ///< members are at or above it
  /// Returns one past the largest member; the base if there is none.
  std::int64_t end() const { return end_ > base_ ? end_ : base_; }
  bool empty() const { return end_ <= base_; }  ///< no members

  /// Whether `packet` (>= base) is a member.
  bool Test(std::int64_t packet) const {
    return packet < end_ && ((words_[Slot(packet)] >> (packet & 63)) & 1U) != 0;
  }
  /// Inserts `packet` (>= base). Returns false if it was a member already.
  bool Set(std::int64_t packet);
  /// Removes all members below `packet` (>= base), which becomes the base.
  void AdvanceBase(std::int64_t packet);
  /// Returns the smallest number >= `from` (>= base) that is not a member. It always exists.
  std::int64_t FirstClear(std::int64_t from) const;
  /// Returns the bytes that it has allocated.
  std::size_t memory() const { return words_.capacity() * sizeof(std::uint64_t); }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& base_& end_& words_;
    if constexpr (Archive::is_loading::value) {
      const bool power = (words_.size() & (words_.size() - 1)) == 0;
      const bool fits =
          empty() || ((end_ - 1) >> 6) - (base_ >> 6) < static_cast<std::int64_t>(words_.size());
      ExpectState(base_ >= 0 && end_ >= 0 && power && fits && HasNothingElse(),
                  "a window of packets that does not fit");
    }
  }

 private:
  /// Returns the index of a packet's word. Requires words.
  std::size_t Slot(std::int64_t packet) const {
    return static_cast<std::size_t>(packet >> 6) & (words_.size() - 1);
  }
  /// Makes room for all words from the base's to that of `last_packet`.
  void Reserve(std::int64_t last_packet);
  /// Whether a loaded set, whose size fits, has only bits of members.
  bool HasNothingElse() const;

  std::int64_t base_ = 0;
  std::int64_t end_ = 0;              ///< one past the largest ever set
  std::vector<std::uint64_t> words_;  ///< none, or a power of two; zero outside [base, end)
};

/// Receiver state of a flow: accepts packets in any order.
class SelectiveReceiver {
 public:
  struct Arrival {
    bool is_new = false;  ///< false: a duplicate, to be acknowledged again
    /// Was the next expected packet; a new one out of order asks for a NACK.
    bool in_order = false;
    /// Packets by which the next expected one moved: 0, 1, or more when a gap was filled.
    std::int64_t advanced = 0;
  };

  /// Notes that a packet arrived, in any order, also again.
  Arrival Receive(std::int64_t packet);
  /// Returns the cumulative point: all packets below it arrived.
  std::int64_t expected() const { return received_.base(); }
  /// Returns the number of packets that arrived beyond a missing one.
  std::int64_t held() const { return held_; }
  /// Whether packets beyond a missing one have arrived.
  bool has_gap() const { return !received_.empty(); }
  /// Whether the packet has arrived.
  bool Received(std::int64_t packet) const { return packet < expected() || received_.Test(packet); }
  /// Returns the bytes that it has allocated.
  std::size_t memory() const { return received_.memory(); }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& received_& held_;
    if constexpr (Archive::is_loading::value)
      ExpectState(held_ >= 0 && (held_ == 0) == received_.empty(),
                  "another number of packets beyond a gap than there are");
  }

 private:
  PacketBitmap received_;  ///< packets above the cumulative point, which is its base
  std::int64_t held_ = 0;  ///< members of it
};

/// Sender state of a flow: what is acknowledged, and what to send again in recovery from a loss.
///
/// Recovery begins with a NACK or a timeout; its recovery point is the last packet sent so far. A
/// recovery sends each packet again at most once: the unacknowledged ones below the largest
/// selectively acknowledged packet, and more than the tolerated reordering below it, in order;
/// after a timeout also the first unacknowledged one, and the next whenever the cumulative point
/// moves (RFC 6582's partial acknowledgement: without it every packet of a lost tail would cost a
/// timeout). Recovery ends when the cumulative point passes the recovery point. A packet known to
/// be missing then that was not sent again begins the next recovery. `next_new` is the first packet
/// never sent.
class SelectiveSender {
 public:
  static constexpr std::int64_t kNone = -1;

  SelectiveSender() = default;
  /// Makes a sender that counts a packet as lost when a packet more than `tolerance` after it has
  /// arrived.
  explicit SelectiveSender(std::int64_t tolerance) : tolerance_(tolerance) {}

  /// Notes that all packets below `cumulative` arrived. An outdated point changes nothing.
  void Acknowledge(std::int64_t cumulative, std::int64_t next_new);
  /// Notes that all packets below `cumulative` and packet `received` arrived, and that packet
  /// `cumulative` did not. Begins a recovery if there is none.
  void Nack(std::int64_t cumulative, std::int64_t received, std::int64_t next_new);
  /// Notes the same of packets that arrived, but `cumulative` is not known to be lost. `received`
  /// equal to it: no packet beyond it arrived.
  void Arrive(std::int64_t cumulative, std::int64_t received, std::int64_t next_new);
  /// Begins a recovery after a timeout: the first unacknowledged packet, and the packets known to
  /// be missing, are to be sent again. Does nothing if every packet sent is acknowledged.
  void Timeout(std::int64_t next_new);

  /// Returns the packet to send again before any new one, or kNone.
  std::int64_t NextRetransmission() const { return next_retransmission_; }
  /// Notes that the packet of NextRetransmission() was sent.
  void Retransmitted();

  std::int64_t tolerance() const { return tolerance_; }  ///< packets of reordering that are no loss
  /// Whether a recovery lasts: from a NACK or timeout to the recovery point.
  bool in_recovery() const { return recovery_point_ != kNone; }
  /// Returns the last packet sent before the recovery began; kNone outside recovery.
  std::int64_t recovery_point() const { return recovery_point_; }
  /// Returns the first packet not acknowledged.
  std::int64_t unacknowledged() const { return selective_.base(); }
  /// Whether `packet` is known to have arrived.
  bool Acknowledged(std::int64_t packet) const {
    return packet < unacknowledged() || selective_.Test(packet);
  }
  /// Returns the bytes that it has allocated.
  std::size_t memory() const { return selective_.memory(); }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& selective_& recovery_point_& retransmit_from_& next_retransmission_& timed_out_&
        tolerance_;
  }

 private:
  /// Begins a recovery whose recovery point is the packet before `next_new`.
  void Enter(std::int64_t next_new);
  /// Finds the next packet to send again, and ends the recovery, or begins the next one, beyond its
  /// recovery point. Does nothing outside recovery.
  void Update(std::int64_t next_new);
  /// Returns the first missing packet that counts as lost and was not sent again in this recovery;
  /// kNone if there is none.
  std::int64_t FindLost() const;

  PacketBitmap selective_;  ///< packets acknowledged above the cumulative point, which is its base
  std::int64_t recovery_point_ = kNone;
  std::int64_t retransmit_from_ = 0;  ///< in recovery: all missing packets below it were sent again
  std::int64_t next_retransmission_ = kNone;
  /// A timeout began the recovery: the first unacknowledged packet counts as lost.
  bool timed_out_ = false;
  std::int64_t tolerance_ = 0;
};

}  // namespace heddle
