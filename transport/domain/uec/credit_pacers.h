// SPDX-License-Identifier: GPL-2.0-only
/// The pacers of a domain's receiving NICs, and their timers: when the next pull leaves, when the
/// rate of credit is adjusted.
///
/// Only with receiver credit (`uec.congestion` rccc or both).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "core/containers/state_count.h"
#include "transport/domain/state/domain_state.h"
#include "transport/domain/state/uec_run.h"
#include "transport/model/uec/oversubscription_control.h"
#include "transport/model/uec/pull_pacer.h"

namespace heddle {

/// The pacers by port, numbered within the domain. A sink is a flow that arrives there.
class CreditPacers {
 public:
  static constexpr std::uint32_t kNone = ~0U;

  /// Adds a sink of the port, for the flow in `slot` of the receiver. Returns its number.
  std::uint32_t Add(DomainState& state, std::uint32_t port, std::uint32_t slot);
  /// Ends the credit of a flow that is complete. A pull that it still has names no slot (Due).
  void Remove(std::uint32_t port, std::uint32_t sink);
  /// Notes that a packet of the sink asks for `target` quanta in all, and schedules the next pull.
  /// `asks`: a pull is due even without.
  void Ask(DomainState& state, std::uint32_t port, std::uint32_t sink, std::int64_t target,
           bool asks);
  /// Counts data, marked or trimmed, for the rate of credit; only with oversubscription control.
  void Count(DomainState& state, std::uint32_t port, const Packet& p);

  /// Whether the event of the pull timer means something. If not, it is forgotten.
  bool PullIsDue(const DomainState& state, std::uint32_t port, Time time);
  /// Whether the event that adjusts the rate means something. If not, it is forgotten.
  bool CreditIsDue(std::uint32_t port, Time time);
  struct Due {
    std::uint32_t slot;   ///< kNone: of a complete flow, so nobody would take it
    std::int64_t number;  ///< pull number [quantum]
  };
  /// Returns the pull that is due now, and schedules the next one.
  Due Take(DomainState& state, std::uint32_t port);
  /// Sets the rate of credit from what came since the last adjustment. Without news at the full
  /// rate the timer rests.
  void Adjust(DomainState& state, std::uint32_t port);

  /// Whether a flow with credit has ever arrived at the port.
  bool Has(std::uint32_t port) const { return pacers_.count(port) > 0; }
  /// Whether this sink of the port is the flow in `slot`.
  bool IsSink(std::uint32_t port, std::uint32_t sink, std::uint32_t slot) const;
  std::size_t memory() const;  ///< bytes allocated
  /// Checks what was loaded: throws UserError "the saved state has ...". `sinks`: the number of
  /// flows that have one.
  void Check(const DomainState& state, std::size_t sinks) const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    StateCount count(pacers_.size());
    archive& count;
    if constexpr (Archive::is_saving::value) {
      for (auto& [port, pacer] : pacers_) {
        std::uint32_t number = port;
        archive& number& pacer;
      }
    } else {
      pacers_.clear();
      for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t number = 0;
        archive& number;
        archive& pacers_[number];
      }
      ExpectState(pacers_.size() == count, "two pacers of a port");
    }
  }

 private:
  struct Pacer {
    PullPacer pulls;
    OversubscriptionControl::State rate;
    std::vector<std::uint32_t> slots;  ///< by sink
    Time pull_at = Time::Max();        ///< of the pending event
    Time adjust_at = Time::Max();

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& pulls& rate& slots& pull_at& adjust_at;
    }
  };

  /// Adds the event of the next pull, unless it is pending or nobody waits.
  static void SchedulePull(DomainState& state, std::uint32_t port, Pacer* pacer);
  /// Adds the event of the next adjustment, unless it is pending or the port has no sinks.
  static void ScheduleAdjustment(DomainState& state, std::uint32_t port, Pacer* pacer);

  std::map<std::uint32_t, Pacer> pacers_;
};

}  // namespace heddle
