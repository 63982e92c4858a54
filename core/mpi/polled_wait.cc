// SPDX-License-Identifier: GPL-2.0-only
#include "core/mpi/polled_wait.h"

#include <ctime>

#include "core/mpi/mpi_check.h"
#include "core/mpi/ns3_communicator.h"

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

void AwaitRequest(MPI_Request* request) {
  constexpr double kPollSeconds = 200e-6;
  constexpr long kSleepNanoseconds = 10'000;
  PolledWait wait(WaitKind::kCollective, kPollSeconds, kSleepNanoseconds);
  for (;;) {
    int done = 0;
    HEDDLE_MPI(MPI_Test(request, &done, MPI_STATUS_IGNORE));
    if (done != 0) return;
    wait.Pause();
  }
}

MPI_Comm DuplicateCommunicator() {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Request request;
  HEDDLE_MPI(MPI_Comm_idup(Ns3Communicator(), &copy, &request));
  AwaitRequest(&request);
  return copy;
}

}  // namespace heddle
