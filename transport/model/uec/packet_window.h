// SPDX-License-Identifier: GPL-2.0-only
/// A sender's record of its packets by number: which are in flight, and which are to be sent again.
///
/// Numbers count from 0 in the order of first sending. A packet is outstanding, queued to be sent
/// again, or acknowledged. The record spans the numbers from the first that is not acknowledged to
/// the last sent, in a ring that grows with the span. Outstanding packets are also in a row by the
/// time when they were last sent; a retransmission timer waits for the first of them. Each packet
/// costs O(1), amortised.
/// Invariant: sends are in order of time; so is the row.
///
/// Bytes in flight are not kept here: in Ultra Ethernet they follow the receiver's counter of bytes
/// (transport/model/uec/arrival_window.h), which can be ahead of the bitmaps. The caller takes a
/// packet off when it is queued and, as it was then counted twice, adds it again if it turns out to
/// have arrived: Acked::queued_bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/check.h"
#include "core/base/units.h"
#include "core/containers/state_count.h"

namespace heddle {

class PacketWindow {
 public:
  static constexpr std::int64_t kNone = -1;

  enum class Where : std::uint8_t { kAcknowledged, kOutstanding, kQueued };
  struct Record {
    Time sent;                    ///< last
    std::int64_t before = kNone;  ///< of the row of outstanding packets
    std::int64_t after = kNone;
    std::int32_t bytes = 0;  ///< on the wire
    std::uint16_t entropy = 0;
    std::uint8_t sends = 0;  ///< 255: that or more
    Where where = Where::kAcknowledged;
  };
  struct Acked {
    std::int64_t packets = 0;
    std::int64_t bytes = 0;
    std::int64_t queued_bytes = 0;  ///< of packets that were queued to be sent again
  };

  /// Returns the first number that is not acknowledged; next() if there is none.
  std::int64_t base() const { return base_; }
  /// Returns the number of the next new packet.
  std::int64_t next() const { return next_; }
  bool all_acknowledged() const { return base_ == next_; }   ///< nothing is outstanding or queued
  std::int64_t outstanding() const { return outstanding_; }  ///< packets, not bytes
  /// Returns the bytes on the wire that are queued to be sent again.
  std::int64_t queued_bytes() const { return queued_bytes_; }

  /// Records a new packet of `bytes` (above 0) on the wire that leaves at `now`. Returns its
  /// number.
  std::int64_t Send(Time now, std::int64_t bytes, std::uint16_t entropy);
  /// Returns the lowest queued packet, or kNone.
  std::int64_t NextQueued() const;
  /// Records that the packet of NextQueued(), which must exist, leaves again. Returns its number.
  std::int64_t Resend(Time now, std::uint16_t entropy);

  /// Returns the record of `number`; null if that is acknowledged or was never sent.
  const Record* Find(std::int64_t number) const {
    if (number < base_ || number >= next_) return nullptr;
    const Record& record = At(number);
    return record.where == Where::kAcknowledged ? nullptr : &record;
  }
  /// Returns the time since `number` was last sent, if an ACK that it caused is sure to answer that
  /// copy: the packet is outstanding and was sent once, or twice and the ACK says that it answers
  /// the second. Call it before Acknowledge().
  std::optional<Time> RoundTrip(std::int64_t number, bool retransmitted, Time now) const;

  /// Queues an outstanding packet that is lost. Returns its bytes; 0 for any other packet.
  std::int64_t Lose(std::int64_t number);
  /// Queues all outstanding packets from `number` on (go-back-N). Returns their bytes.
  std::int64_t LoseFrom(std::int64_t number);

  /// Acknowledges all packets below `cumulative` (at most next()), and packet `bitmap_base` + i for
  /// each bit i that is set in `bitmap`. A clear bit says nothing. Calls visit(number, record) for
  /// each packet that this acknowledges, lowest first in each part; the record is as it was before.
  template <class Visit>
  Acked Acknowledge(std::int64_t cumulative, std::int64_t bitmap_base, std::uint64_t bitmap,
                    Visit&& visit);
  /// Acknowledges in the same manner, without a visitor.
  Acked Acknowledge(std::int64_t cumulative, std::int64_t bitmap_base, std::uint64_t bitmap) {
    return Acknowledge(cumulative, bitmap_base, bitmap, [](std::int64_t, const Record&) {});
  }

