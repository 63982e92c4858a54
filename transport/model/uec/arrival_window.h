// SPDX-License-Identifier: GPL-2.0-only
/// A receiver's record of the packets of one flow, and when it acknowledges them.
///
/// Source: Ultra Ethernet Specification 1.0, section 3.5, in the form of uet-htsim
/// (ultraethernet/uet-htsim, 2025-08). Packets count from 0. Data are placed as they come; the
/// record says which numbers are there. An ACK is due
///   when `threshold` bytes on the wire have come since the last one,
///   for the first packet with payload, a marked packet, one that asks, a duplicate,
///   when the last hole closes after a packet asked.
/// It carries the cumulative number (all below it arrived), a bitmap of 64 numbers and the bytes
/// received so far. The bitmap begins at the packet's own number if that was marked or asked, else
/// at max(number - 63, cumulative + 1); a clear bit says nothing. A trimmed packet is answered with
/// a NACK, or with an ACK if it is there already.
/// In order (ROD): a packet beyond the next expected one is refused, and the first one refused
/// since the expected number last moved is answered with a NACK for the expected number.
/// Not modelled: the limit of 16,384 numbers; counting bytes in units of 256; at least 1 KiB a
/// packet.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/containers/state_count.h"
#include "transport/model/nic/selective_repeat.h"
#include "transport/model/uec/uec_options.h"

namespace heddle {

/// What all receivers share.
struct ArrivalRules {
  /// Reads uec.ack_threshold and the mode.
  explicit ArrivalRules(const UecOptions& options)
      : threshold(options.ack_threshold), in_order(options.in_order()) {}

  std::int64_t threshold;  ///< bytes on the wire from one ACK to the next
  bool in_order;           ///< ROD
};

/// Fields of an ACK that follow from the record. The caller echoes entropy, mark and whether the
/// packet was a retransmission.
struct AckFields {
  std::int64_t cumulative = 0;
  std::int64_t bitmap_base = 0;
  std::uint64_t bitmap =
      0;                    ///< bit i: packet bitmap_base + i is there, above the cumulative number
  std::int64_t number = 0;  ///< of the packet that caused it
  std::int64_t received_bytes = 0;  ///< on the wire, duplicates excluded
  std::int64_t held = 0;            ///< packets above a hole
};

/// Largest reordering that a receiver had, in packets.
struct Reordering {
  std::int64_t held = 0;      ///< arrived above a hole, at one time
  std::int64_t distance = 0;  ///< from the first missing number to the largest that arrived

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& held& distance;
  }
};

class ArrivalWindow {
 public:
  struct Packet {
    std::int64_t number = 0;
    std::int64_t bytes = 0;  ///< on the wire; 0 for a request to send, which has no payload
    bool marked = false;     ///< by ECN
    bool asks = false;       ///< asks for an ACK; every retransmission and request to send does
  };
  struct Arrival {
    bool is_new = false;        ///< neither a duplicate nor refused
    bool ack = false;           ///< answer now with Ack(number, anchored)
    bool anchored = false;      ///< the bitmap begins at this packet
    bool nack = false;          ///< in order only: answer now with a NACK of expected()
    bool refused = false;       ///< in order only: ahead of the expected number
    std::int64_t advanced = 0;  ///< packets by which the cumulative number moved
  };
  enum class TrimAnswer : std::uint8_t { kNack, kAck, kNackExpected, kNone };

  /// Takes in a packet with its payload, or a request to send. Returns what to answer.
  Arrival Receive(const Packet& packet, const ArrivalRules& rules);
  /// Takes in a packet that came without its payload. Returns the answer. kNack: of its number;
  /// kAck: the packet is there already; kNackExpected and kNone in order only, for a packet that is
  /// refused anyway.
  TrimAnswer ReceiveTrimmed(std::int64_t number, const ArrivalRules& rules);

  /// Returns the fields of an ACK that `number` caused; `anchored` as Receive() returned it, false
  /// after a trim.
  AckFields Ack(std::int64_t number, bool anchored) const;

  /// Returns the cumulative number: all below it arrived.
  std::int64_t expected() const { return arrived_.base(); }
  /// Whether packet `number` has arrived.
  bool Received(std::int64_t number) const { return number < expected() || arrived_.Test(number); }
  /// Returns the bytes on the wire that arrived, duplicates excluded.
  std::int64_t received_bytes() const { return received_bytes_; }
  /// Returns the number of packets above a hole now.
  std::int64_t held() const { return held_; }
  const Reordering& reordering() const { return reordering_; }  ///< the largest so far
  std::int64_t duplicates() const { return duplicates_; }       ///< packets that were there already
  /// Returns the number of packets that came above a hole, in all.
  std::int64_t out_of_order() const { return out_of_order_; }
  /// Returns the bytes that it has allocated.
  std::size_t memory() const { return arrived_.memory(); }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& arrived_& received_bytes_& unanswered_& held_& duplicates_& out_of_order_& reordering_&
        nacked_& asked_;
    if constexpr (Archive::is_loading::value) CheckLoaded();
  }

 private:
  /// Takes in a new packet. Returns by how much the cumulative number moved.
  std::int64_t Place(std::int64_t number);
  /// Whether the refusal is to be answered with a NACK: once for each expected number.
  bool Refuse();
  /// Checks that loaded counts agree with the record. Throws UserError.
  void CheckLoaded() const;

  PacketBitmap arrived_;  ///< above the cumulative number, which is its base
  std::int64_t received_bytes_ = 0;
  std::int64_t unanswered_ = 0;  ///< bytes since the last ACK
  std::int64_t held_ = 0;
  std::int64_t duplicates_ = 0;
  std::int64_t out_of_order_ = 0;
  Reordering reordering_;
  std::int64_t nacked_ = -1;  ///< in order only: the last expected number that was NACKed
  bool asked_ = false;        ///< since the last time without a hole
};

}  // namespace heddle
