// SPDX-License-Identifier: GPL-2.0-only
/// Congestion control's state of every queue pair, its timers, and what a new rate changes.
///
/// The algorithms are in transport/model/congestion; without one (mode 0) nothing is kept and every
/// queue pair stays at line rate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/memory_account.h"
#include "core/events/event.h"
#include "transport/domain/state/domain_state.h"
#include "transport/model/congestion/congestion_control.h"
#include "transport/model/nic/queue_pair.h"

namespace heddle {

/// `slot` is always that of `pair`.
class RateControl {
 public:
  /// Makes room for a queue pair.
  void Reserve(const FabricContext& context, std::uint32_t slot) {
    if (context.control.mode() != 0 && states_.size() <= slot) states_.resize(slot + slot / 2 + 4);
  }
  /// Whether there is room for a queue pair; never without an algorithm.
  bool Has(std::uint32_t slot) const { return slot < states_.size(); }
  /// Sets a queue pair, which gets its first port, to the rate of that link when healthy, and
  /// starts the algorithm.
  void Start(DomainState& state, std::uint32_t slot, QueuePair* pair, std::uint32_t port);
  /// Gives the algorithm an ACK that FabricContext::control heeds.
  void OnAck(DomainState& state, std::uint32_t slot, QueuePair* pair, const Packet& ack,
             const MessageTail* tail);
  /// Whether a timer event still means this queue pair and this time. If not, and a later time is
  /// due, there is an event for that.
  bool TimerIsDue(DomainState& state, std::uint32_t slot, QueuePair* pair, Time time,
                  EventOrder order);
  /// Runs the algorithm's timer, which is due, and schedules the next.
  void OnTimer(DomainState& state, std::uint32_t slot, QueuePair* pair);

  /// Adds the bytes of the algorithm's states to Structure::kRateControl.
  void AddMemory(MemoryAccount* account) const {
    account->Add(Structure::kRateControl, MemoryReached(states_));
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& states_;
  }

 private:
  /// Moves the next send to the time that the new rate gives it, if the algorithm asks for that,
  /// and samples the rate.
  static void ApplyRate(DomainState& state, QueuePair* pair, BitRate before);
  /// Schedules the algorithm's next timer, unless an earlier event of the queue pair is pending.
  void ScheduleTimer(DomainState& state, std::uint32_t slot, QueuePair* pair);

  std::vector<CongestionControl::State> states_;  ///< by slot
};

}  // namespace heddle
