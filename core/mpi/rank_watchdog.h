// SPDX-License-Identifier: GPL-2.0-only
/// Ends a run in which a rank hangs: a process that is stopped, on a machine that is stuck,
/// or waiting for a file system that does not answer.
///
/// MPI itself waits forever. Here every wait is a polling loop. A wait that lasts too long starts a
/// roll-call: it asks all ranks, and ranks that also wait answer, as do ranks that look up from
/// their work. A rank that has not answered after kGrace hangs, and the run is given up. This works
/// for any wait: for one rank's batch, or in a collective call, which does not show who is missing.
///
/// Only time in which this process ran counts: a job that was suspended as a whole, or a machine
/// that slept, does not trigger a roll-call. Not covered: waits inside ns-3's own engines, and
/// inside MPI's start and end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/ids.h"

namespace heddle {

/// The operation in which a rank waits.
enum class WaitKind {
  kWindow,      ///< the exchange at a window's edge: windows are short
  kCollective,  ///< any other: the other ranks may be reading, writing, sorting
  kTraffic,     ///< for messages that are the work itself; others may be slow, and answer
};

/// The outcome of a roll-call.
struct RollCall {
  WaitKind kind = WaitKind::kWindow;
  double waited = 0;  ///< time that this rank waited while it ran [s]
  /// Ranks that did not answer, ascending; none: all ranks wait for each other, but for `working`.
  std::vector<std::uint32_t> missing;
  /// Ranks that answered between other work, ascending: the others wait for them.
  std::vector<std::uint32_t> working = {};
};

/// While it lives, waits of this process are watched. At most one at a time. Does nothing on one
/// rank.
class RankWatchdog {
 public:
  /// The limit of waits outside windows, as a multiple of that at window edges.
  static constexpr double kCollectiveFactor = 10;
  /// The limit of waits for traffic from ranks that answer, as a multiple of that at window edges.
  static constexpr int kSlowFactor = 10;

  /// `rank` of `ranks`: this process in the communicator with which ns-3's MpiInterface was
  /// enabled. `limit`: of a wait at a window's edge [s]; 0: no limit. The same on every rank.
  /// Collective. `give_up`: called on the lowest rank that waits (on another one if that hangs,
  /// too); ends all processes and does not return.
  RankWatchdog(RankId rank, std::uint32_t ranks, double limit,
               std::function<void(const RollCall&)> give_up);
  /// Ends the watch; waits of this process may then last for ever.
  ~RankWatchdog();
  RankWatchdog(const RankWatchdog&) = delete;
  RankWatchdog& operator=(const RankWatchdog&) = delete;

 private:
  friend class WatchedWait;
  class Roll;
  std::unique_ptr<Roll> roll_;  ///< null: no waits are watched
};

/// One wait. Costs one comparison for each poll.
class WatchedWait {
 public:
  /// `now`: MPI_Wtime() [s], as in Turn().
  WatchedWait(WaitKind kind, double now) : kind_(kind), last_(now), next_look_(now + kLook) {}
  /// Call in each turn of the polling loop.
  void Turn(double now) {
    if (now >= next_look_) Look(now);
  }
  /// Ends this wait and begins the next one. A rank that works calls Turn() and this, so that it
  /// answers others.
  void Reset() {
    waited_ = acts_at_ = 0;
    asking_ = false;
    fruitless_ = 0;
  }

 private:
  static constexpr double kLook = 0.1;  ///< time between two looks [s]
  /// Most time that counts between two looks; if more passed, this process was stopped [s].
  static constexpr double kMostCounted = 0.25;
  /// Counts the time since the last look, answers roll-calls and makes one if it is due. May end
  /// the program.
  void Look(double now);

  WaitKind kind_;
  double last_, next_look_;
  double waited_ = 0;  ///< time that counts [s]
  /// Value of waited_ at which to ask, or to stop waiting for answers; 0: not set.
  double acts_at_ = 0;
  bool asking_ = false;
  int fruitless_ = 0;  ///< roll-calls answered by all ranks
};

}  // namespace heddle
