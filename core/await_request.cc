// SPDX-License-Identifier: GPL-2.0-only
#include "core/await_request.h"

#include <ctime>

#include "core/mpi_check.h"
#include "core/patience.h"

namespace heddle {

void AwaitRequest(MPI_Request* request) {
  constexpr double kPollSeconds = 200e-6;
  constexpr long kSleepNanoseconds = 10'000;  // the one that is waited for may need the core
  const double start = MPI_Wtime();
  PatientWait patience(WaitKind::kCollective, start);
  for (;;) {
    int done = 0;
    HEDDLE_MPI(MPI_Test(request, &done, MPI_STATUS_IGNORE));
    if (done != 0) return;
    const double now = MPI_Wtime();
    patience.Turn(now);
    if (now - start < kPollSeconds) continue;
    const timespec pause{0, kSleepNanoseconds};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace heddle