  /// Returns the outstanding packet that was sent first; kNone without one.
  std::int64_t oldest() const { return first_; }
  /// Returns when it was sent; Time::Max() without one.
  Time oldest_sent() const { return first_ == kNone ? Time::Max() : At(first_).sent; }

  /// Returns the bytes that it has allocated.
  std::size_t memory() const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/);

 private:
  static constexpr std::size_t kSmallest = 8;

  std::size_t Slot(std::int64_t number) const {
    return static_cast<std::size_t>(number) & (ring_.size() - 1);
  }
  Record& At(std::int64_t number) { return ring_[Slot(number)]; }
  const Record& At(std::int64_t number) const { return ring_[Slot(number)]; }
  /// Doubles the ring; numbers keep their records, so the row's links stay right.
  void Grow();
  /// Notes a send at `now`, no earlier than the last one, and appends the packet to the row.
  void Leave(std::int64_t number, Time now, std::uint16_t entropy);
  /// Makes a packet the last outstanding one.
  void AppendToRow(std::int64_t number);
  /// Takes a packet out of the row, in O(1).
  void RemoveFromRow(std::int64_t number);
  /// Puts a packet into the queue or takes it out, with the counts.
  void SetQueued(std::int64_t number, bool queued);
  /// Acknowledges an outstanding or queued packet and counts it in `acked`.
  void Take(std::int64_t number, Acked* acked);
  /// Moves base() to the first packet that is not acknowledged.
  void AdvanceBase();
  /// Returns the outstanding packets by the time when they were last sent.
  std::vector<std::int64_t> RowOrder() const;
  /// Restores the ring, the row and the queue from loaded records of base() to next(). `order` is
  /// the row. Throws UserError if they do not fit together.
  void Rebuild(std::vector<Record> records, const std::vector<std::int64_t>& order);

  std::int64_t base_ = 0;
  std::int64_t next_ = 0;
  std::int64_t outstanding_ = 0;
  std::int64_t queued_ = 0;  ///< packets
  std::int64_t queued_bytes_ = 0;
  std::int64_t first_ = kNone;  ///< of the row of outstanding packets
  std::int64_t last_ = kNone;
  mutable std::int64_t lowest_ = 0;   ///< no packet below it is queued
  std::vector<Record> ring_;          ///< none, or a power of two
  std::vector<std::uint64_t> queue_;  ///< a bit for each slot: queued
};

/// Acknowledges packets; see above.
template <class Visit>
PacketWindow::Acked PacketWindow::Acknowledge(std::int64_t cumulative, std::int64_t bitmap_base,
                                              std::uint64_t bitmap, Visit&& visit) {
  HEDDLE_EXPECT(cumulative <= next_);
  Acked acked;
  const auto take = [&](std::int64_t number) {
    if (At(number).where == Where::kAcknowledged) return;
    visit(number, static_cast<const Record&>(At(number)));
    Take(number, &acked);
  };
  for (std::int64_t number = base_; number < cumulative; ++number) take(number);
  for (; bitmap != 0; bitmap &= bitmap - 1) {
    const std::int64_t number = bitmap_base + __builtin_ctzll(bitmap);
    HEDDLE_EXPECT(number < next_);
    if (number >= base_ && number < next_) take(number);
  }
  AdvanceBase();
  return acked;
}

template <class Archive>
void PacketWindow::serialize(Archive& archive, unsigned /*version*/) {
  std::vector<std::int64_t> order;
  StateCount count(static_cast<std::size_t>(next_ - base_));
  if constexpr (Archive::is_saving::value) order = RowOrder();
  archive& base_& next_& order& count;
  std::vector<Record> records(count);
  for (std::size_t i = 0; i < records.size(); ++i) {
    if constexpr (Archive::is_saving::value) records[i] = At(base_ + static_cast<std::int64_t>(i));
    archive& records[i]
        .sent& records[i]
        .bytes& records[i]
        .entropy& records[i]
        .sends& records[i]
        .where;
  }
  if constexpr (Archive::is_loading::value) Rebuild(std::move(records), order);
}

}  // namespace heddle
