// SPDX-License-Identifier: GPL-2.0-only
/// Selective repeat: receivers keep what arrives out of order, and only lost packets are sent
/// again.
///
/// Source: Mittal et al., "Revisiting Network Support for RDMA" (IRN), SIGCOMM 2018, section 3.1.
/// transport/model/nic/selective_repeat.h keeps which packets are missing and which to send again.
/// Every packet beyond the gap (further than reliability.reorder, if that is set) has a NACK with
/// the first missing byte e and, as its note, by how many packets it is ahead of e. An ACK may have
/// the note too, which says the same without a loss.
/// Not modelled: IRN's second, short timeout; its limit of packets in flight other than the window.
#pragma once

#include <cstdint>

#include "transport/model/nic/queue_pair.h"
#include "transport/model/nic/selective_repeat.h"
#include "transport/model/record/flow_records.h"
#include "transport/model/reliability/delivery.h"

namespace heddle {

/// Selective repeat as a scheme; GoBackN explains the members.
class Irn final {
 public:
  static constexpr const char* kName = "selective repeat";
  static constexpr bool kLearns = true;
  static constexpr bool kKeeps = true;
  using SendState = SelectiveSender;
  using ReceiveState = SelectiveReceiver;
  /// Whether reliability.selective_repeat is set.
  static bool IsChosen(const ReliabilityOptions& options) { return options.selective_repeat; }

  explicit Irn(const DeliveryRules& rules) : rules_(rules) {}  ///< copies the rules

  /// Returns a sender that tolerates reordering by reliability.reorder packets.
  SendState NewSender() const { return SelectiveSender(rules_.options.reorder); }
  /// Learns from an ACK or a NACK which packets arrived. May move `unacked` beyond the answer's
  /// byte, and sets `resend` if a packet is to be sent again.
  void OnAnswer(SendState* state, QueuePair* pair, const Packet& answer) const;
  /// Returns kNoByte: OnAnswer has learned from the NACK.
  std::int64_t OnNack(SendState* /*state*/, QueuePair* /*pair*/, const Packet& /*nack*/) const {
    return kNoByte;
  }
  /// Begins a recovery at the first unacknowledged packet. Returns kNoByte: the packet counts as
  /// lost when NextResend() returns it.
  std::int64_t OnTimeout(SendState* state, QueuePair* pair) const;
  /// Returns the first byte of the packet to send again, and takes it off the list.
  std::int64_t NextResend(SendState* state, QueuePair* pair) const;
  /// Checks that a loaded sender agrees with the flow's size, the run's tolerance and `resend`.
  /// Throws UserError.
  void CheckSender(const SendState* state, const QueuePair& pair) const;

  ReceiveState NewReceiver() const { return {}; }  ///< nothing has arrived
  /// Keeps the packet and returns the answer, as Place() (placement.h).
  Reception Receive(ReceiveState* state, ReceiveQueuePair* receiver, const DataArrival& data,
                    DomainBooks* books) const;

 private:
  /// Returns the number of packets of which some byte was sent.
  std::int64_t SentPackets(const QueuePair& pair) const {
    return (pair.highest + rules_.payload - 1) / rules_.payload;
  }

  DeliveryRules rules_;
};

}  // namespace heddle
