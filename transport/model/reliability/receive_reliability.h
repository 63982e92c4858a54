// SPDX-License-Identifier: GPL-2.0-only
/// The run's scheme of reliable delivery as a domain's receivers see it, with what it keeps of each
/// flow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "transport/model/reliability/reliability_schemes.h"
#include "transport/model/reliability/slot_states.h"

namespace heddle {

/// Receivers of one domain; `slot` is a flow's.
class ReceiveReliability {
 public:
  /// Makes the scheme that `rules.options` choose.
  explicit ReceiveReliability(const DeliveryRules& rules) : side_(Sides::Make(rules)) {}

  /// Starts the state of a flow whose first packet has arrived.
  void Start(std::uint32_t slot) {
    std::visit([slot](auto& side) { side.states.Start(slot, side.scheme.NewReceiver()); }, side_);
  }
  /// Handles a data packet as GoBackN::Receive. Packets in order are the most frequent ones;
  /// go-back-N takes them without a call.
  Reception Receive(std::uint32_t slot, ReceiveQueuePair* receiver, const DataArrival& data,
                    DomainBooks* books) {
    return std::visit(
        [&](auto& side) {
          return side.scheme.Receive(side.states.At(slot), receiver, data, books);
        },
        side_);
  }

  /// Returns the bytes allocated for the flows' states.
  std::size_t memory() const {
    return std::visit([](const auto& side) { return side.states.memory(); }, side_);
  }
  /// Whether the scheme keeps a state for every slot below `slots`; true if it keeps none.
  bool Covers(std::size_t slots) const {
    return std::visit([slots](const auto& side) { return side.states.Cover(slots); }, side_);
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    std::visit([&archive](auto& side) { archive& side.states; }, side_);
  }

 private:
  template <class Scheme>
  struct Side {
    explicit Side(const DeliveryRules& rules) : scheme(rules) {}

    Scheme scheme;
    SlotStates<typename Scheme::ReceiveState> states;
  };
  using Sides = ReliabilitySides<Side>;

  Sides::Type side_;
};

}  // namespace heddle
