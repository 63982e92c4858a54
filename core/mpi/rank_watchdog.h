// SPDX-License-Identifier: GPL-2.0-only
/// An end to waiting for a rank that hangs: stopped, on a machine that is stuck, behind a file
/// system that does not answer.
///
/// MPI itself waits for ever. Here every wait is a loop that polls; one that lasts too long holds a
/// roll-call: it asks all ranks, and those that wait themselves answer. Who has not answered a
/// second later hangs, and the run is given up. So it does not matter what is waited for: a rank's
/// batch, or all ranks in a collective call, which says nothing about who is missing.
///
/// Only time in which this process ran counts: a job that was suspended as a whole, or a machine
/// that slept, loses no patience. Not covered: waits inside ns-3's own engines, and inside MPI's
/// start and end.
#ifndef HEDDLE_CORE_MPI_RANK_WATCHDOG_H_
#define HEDDLE_CORE_MPI_RANK_WATCHDOG_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/ids.h"

namespace heddle {

/// What a rank waits in.
enum class WaitKind {
  kWindow,      ///< the exchange at a window's edge: windows are short
  kCollective,  ///< anything else: the others may be reading, writing, sorting
};

/// What a roll-call found.
struct RollCall {
  WaitKind kind = WaitKind::kWindow;
  double waited = 0;  ///< by this rank, while it ran [s]
  std::vector<std::uint32_t>
      missing;  ///< ranks that did not answer, ascending; none: all wait for each other
};

/// While it lives, waits of this process are watched. One at a time. Nothing happens on one rank.
class PatienceScope {
 public:
  /// How many times longer waits outside windows may be.
  static constexpr double kCollectiveFactor = 10;

  /// `rank` of `ranks`: this process in the communicator that ns-3's MpiInterface was enabled with.
  /// `limit`: of a wait at a window's edge [s]; 0: no end. The same on every rank. Collective.
  /// `give_up`: called on the lowest rank that waits (on another if that one hangs, too); ends all
  /// processes and does not return.
  PatienceScope(RankId rank, std::uint32_t ranks, double limit,
                std::function<void(const RollCall&)> give_up);
  ~PatienceScope();
  PatienceScope(const PatienceScope&) = delete;
  PatienceScope& operator=(const PatienceScope&) = delete;

 private:
  friend class PatientWait;
  class Roll;
  std::unique_ptr<Roll> roll_;  ///< null: nothing is watched
};

/// One wait. Costs a comparison a turn.
class PatientWait {
 public:
  /// `now`: MPI_Wtime() [s], as in Turn().
  PatientWait(WaitKind kind, double now) : kind_(kind), last_(now), next_look_(now + kLook) {}
  /// To be called again and again by the loop that polls.
  void Turn(double now) {
    if (now >= next_look_) Look(now);
  }

 private:
  static constexpr double kLook = 0.1;  ///< between two looks [s]
  static constexpr double kMostCounted =
      0.25;  ///< of the time between two looks: beyond it, this process was stopped [s]
  void Look(double now);

  WaitKind kind_;
  double last_, next_look_;
  double waited_ = 0;   ///< time that counts [s]
  double acts_at_ = 0;  ///< of `waited_`: asks then, or has waited for answers; 0: not known yet
  bool asking_ = false;
  int fruitless_ = 0;  ///< roll-calls that all ranks answered
};

}  // namespace heddle

#endif  // HEDDLE_CORE_MPI_RANK_WATCHDOG_H_
