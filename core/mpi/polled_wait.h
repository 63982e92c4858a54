// SPDX-License-Identifier: GPL-2.0-only
/// A wait for other ranks as a loop that polls: watched (core/mpi/rank_watchdog.h), and with sleep
/// in it once it has polled for long enough, as the rank that is waited for may need the core. For
/// core's own sources only.
#ifndef HEDDLE_CORE_MPI_POLLED_WAIT_H_
#define HEDDLE_CORE_MPI_POLLED_WAIT_H_

#include <mpi.h>

#include "core/mpi/rank_watchdog.h"

namespace heddle {

class PolledWait {
 public:
  /// Polls for `poll_seconds`, then sleeps `sleep_nanoseconds` after each time. Begins now.
  PolledWait(WaitKind kind, double poll_seconds, long sleep_nanoseconds);

  /// After each time that what is waited for was not there; ends the program if a rank hangs.
  void Pause();
  /// Since it began [s].
  double Seconds() const;

 private:
  double start_, poll_seconds_;
  long sleep_nanoseconds_;
  PatientWait patience_;
};

/// Waits for MPI outside windows, without keeping a core busy for long. Returns when the request is
/// complete; ends the program if a rank that it waits for hangs.
void AwaitRequest(MPI_Request* request);

}  // namespace heddle

#endif  // HEDDLE_CORE_MPI_POLLED_WAIT_H_
