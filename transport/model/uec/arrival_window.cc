// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/uec/arrival_window.h"

#include <algorithm>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr std::int64_t kBitmapBits = 64;
constexpr std::int64_t kMostCounted = std::int64_t{1} << 60;  // in loaded state

}  // namespace

ArrivalWindow::Arrival ArrivalWindow::Receive(const Packet& packet, const ArrivalRules& rules) {
  Arrival arrival;
  if (Received(packet.number)) {
    ++duplicates_;
    unanswered_ = 0;
    arrival.ack = true;
    arrival.anchored = packet.marked;
    return arrival;
  }
  if (rules.in_order && packet.number > expected()) {
    arrival.refused = true;
    arrival.nack = Refuse();
    return arrival;
  }
  const bool first = received_bytes_ == 0;
  arrival.is_new = true;
  received_bytes_ += packet.bytes;
  unanswered_ += packet.bytes;
  asked_ = asked_ || packet.asks;
  arrival.advanced = Place(packet.number);
  const bool drained = held_ == 0 && asked_;
  if (drained) asked_ = false;
  arrival.ack = first || packet.marked || packet.asks || drained || unanswered_ >= rules.threshold;
  arrival.anchored = packet.marked || packet.asks;
  if (arrival.ack) unanswered_ = 0;
  return arrival;
}

ArrivalWindow::TrimAnswer ArrivalWindow::ReceiveTrimmed(std::int64_t number,
                                                        const ArrivalRules& rules) {
  if (Received(number)) return TrimAnswer::kAck;
  if (!rules.in_order) return TrimAnswer::kNack;
  if (number > expected()) return Refuse() ? TrimAnswer::kNackExpected : TrimAnswer::kNone;
  nacked_ = number;
  return TrimAnswer::kNack;
}

AckFields ArrivalWindow::Ack(std::int64_t number, bool anchored) const {
  AckFields fields;
  fields.cumulative = expected();
  fields.number = number;
  fields.received_bytes = received_bytes_;
  fields.held = held_;
  fields.bitmap_base = anchored ? number : std::max(number - (kBitmapBits - 1), expected() + 1);
  const std::int64_t begin = std::max(fields.bitmap_base, expected());
  const std::int64_t end = std::min(fields.bitmap_base + kBitmapBits, arrived_.end());
  for (std::int64_t at = begin; at < end; ++at) {
    if (arrived_.Test(at)) fields.bitmap |= std::uint64_t{1} << (at - fields.bitmap_base);
  }
  return fields;
}

/// Takes in a new packet. Returns by how much the cumulative number moved.
std::int64_t ArrivalWindow::Place(std::int64_t number) {
  if (number == expected()) {
    const std::int64_t next = arrived_.FirstClear(number + 1);
    arrived_.AdvanceBase(next);
    held_ -= next - number - 1;
    return next - number;
  }
  arrived_.Set(number);
  ++held_;
  ++out_of_order_;
  reordering_.held = std::max(reordering_.held, held_);
  reordering_.distance = std::max(reordering_.distance, arrived_.end() - 1 - expected());
  return 0;
}

/// Whether to answer with a NACK: once for each expected number.
bool ArrivalWindow::Refuse() {
  if (nacked_ == expected()) return false;
  nacked_ = expected();
  return true;
}

void ArrivalWindow::CheckLoaded() const {
  std::int64_t held = 0;
  for (std::int64_t at = arrived_.base(); at < arrived_.end(); ++at) held += arrived_.Test(at);
  ExpectState(held == held_ && !arrived_.Test(expected()),
              "arrived packets that it does not count");
  bool sound = nacked_ >= -1;
  for (const std::int64_t count : {received_bytes_, unanswered_, duplicates_, out_of_order_,
                                   reordering_.held, reordering_.distance, expected()}) {
    sound = sound && count >= 0 && count <= kMostCounted;
  }
  ExpectState(sound, "a receiver's counts out of range");
}

}  // namespace heddle
