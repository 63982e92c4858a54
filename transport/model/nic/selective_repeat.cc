// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/nic/selective_repeat.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace heddle {

bool PacketBitmap::Set(std::int64_t packet) {
  HEDDLE_EXPECT(packet >= base_);
  Reserve(packet);
  std::uint64_t& word = words_[Slot(packet)];
  const std::uint64_t bit = std::uint64_t{1} << (packet & 63);
  if ((word & bit) != 0) return false;
  word |= bit;
  end_ = std::max(end_, packet + 1);
  return true;
}

void PacketBitmap::AdvanceBase(std::int64_t packet) {
  HEDDLE_EXPECT(packet >= base_);
  if (packet >= end_) {
    words_ = {};
  } else {
    for (std::int64_t word = base_ >> 6; word < packet >> 6; ++word) words_[Slot(word << 6)] = 0;
    words_[Slot(packet)] &= ~std::uint64_t{0} << (packet & 63);
  }
  base_ = packet;
}

std::int64_t PacketBitmap::FirstClear(std::int64_t from) const {
  HEDDLE_EXPECT(from >= base_);
  while (from < end_) {
    const std::uint64_t clear = ~words_[Slot(from)] >> (from & 63);
    if (clear != 0) return from + __builtin_ctzll(clear);
    from = (from | 63) + 1;
  }
  return from;
}

bool PacketBitmap::HasNothingElse() const {
  std::int64_t members = 0, bits = 0;
  for (std::int64_t packet = base_; packet < end_; ++packet) members += Test(packet) ? 1 : 0;
  for (const std::uint64_t word : words_) bits += __builtin_popcountll(word);
  return members == bits;
}

/// Makes room for all words from the base's to that of `last_packet`.
void PacketBitmap::Reserve(std::int64_t last_packet) {
  const auto needed = static_cast<std::size_t>((last_packet >> 6) - (base_ >> 6) + 1);
  if (needed <= words_.size()) return;
  std::size_t size = std::max<std::size_t>(1, words_.size());
  while (size < needed) size *= 2;
  std::vector<std::uint64_t> larger(size);
  if (!empty()) {
    for (std::int64_t word = base_ >> 6; word <= (end_ - 1) >> 6; ++word) {
      larger[static_cast<std::size_t>(word) & (size - 1)] = words_[Slot(word << 6)];
    }
  }
  words_ = std::move(larger);
}

SelectiveReceiver::Arrival SelectiveReceiver::Receive(std::int64_t packet) {
  if (packet < expected()) return {};
  if (packet > expected()) {
    const bool is_new = received_.Set(packet);
    held_ += is_new ? 1 : 0;
    return {is_new, false, 0};
  }
  const std::int64_t next = received_.empty() ? packet + 1 : received_.FirstClear(packet + 1);
  received_.AdvanceBase(next);
  held_ -= next - packet - 1;
  return {true, true, next - packet};
}

void SelectiveSender::Acknowledge(std::int64_t cumulative, std::int64_t next_new) {
  HEDDLE_EXPECT(cumulative <= next_new);
  if (cumulative <= unacknowledged()) return;
  // If ACKs were lost, a cumulative point may end inside a run of selectively acknowledged packets:
  // skip the run.
  selective_.AdvanceBase(cumulative);
  selective_.AdvanceBase(selective_.FirstClear(cumulative));
  Update(next_new);
}

void SelectiveSender::Nack(std::int64_t cumulative, std::int64_t received, std::int64_t next_new) {
  HEDDLE_EXPECT(received < next_new);
  Acknowledge(cumulative, next_new);
  if (received > unacknowledged()) selective_.Set(received);
  if (selective_.empty()) return;  // outdated: no packet is known to be missing
  if (!in_recovery()) Enter(next_new);
  Update(next_new);
}

void SelectiveSender::Arrive(std::int64_t cumulative, std::int64_t received,
                             std::int64_t next_new) {
  HEDDLE_EXPECT(received < next_new || received == cumulative);
  Acknowledge(cumulative, next_new);
  if (received <= unacknowledged()) return;
  selective_.Set(received);
  Update(next_new);
}

void SelectiveSender::Timeout(std::int64_t next_new) {
  if (unacknowledged() >= next_new) return;
  Enter(next_new);
  timed_out_ = true;
  Update(next_new);
}

void SelectiveSender::Retransmitted() {
  HEDDLE_EXPECT(next_retransmission_ != kNone);
  retransmit_from_ = next_retransmission_ + 1;
  next_retransmission_ = FindLost();
}

void SelectiveSender::Enter(std::int64_t next_new) {
  recovery_point_ = next_new - 1;
  retransmit_from_ = unacknowledged();
  timed_out_ = false;
}

void SelectiveSender::Update(std::int64_t next_new) {
  if (!in_recovery()) return;
  const bool over = unacknowledged() > recovery_point_;
  if (over) timed_out_ = false;
  retransmit_from_ = std::max(retransmit_from_, unacknowledged());
  next_retransmission_ = FindLost();
  if (over) recovery_point_ = next_retransmission_ != kNone ? next_new - 1 : kNone;
}

/// Returns the first packet that is missing, counts as lost and was not sent again in this
/// recovery.
std::int64_t SelectiveSender::FindLost() const {
  const std::int64_t missing = selective_.FirstClear(retransmit_from_);
  return missing + tolerance_ < selective_.end() - 1 || (timed_out_ && missing == unacknowledged())
             ? missing
             : kNone;
}

}  // namespace heddle
