// SPDX-License-Identifier: GPL-2.0-only
#include "core/mpi/clock_alignment.h"

#include <mpi.h>

#include <limits>

#include "core/mpi/mpi_check.h"
#include "core/mpi/ns3_communicator.h"
#include "core/mpi/polled_wait.h"

namespace heddle {
namespace {

constexpr int kClockTag = 79;

/// A round trip is short, and a sleep would be its time; but a rank that hangs must be noticed.
void Spin(MPI_Request* request) {
  constexpr double kPollSeconds = 0.5;
  PolledWait wait(WaitKind::kCollective, kPollSeconds, /*sleep_nanoseconds=*/10'000);
  for (int done = 0;;) {
    HEDDLE_MPI(MPI_Test(request, &done, MPI_STATUS_IGNORE));
    if (done != 0) return;
    wait.Pause();
  }
}

void Send(std::int64_t* values, int count, int to) {
  MPI_Request request;
  HEDDLE_MPI(MPI_Isend(values, count, MPI_INT64_T, to, kClockTag, Ns3Communicator(), &request));
  Spin(&request);
}

void Receive(std::int64_t* values, int count, int from) {
  MPI_Request request;
  HEDDLE_MPI(MPI_Irecv(values, count, MPI_INT64_T, from, kClockTag, Ns3Communicator(), &request));
  Spin(&request);
}

/// At the root.
ClockOffset OffsetOf(int rank, std::int64_t (*now)(), int rounds) {
  ClockOffset best{0, std::numeric_limits<std::int64_t>::max()};
  for (int round = 0; round < rounds; ++round) {
    std::int64_t before = now(), there = 0;
    Send(&before, 1, rank);
    Receive(&there, 1, rank);
    const std::int64_t after = now();
    const std::int64_t error = (after - before + 1) / 2;
    if (error < best.error) best = {before + (after - before) / 2 - there, error};
  }
  return best;
}

}  // namespace

ClockOffset MeasureClockOffset(const Communicator& world, std::int64_t (*now)(), int rounds) {
  if (world.is_root()) {
    for (std::uint32_t rank = 1; rank < world.size(); ++rank) {
      const ClockOffset found = OffsetOf(static_cast<int>(rank), now, rounds);
      std::int64_t values[] = {found.offset, found.error};
      Send(values, 2, static_cast<int>(rank));
    }
    return {};
  }
  for (int round = 0; round < rounds; ++round) {
    std::int64_t time = 0;
    Receive(&time, 1, 0);
    time = now();
    Send(&time, 1, 0);
  }
  std::int64_t values[2];
  Receive(values, 2, 0);
  return {values[0], values[1]};
}

}  // namespace heddle
