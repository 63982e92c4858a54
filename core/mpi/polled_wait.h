// SPDX-License-Identifier: GPL-2.0-only
/// A wait for other ranks as a polling loop. The wait is watched (core/mpi/rank_watchdog.h); after
/// polling for some time it sleeps between polls, because the awaited rank may need the core. For
/// core's own sources only.
#pragma once

#include <mpi.h>

#include "core/mpi/rank_watchdog.h"

namespace heddle {

class PolledWait {
 public:
  /// Polls for `poll_seconds`, then sleeps `sleep_nanoseconds` after each poll. The wait begins
  /// now.
  PolledWait(WaitKind kind, double poll_seconds, long sleep_nanoseconds);

  /// Call after each unsuccessful poll; ends the program if a rank hangs.
  void Pause();
  /// Returns the time since the wait began [s].
  double Seconds() const;

 private:
  double start_, poll_seconds_;
  long sleep_nanoseconds_;
  WatchedWait patience_;
};

/// Waits for an MPI request outside windows, without keeping a core busy for long. Returns when the
/// request is complete; ends the program if an awaited rank hangs.
void AwaitRequest(MPI_Request* request);

/// Makes a communicator of its own, with all ranks. Collective; the wait for the others is watched,
/// as MPI_Comm_dup would wait for ever for a rank that hangs.
MPI_Comm DuplicateCommunicator();

}  // namespace heddle
