// SPDX-License-Identifier: GPL-2.0-only
/// What the fields of a Packet mean in Ultra Ethernet, and an ACK's fields in them.
///
/// All kinds: `source_port` is the entropy, which an answer returns. `flow_number` and `queue_pair`
/// as in RoCE.
///   data, trimmed  `sequence` number of the packet, `stamp` pull target, `last` of the flow,
///                  `ack_request`, `answered` as in RoCE; `echo` sent before; trimmed: `note` 1 on
///                  the last hop
///   request        `sequence` number of the next packet, `stamp` pull target, `note` UecRequest
///   ACK            see UecAck
///   NACK           `sequence` number, `echo` it was marked, `last` trimmed on the last hop
///   pull           `sequence` pull number
/// Sizes on the wire are those of UecOptions, whatever the fields would need.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "transport/model/uec/arrival_window.h"
#include "transport/model/wire/packet.h"

namespace heddle {

/// What a packet without payload wants.
enum class UecRequest : std::uint8_t {
  kSend,       ///< credit, or news of what is missing: the sender cannot go on
  kPathProbe,  ///< to know that its entropy's path works (scheme mrc)
  kLossProbe   ///< to know what is missing (uec.sleek)
};

/// `sequence` is the cumulative number and `stamp` the bitmap; `note` counts the number that caused
/// it from there; `destination_port` is the number of packets held above a hole; flags: `echo`
/// marked, `answered` that packet was a retransmission, `ack_request` the bitmap begins at it,
/// `last` the flow's last packet has arrived, `marked` it answers a request, whose kind is in
/// `note`. Bytes received follow from packets received.
struct UecAck {
  /// `sequence` of an ACK for a flow of which all has arrived and nothing else is known.
  static constexpr std::int64_t kAll = (std::int64_t{1} << 40) - 1;

  AckFields fields;  ///< received_bytes is not set
  bool retransmitted = false;
  bool has_last = false;
  bool request = false;
  UecRequest what = UecRequest::kSend;

  /// Returns the fields of an ACK packet.
  static UecAck Of(const Packet& p);
  /// Writes the fields to an ACK packet. `anchored`: the bitmap begins at `fields.number`.
  void Write(Packet* p, bool anchored) const;

 private:
  static constexpr std::int64_t kZero = std::int64_t{1} << 23;  ///< of `note`
  static constexpr std::int64_t kBits = 64;
};

inline UecAck UecAck::Of(const Packet& p) {
  UecAck ack;
  AckFields& fields = ack.fields;
  fields.cumulative = static_cast<std::int64_t>(p.sequence);
  fields.bitmap = static_cast<std::uint64_t>(p.stamp);
  fields.held = p.destination_port;
  ack.retransmitted = p.answered != 0;
  ack.has_last = p.last != 0;
  ack.request = p.marked != 0;
  const std::int64_t note = static_cast<std::int64_t>(p.note);
  if (ack.request) {
    ack.what = static_cast<UecRequest>(note & 3);
    fields.number = fields.cumulative - 1;
    fields.bitmap_base = fields.cumulative + 1;
  } else {
    fields.number = fields.cumulative + note - kZero;
    fields.bitmap_base = p.ack_request != 0
                             ? fields.number
                             : std::max(fields.number - (kBits - 1), fields.cumulative + 1);
  }
  return ack;
}

inline void UecAck::Write(Packet* p, bool anchored) const {
  constexpr std::int64_t kMostHeld = std::numeric_limits<std::uint16_t>::max();
  const std::int64_t from = std::clamp(fields.number - fields.cumulative, -kZero, kZero - 1);
  p->sequence = static_cast<std::uint64_t>(fields.cumulative) & kAll;
  p->stamp = static_cast<std::int64_t>(fields.bitmap);
  p->destination_port = static_cast<std::uint16_t>(std::min(fields.held, kMostHeld));
  p->answered = retransmitted ? 1 : 0;
  p->last = has_last ? 1 : 0;
  p->marked = request ? 1 : 0;
  p->ack_request = anchored ? 1 : 0;
  p->note = static_cast<std::uint64_t>(request ? static_cast<std::int64_t>(what) : from + kZero) &
            0xff'ffff;
}

}  // namespace heddle
