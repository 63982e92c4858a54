// SPDX-License-Identifier: GPL-2.0-only
/// The loop of a rank whose traffic is real: play, agree with the others, rest.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/engine/engine.h"
#include "core/mpi/communicator.h"
#include "core/mpi/rank_watchdog.h"
#include "core/system/signals.h"
#include "transport/run/physical/due_posts.h"
#include "transport/run/physical/end_agreement.h"
#include "transport/run/physical/physical_options.h"
#include "transport/run/physical/real_clock.h"
#include "transport/run/physical/traffic_player.h"

namespace heddle {

class PhysicalRun {
 public:
  /// All arguments must outlive it.
  PhysicalRun(const Communicator& world, const EngineSetup& setup, const PhysicalOptions& options,
              const RealClock& clock, const DuePosts& queue, TrafficPlayer* player);

  /// Runs until nothing is left to do on any rank, then calls `ended` before the last cut.
  /// Collective. Throws Error with exit code 130 at SIGTERM, which launchers send when another rank
  /// has died.
  EngineReport Play(const std::function<void()>& ended);

 private:
  /// Rests when a turn had nothing to do: sleeps 0.2 ms at most, or yields a shared core, or polls
  /// on.
  void Rest();
  /// Calls the setup's on_cut with the time and counts so far, and sets when the next cut is due.
  void MakeCut(bool last);
  /// Whether this rank, the root, wants a cut: the report interval is over. `now`: RealClock [ns].
  bool WantsCut(std::int64_t now) const;
  /// Whether nothing but other ranks can end this rank's rest.
  bool WaitsForOthers() const { return queue_.next() == Time::Max(); }
  /// Throws Error if the launcher asked the process to end.
  void HeedSignals() const;

  const Communicator& world_;
  const EngineSetup& setup_;
  const PhysicalOptions& options_;
  const RealClock& clock_;
  const DuePosts& queue_;
  TrafficPlayer& player_;
  EndAgreement agreement_;
  WatchedWait watch_;
  std::optional<SignalScope> signals_;  ///< SIGTERM ends the run with a message
  bool crowded_;                        ///< ranks share the cores of this machine
  std::int64_t begin_ = 0, next_cut_ = 0, waiting_since_ = -1, waited_ = 0;  ///< [ns]
};

}  // namespace heddle
