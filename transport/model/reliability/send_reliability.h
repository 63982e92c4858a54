// SPDX-License-Identifier: GPL-2.0-only
/// The run's scheme of reliable delivery as a domain's senders see it, with what it keeps of each
/// queue pair.
///
/// What each function means is said by GoingBack (transport/model/reliability/go_back_n.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "transport/model/reliability/reliability_schemes.h"
#include "transport/model/reliability/slot_states.h"

namespace heddle {

/// `slot` is that of `pair`, which is RoCE's.
class SendReliability {
 public:
  explicit SendReliability(const DeliveryRules& rules);

  /// A queue pair begins.
  void Start(std::uint32_t slot);
  void OnAnswer(std::uint32_t slot, QueuePair* pair, const Packet& answer) {
    if (learns_) Learn(slot, pair, answer);
  }
  std::int64_t OnNack(std::uint32_t slot, QueuePair* pair, const Packet& nack);
  std::int64_t OnTimeout(std::uint32_t slot, QueuePair* pair);
  std::int64_t NextResend(std::uint32_t slot, QueuePair* pair);

  std::size_t memory() const;
  /// Whether there is what the scheme keeps of all slots below this number.
  bool Covers(std::size_t slots) const;
  /// Of what was loaded, and covers the slot: throws UserError "the saved state has ...".
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

  void Learn(std::uint32_t slot, QueuePair* pair, const Packet& answer);

  Sides::Type side_;
  bool learns_ = false;
};

}  // namespace heddle
