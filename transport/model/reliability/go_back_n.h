// SPDX-License-Identifier: GPL-2.0-only
/// Go-back-N: after a loss the sender starts again at the first missing byte. Also the shape of a
/// scheme of reliable delivery: every one is a final class with the members below, and nothing
/// outside its own files knows its name.
///
/// Source: SimAI's ns-3 (rdma-hw), InfiniBand's reliable connection. A receiver that expects byte e
/// takes the packet that has it, and no other:
///   first <= e < end    e = end
///   end <= e            a duplicate: ACK of e, at once
///   first > e           dropped: NACK of e, at most once an interval for the same e. With
///                       L2_BACK_TO_ZERO e first goes down to a multiple of L2_CHUNK_SIZE
/// A sender goes on from e after a NACK of e, and from its first unacknowledged byte after a
/// timeout.
/// With entropies a gap that has been reported is answered by an ACK, so that the sender learns of
/// each packet's path.
/// Not modelled: InfiniBand's NACK codes, its retry of requests without a receive buffer.
#pragma once

#include <cstdint>

#include "transport/model/congestion/pace.h"
#include "transport/model/nic/queue_pair.h"
#include "transport/model/record/flow_records.h"
#include "transport/model/reliability/delivery.h"

namespace heddle {

/// The sender of go-back-N, and how its receivers report a gap.
class GoingBack {
 public:
  static constexpr const char* kName = "go-back-N";  ///< as the summary of a run says
  /// Senders learn of single packets: OnAnswer is called for each ACK and NACK.
  static constexpr bool kLearns = false;
  using SendState = Nothing;  ///< of a flow at its sender; or Nothing, which then is null below

  explicit GoingBack(const DeliveryRules& rules) : rules_(rules) {}  ///< copies the rules

  SendState NewSender() const { return {}; }  ///< it keeps nothing of a flow
  /// Handles an ACK or NACK of a flow that has unacknowledged bytes, before it is decided whether
  /// the flow ends. `pair` has moved to what it acknowledges; this may move it further.
  void OnAnswer(SendState* /*state*/, QueuePair* /*pair*/, const Packet& /*answer*/) const {}
  /// Handles a NACK of a flow that goes on; the NACK is not outdated. Returns the first byte of the
  /// packet that counts as lost now, or kNoByte.
  std::int64_t OnNack(SendState* /*state*/, QueuePair* pair, const Packet& nack) const;
  /// Handles a timeout: nothing was acknowledged for so long. Returns as OnNack.
  std::int64_t OnTimeout(SendState* /*state*/, QueuePair* pair) const {
    GoBack(pair);
    return pair->unacked;
  }
  /// Returns the first byte of the packet to send again, which leaves now and counts as lost. Call
  /// it only if QueuePair::resend is set.
  std::int64_t NextResend(SendState* /*state*/, QueuePair* pair) const { return pair->next; }
  /// Checks loaded state. Throws UserError "the saved state has ...".
  void CheckSender(const SendState* state, const QueuePair& pair) const;

 protected:
  /// Whether the gap of this receiver was reported less than an interval ago.
  bool IsReported(const ReceiveQueuePair& receiver, Time now) const {
    return now < receiver.nack_again && receiver.last_nack == receiver.expected;
  }
  /// Returns the answer to a gap that has been reported: an ACK if packets have entropies, else
  /// nothing.
  Reception SayAgain() const { return {rules_.sprays ? DataAnswer::kAck : DataAnswer::kNothing}; }
  /// Returns a NACK, and notes that the gap at `expected` is reported until an interval from now.
  Reception Report(ReceiveQueuePair* receiver, Time now) const;

  DeliveryRules rules_;
};

class GoBackN final : public GoingBack {
 public:
  /// Receivers keep what arrives beyond a gap.
  static constexpr bool kKeeps = false;
  using ReceiveState = Nothing;  ///< of a flow at its receiver; or Nothing, as SendState
  /// Whether a run with these options has this scheme. Exactly one of the list is chosen.
  static bool IsChosen(const ReliabilityOptions& options) {
    return !options.selective_repeat && options.reorder == 0;
  }

  using GoingBack::GoingBack;

  ReceiveState NewReceiver() const { return {}; }  ///< it keeps nothing of a flow
  /// Handles a data packet. Moves ReceiveQueuePair::expected, and counts in `books` what is out of
  /// order and what is a duplicate.
  Reception Receive(ReceiveState* /*state*/, ReceiveQueuePair* receiver, const DataArrival& data,
                    DomainBooks* books) const {
    if (data.first > receiver->expected || data.end <= receiver->expected)
      return ReceiveOther(receiver, data, books);
    receiver->expected = data.end;
    return {DataAnswer::kWhenDue};
  }

 private:
  /// Handles a packet that is not the next one in order: a duplicate, or one beyond a gap.
  [[gnu::noinline]] Reception ReceiveOther(ReceiveQueuePair* receiver, const DataArrival& data,
                                           DomainBooks* books) const;
};

}  // namespace heddle
