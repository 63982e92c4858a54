// SPDX-License-Identifier: GPL-2.0-only
#include "core/await_request.h"

#include "core/mpi_check.h"
#include "core/polled_wait.h"

namespace heddle {

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

}  // namespace heddle
