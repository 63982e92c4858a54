// SPDX-License-Identifier: GPL-2.0-only
/// Waiting for other ranks at a window's edge, for core's own sources only.
///
/// Where each rank has a core of its own, polling is fastest, and a sleep costs more than a window;
/// where ranks share cores, the one that is waited for needs the core. (MPI's own wait spins: with
/// four ranks on two cores a window then costs time slices, milliseconds instead of microseconds.)
#ifndef HEDDLE_CORE_ENGINE_EDGE_WAIT_H_
#define HEDDLE_CORE_ENGINE_EDGE_WAIT_H_

#include <mpi.h>

#include <vector>

#include "core/mpi/polled_wait.h"

namespace heddle {

class EdgeWait {
 public:
  /// `serial`: there is nobody to wait for. Collective otherwise.
  explicit EdgeWait(bool serial);

  /// Until all are done. Counts as blocked.
  void ForAll(std::vector<MPI_Request>* requests);
  /// Until done() is true, which must let MPI make progress. Counts as blocked.
  template <class Done>
  void Until(Done&& done) {
    PolledWait wait(WaitKind::kWindow, poll_seconds_, kSleepNanoseconds);
    while (!done()) wait.Pause();
    blocked_ += wait.Seconds();
  }

  double blocked_seconds() const { return blocked_; }

 private:
  static constexpr long kSleepNanoseconds = 1000;

  double poll_seconds_;
  double blocked_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_CORE_ENGINE_EDGE_WAIT_H_
