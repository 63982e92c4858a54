// SPDX-License-Identifier: GPL-2.0-only
/// The run's scheme of reliable delivery as a domain's senders see it, with what it keeps of each
/// queue pair.
///
/// GoingBack explains the functions (transport/model/reliability/go_back_n.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "transport/model/reliability/reliability_schemes.h"
#include "transport/model/reliability/slot_states.h"

namespace heddle {

/// Senders of one domain. `slot` is that of `pair`, which is RoCE's.
class SendReliability {
 public:
  /// Makes the scheme that `rules.options` choose.
  explicit SendReliability(const DeliveryRules& rules);

  /// Starts the state of a new queue pair.
  void Start(std::uint32_t slot);
  /// Handles an ACK or NACK; a call only for schemes that learn from single packets.
  void OnAnswer(std::uint32_t slot, QueuePair* pair, const Packet& answer) {
    if (learns_) Learn(slot, pair, answer);
  }
  /// Returns the first byte of the packet that counts as lost, or kNoByte.
  std::int64_t OnNack(std::uint32_t slot, QueuePair* pair, const Packet& nack);
  /// Returns the first byte of the packet that counts as lost, or kNoByte.
  std::int64_t OnTimeout(std::uint32_t slot, QueuePair* pair);
  /// Returns the first byte of the packet to send again; requires QueuePair::resend.
  std::int64_t NextResend(std::uint32_t slot, QueuePair* pair);

  std::size_t memory() const;  ///< bytes allocated for the queue pairs' states
  /// Whether the scheme keeps a state for every slot below `slots`; true if it keeps none.
  bool Covers(std::size_t slots) const;
  /// Checks loaded state. Requires Covers(slot + 1). Throws UserError "the saved state has ...".
  void Check(std::uint32_t slot, const QueuePair& pair) const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    std::visit([&archive](auto& side) { archive& side.states; }, side_);
  }

 private:
  template <class Scheme>
  struct Side {
    explicit Side(const DeliveryRules& rules) : scheme(rules) {}

    Scheme scheme;
    SlotStates<typename Scheme::SendState> states;
  };
  using Sides = ReliabilitySides<Side>;

  /// Calls the scheme's OnAnswer.
  void Learn(std::uint32_t slot, QueuePair* pair, const Packet& answer);

  Sides::Type side_;
  bool learns_ = false;
};

}  // namespace heddle
