// SPDX-License-Identifier: GPL-2.0-only
/// Waiting for other ranks at a window's edge, for core's own sources only.
///
/// If each rank has its own core, polling is fastest, and a sleep costs more than a window. If
/// ranks share cores, the awaited rank needs the core. (MPI's own wait spins: with four ranks on
/// two cores a window then costs time slices, milliseconds instead of microseconds.)
#pragma once

#include <mpi.h>

#include <vector>

#include "core/mpi/polled_wait.h"

namespace heddle {

class EdgeWait {
 public:
  /// Finds out whether ranks share cores. `serial`: there is no other rank. Collective otherwise.
  explicit EdgeWait(bool serial);

  /// Waits until all requests are complete. Counts as blocked time.
  void ForAll(std::vector<MPI_Request>* requests);
  /// Waits until done() is true; done() must let MPI make progress. Counts as blocked time.
  template <class Done>
  void Until(Done&& done) {
    PolledWait wait(WaitKind::kWindow, poll_seconds_, kSleepNanoseconds);
    while (!done()) wait.Pause();
    blocked_ += wait.Seconds();
  }

  /// Returns the time that all waits together have taken [s].
  double blocked_seconds() const { return blocked_; }

 private:
  static constexpr long kSleepNanoseconds = 1000;

  double poll_seconds_;
  double blocked_ = 0;
};

}  // namespace heddle
