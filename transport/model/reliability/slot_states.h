// SPDX-License-Identifier: GPL-2.0-only
/// What a scheme of reliable delivery keeps of flows, by slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/memory_account.h"
#include "core/containers/state_count.h"
#include "transport/model/congestion/pace.h"

namespace heddle {

/// One State a slot. `State` has memory(), the bytes that it allocated, and serialize().
template <class State>
class SlotStates {
 public:
  /// Sets the state of a slot, and makes room for it.
  void Start(std::uint32_t slot, const State& state) {
    if (states_.size() <= slot) states_.resize(slot + slot / 2 + 4);
    states_[slot] = state;
  }
  /// Returns the state of a slot. Requires Start() of the slot. Valid until the next Start().
  State* At(std::uint32_t slot) { return &states_[slot]; }
  const State* At(std::uint32_t slot) const { return &states_[slot]; }  ///< as above
  /// Whether all slots below `slots` have a state.
  bool Cover(std::size_t slots) const { return states_.size() >= slots; }

  /// Returns the bytes allocated here and by all states.
  std::size_t memory() const {
    std::size_t sum = MemoryReached(states_);
    for (const State& state : states_) sum += state.memory();
    return sum;
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& states_;
  }

 private:
  std::vector<State> states_;
};

/// The same for a scheme that keeps nothing: At() is null.
template <>
class SlotStates<Nothing> {
 public:
  void Start(std::uint32_t /*slot*/, const Nothing& /*state*/) {}
  static Nothing* At(std::uint32_t /*slot*/) { return nullptr; }  ///< there is none
  static bool Cover(std::size_t /*slots*/) { return true; }       ///< true: none is needed
  static std::size_t memory() { return 0; }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    StateCount none(0);
    archive& none;
    if constexpr (Archive::is_loading::value) ExpectState(none == 0, "windows that nobody keeps");
  }
};

}  // namespace heddle
