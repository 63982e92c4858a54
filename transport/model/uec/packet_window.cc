// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/uec/packet_window.h"

#include "core/base/memory_account.h"

namespace heddle {
namespace {

constexpr std::int64_t kMostNumber = std::int64_t{1} << 60;  // in loaded state

}  // namespace

std::int64_t PacketWindow::Send(Time now, std::int64_t bytes, std::uint16_t entropy) {
  HEDDLE_EXPECT(bytes > 0 && bytes <= std::int64_t{1} << 30);
  if (static_cast<std::size_t>(next_ - base_) == ring_.size()) Grow();
  const std::int64_t number = next_++;
  At(number) = Record{};
  At(number).bytes = static_cast<std::int32_t>(bytes);
  Leave(number, now, entropy);
  return number;
}

std::int64_t PacketWindow::NextQueued() const {
  if (queued_ == 0) return kNone;
  for (;;) {
    const std::size_t slot = Slot(lowest_);
    const std::uint64_t bits = queue_[slot >> 6] >> (slot & 63);
    if (bits != 0) {
      lowest_ += __builtin_ctzll(bits);
      return lowest_;
    }
    lowest_ += static_cast<std::int64_t>(std::min(64 - (slot & 63), ring_.size() - slot));
  }
}

std::int64_t PacketWindow::Resend(Time now, std::uint16_t entropy) {
  const std::int64_t number = NextQueued();
  HEDDLE_EXPECT(number != kNone);
  SetQueued(number, false);
  Leave(number, now, entropy);
  return number;
}

std::optional<Time> PacketWindow::RoundTrip(std::int64_t number, bool retransmitted,
                                            Time now) const {
  const Record* record = Find(number);
  if (record == nullptr || record->where != Where::kOutstanding) return std::nullopt;
  if (record->sends != (retransmitted ? 2 : 1)) return std::nullopt;
  return now - record->sent;
}

std::int64_t PacketWindow::Lose(std::int64_t number) {
  const Record* record = Find(number);
  if (record == nullptr || record->where != Where::kOutstanding) return 0;
  RemoveFromRow(number);
  SetQueued(number, true);
  return record->bytes;
}

std::int64_t PacketWindow::LoseFrom(std::int64_t number) {
  std::int64_t bytes = 0;
  for (std::int64_t at = std::max(number, base_); at < next_; ++at) bytes += Lose(at);
  return bytes;
}

std::size_t PacketWindow::memory() const { return MemoryOf(ring_) + MemoryOf(queue_); }

/// Doubles the ring; numbers keep their records, so the row's links stay right.
void PacketWindow::Grow() {
  const std::size_t size = std::max(kSmallest, 2 * ring_.size());
  std::vector<Record> larger(size);
  std::vector<std::uint64_t> queue((size + 63) / 64);
  for (std::int64_t number = base_; number < next_; ++number) {
    const std::size_t slot = static_cast<std::size_t>(number) & (size - 1);
    larger[slot] = At(number);
    if (At(number).where == Where::kQueued) queue[slot >> 6] |= std::uint64_t{1} << (slot & 63);
  }
  ring_ = std::move(larger);
  queue_ = std::move(queue);
}

void PacketWindow::Leave(std::int64_t number, Time now, std::uint16_t entropy) {
  HEDDLE_EXPECT(last_ == kNone || now >= At(last_).sent);
  Record& record = At(number);
  record.sent = now;
  record.entropy = entropy;
  if (record.sends < 255) ++record.sends;
  AppendToRow(number);
}

void PacketWindow::AppendToRow(std::int64_t number) {
  Record& record = At(number);
  record.where = Where::kOutstanding;
  record.before = last_;
  record.after = kNone;
  (last_ == kNone ? first_ : At(last_).after) = number;
  last_ = number;
  ++outstanding_;
}

void PacketWindow::RemoveFromRow(std::int64_t number) {
  const Record& record = At(number);
  (record.before == kNone ? first_ : At(record.before).after) = record.after;
  (record.after == kNone ? last_ : At(record.after).before) = record.before;
  --outstanding_;
}

void PacketWindow::SetQueued(std::int64_t number, bool queued) {
  Record& record = At(number);
  const std::size_t slot = Slot(number);
  queue_[slot >> 6] ^= std::uint64_t{1} << (slot & 63);
  if (!queued) {
    --queued_;
    queued_bytes_ -= record.bytes;
    return;
  }
  lowest_ = queued_ == 0 ? number : std::min(lowest_, number);
  record.where = Where::kQueued;
  ++queued_;
  queued_bytes_ += record.bytes;
}

void PacketWindow::Take(std::int64_t number, Acked* acked) {
  Record& record = At(number);
  if (record.where == Where::kQueued) {
    SetQueued(number, false);
    acked->queued_bytes += record.bytes;
  } else {
    RemoveFromRow(number);
  }
  record.where = Where::kAcknowledged;
  ++acked->packets;
  acked->bytes += record.bytes;
}

void PacketWindow::AdvanceBase() {
  while (base_ < next_ && At(base_).where == Where::kAcknowledged) ++base_;
}

std::vector<std::int64_t> PacketWindow::RowOrder() const {
  std::vector<std::int64_t> order;
  for (std::int64_t number = first_; number != kNone; number = At(number).after)
    order.push_back(number);
  return order;
}

/// Restores all from loaded records of base_ to next_, and the order in which the outstanding
/// packets were sent.
void PacketWindow::Rebuild(std::vector<Record> records, const std::vector<std::int64_t>& order) {
  ExpectState(
      base_ >= 0 && next_ >= base_ && static_cast<std::size_t>(next_ - base_) == records.size(),
      "other numbers of packets than it says");
  ring_.clear();
  queue_.clear();
  outstanding_ = queued_ = queued_bytes_ = 0;
  first_ = last_ = kNone;
  const std::int64_t base = base_;
  const std::int64_t next = next_;
  std::size_t on_their_way = 0;
  for (next_ = base_; next_ < next; ++next_) {
    if (static_cast<std::size_t>(next_ - base_) == ring_.size()) Grow();
    Record record = records[static_cast<std::size_t>(next_ - base)];
    ExpectState(record.bytes > 0 && record.sends > 0 && record.where <= Where::kQueued &&
                    record.sent >= Time{0},
                "a sent packet that is out of range");
    ExpectState(next_ > base || record.where != Where::kAcknowledged,
                "an acknowledged packet as the first that is not");
    record.before = record.after = kNone;
    At(next_) = record;
    if (record.where == Where::kQueued) SetQueued(next_, true);
    if (record.where == Where::kOutstanding) ++on_their_way;
  }
  for (const std::int64_t number : order) {
    const Record* record = Find(number);
    ExpectState(record != nullptr && record->where == Where::kOutstanding &&
                    record->before == kNone && first_ != number &&
                    (last_ == kNone || record->sent >= At(last_).sent),
                "packets on their way in an impossible order");
    AppendToRow(number);
  }
  ExpectState(order.size() == on_their_way, "packets on their way that no timer waits for");
}

}  // namespace heddle
