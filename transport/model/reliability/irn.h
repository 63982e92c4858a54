// SPDX-License-Identifier: GPL-2.0-only
/// Selective repeat: receivers keep what arrives out of order, and only lost packets are sent
/// again.
///
/// Source: Mittal et al., "Revisiting Network Support for RDMA" (IRN), SIGCOMM 2018, section 3.1;
/// which packets are missing and which to send again is kept by
/// transport/model/nic/selective_repeat.h. Every packet beyond the gap (further than
/// reliability.reorder, if that is set) has a NACK with the first missing byte e and, as its note,
/// how many packets behind e it is. An ACK may have the note too, which says the same without a
/// loss. Not modelled: IRN's second, short timeout; its limit of packets in flight other than the
/// window.
#pragma once

#include <cstdint>

#include "transport/model/nic/queue_pair.h"
#include "transport/model/nic/selective_repeat.h"
#include "transport/model/record/flow_records.h"
#include "transport/model/reliability/delivery.h"

namespace heddle {

/// Members as those of GoBackN.
class Irn final {
 public:
  static constexpr const char* kName = "selective repeat";
  static constexpr bool kLearns = true;
  static constexpr bool kKeeps = true;
  using SendState = SelectiveSender;
  using ReceiveState = SelectiveReceiver;
  static bool IsChosen(const ReliabilityOptions& options) { return options.selective_repeat; }

  explicit Irn(const DeliveryRules& rules) : rules_(rules) {}

  SendState NewSender() const { return SelectiveSender(rules_.options.reorder); }
  void OnAnswer(SendState* state, QueuePair* pair, const Packet& answer) const;
  /// OnAnswer has learned from it.
  std::int64_t OnNack(SendState* /*state*/, QueuePair* /*pair*/, const Packet& /*nack*/) const {
    return kNoByte;
  }
  std::int64_t OnTimeout(SendState* state, QueuePair* pair) const;
  std::int64_t NextResend(SendState* state, QueuePair* pair) const;
  void CheckSender(const SendState* state, const QueuePair& pair) const;

  ReceiveState NewReceiver() const { return {}; }
  Reception Receive(ReceiveState* state, ReceiveQueuePair* receiver, const DataArrival& data,
                    DomainBooks* books) const;

 private:
  /// Packets of which some byte was sent.
  std::int64_t SentPackets(const QueuePair& pair) const {
    return (pair.highest + rules_.payload - 1) / rules_.payload;
  }

  DeliveryRules rules_;
};

}  // namespace heddle
