// SPDX-License-Identifier: GPL-2.0-only
/// A sender's record of its packets by number: which are on their way, which are to be sent again.
///
/// Numbers count from 0 in the order of first sending. A packet is outstanding, queued to be sent
/// again, or acknowledged. The record spans the numbers from the first that is not acknowledged to
/// the last sent, in a ring that grows with the span. Outstanding packets are also in a row by the
/// time when they were last sent, of which the first is what a retransmission timer waits for.
/// Each packet costs O(1), amortised.
/// Invariant: sends are in order of time; the row is too.
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
    std::int64_t queued_bytes = 0;  ///< of those that were queued to be sent again
  };

  /// The first number that is not acknowledged; next() if there is none.
  std::int64_t base() const { return base_; }
  /// The number of the next new packet.
  std::int64_t next() const { return next_; }
  bool all_acknowledged() const { return base_ == next_; }
  std::int64_t outstanding() const { return outstanding_; }
  /// Bytes queued to be sent again.
  std::int64_t queued_bytes() const { return queued_bytes_; }

  /// A new packet of `bytes` (above 0) on the wire leaves. Returns its number.
  std::int64_t Send(Time now, std::int64_t bytes, std::uint16_t entropy);
  /// The lowest queued packet, or kNone.
  std::int64_t NextQueued() const;
  /// The packet of NextQueued() leaves again; there must be one. Returns its number.
  std::int64_t Resend(Time now, std::uint16_t entropy);

  /// The record of `number`, or null if that is acknowledged or was never sent.
  const Record* Find(std::int64_t number) const {
    if (number < base_ || number >= next_) return nullptr;
    const Record& record = At(number);
    return record.where == Where::kAcknowledged ? nullptr : &record;
  }
  /// Time since `number` was last sent, if an ACK that it caused tells so for sure: it is
  /// outstanding and was sent once, or twice and the ACK says that it answers the second.
  /// To be asked before Acknowledge().
  std::optional<Time> RoundTrip(std::int64_t number, bool retransmitted, Time now) const;

  /// `number` is lost: an outstanding packet is queued. Returns its bytes; 0 for any other.
  std::int64_t Lose(std::int64_t number);
  /// All outstanding packets from `number` on are lost (go-back-N). Returns their bytes.
  std::int64_t LoseFrom(std::int64_t number);

  /// All packets below `cumulative` (at most next()) arrived, and for each bit i of `bitmap` that
  /// is set packet `bitmap_base` + i. Calls visit(number, record) for each packet that this
  /// acknowledges, lowest first in each part; the record is as it was before. A clear bit says
  /// nothing.
  template <class Visit>
  Acked Acknowledge(std::int64_t cumulative, std::int64_t bitmap_base, std::uint64_t bitmap,
                    Visit&& visit);
  Acked Acknowledge(std::int64_t cumulative, std::int64_t bitmap_base, std::uint64_t bitmap) {
    return Acknowledge(cumulative, bitmap_base, bitmap, [](std::int64_t, const Record&) {});
  }

  /// The outstanding packet that was sent first; kNone without one.
  std::int64_t oldest() const { return first_; }
  /// When it was sent; Time::Max() without one.
  Time oldest_sent() const { return first_ == kNone ? Time::Max() : At(first_).sent; }

  /// Bytes that it has allocated.
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
  void Grow();
  void Leave(std::int64_t number, Time now, std::uint16_t entropy);
  void AppendToRow(std::int64_t number);
  void RemoveFromRow(std::int64_t number);
  void SetQueued(std::int64_t number, bool queued);
  void Take(std::int64_t number, Acked* acked);
  void AdvanceBase();
  std::vector<std::int64_t> RowOrder() const;
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
