// SPDX-License-Identifier: GPL-2.0-only
/// Waiting for other ranks at a window's edge, for core's own sources only.
///
/// Where each rank has a core of its own, polling is fastest, and a sleep costs more than a window; where ranks share cores, the
/// one that is waited for needs the core. (MPI's own wait spins: with four ranks on two cores a window then costs time slices,
/// milliseconds instead of microseconds.)
#ifndef HEDDLE_CORE_EDGE_WAIT_H_
#define HEDDLE_CORE_EDGE_WAIT_H_

#include <mpi.h>

#include <vector>

#include "core/patience.h"

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
    const double start = MPI_Wtime();
    PatientWait patience(WaitKind::kWindow, start);
    while (!done()) Pause(start, &patience);
    blocked_ += MPI_Wtime() - start;
  }

  double blocked_seconds() const { return blocked_; }

 private:
  /// Looks after the others if it takes long, and sleeps a microsecond if it was polled for long enough.
  void Pause(double since, PatientWait* patience) const;

  double poll_seconds_;
  double blocked_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_CORE_EDGE_WAIT_H_
