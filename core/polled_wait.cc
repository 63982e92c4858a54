// SPDX-License-Identifier: GPL-2.0-only
#include "core/polled_wait.h"

#include <mpi.h>

#include <ctime>

namespace heddle {

PolledWait::PolledWait(WaitKind kind, double poll_seconds, long sleep_nanoseconds)
    : start_(MPI_Wtime()),
      poll_seconds_(poll_seconds),
      sleep_nanoseconds_(sleep_nanoseconds),
      patience_(kind, start_) {}

void PolledWait::Pause() {
  const double now = MPI_Wtime();
  patience_.Turn(now);
  if (now - start_ < poll_seconds_) return;
  const timespec pause{0, sleep_nanoseconds_};
  nanosleep(&pause, nullptr);
}

double PolledWait::Seconds() const { return MPI_Wtime() - start_; }

}  // namespace heddle
