// SPDX-License-Identifier: GPL-2.0-only
#include "core/mpi/network_probe.h"

#include <mpi.h>

#include <algorithm>
#include <vector>

#include "core/mpi/mpi_check.h"
#include "core/mpi/ns3_communicator.h"

namespace heddle {
namespace {

constexpr int kProbeTag = 103;
constexpr std::int64_t kSmall = 64;  // bytes
constexpr int kLarge = 1 << 20;      // bytes
constexpr int kTogether = 64;        // messages

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// Median time of a round trip of `bytes` in each direction [s].
double RoundTrip(bool first, int peer, int bytes, int rounds) {
  std::vector<char> buffer(static_cast<std::size_t>(bytes));
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    const double start = MPI_Wtime();
    if (first)
      HEDDLE_MPI(MPI_Send(buffer.data(), bytes, MPI_BYTE, peer, kProbeTag, Ns3Communicator()));
    HEDDLE_MPI(MPI_Recv(buffer.data(), bytes, MPI_BYTE, peer, kProbeTag, Ns3Communicator(),
                        MPI_STATUS_IGNORE));
    if (!first)
      HEDDLE_MPI(MPI_Send(buffer.data(), bytes, MPI_BYTE, peer, kProbeTag, Ns3Communicator()));
    times.push_back(MPI_Wtime() - start);
  }
  return Median(times);
}

/// Median time for one of kTogether small messages that travel in both directions at once, as at a
/// window's edge [s].
double Together(int peer, int rounds) {
  std::vector<char> out(kSmall), in(kSmall * kTogether);
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    std::vector<MPI_Request> requests(std::size_t{2} * kTogether);
    const double start = MPI_Wtime();
    for (int i = 0; i < kTogether; ++i) {
      HEDDLE_MPI(MPI_Irecv(in.data() + i * kSmall, static_cast<int>(kSmall), MPI_BYTE, peer,
                           kProbeTag, Ns3Communicator(), &requests[static_cast<std::size_t>(i)]));
    }
    for (int i = 0; i < kTogether; ++i) {
      HEDDLE_MPI(MPI_Isend(out.data(), static_cast<int>(kSmall), MPI_BYTE, peer, kProbeTag,
                           Ns3Communicator(), &requests[static_cast<std::size_t>(kTogether + i)]));
    }
    HEDDLE_MPI(MPI_Waitall(2 * kTogether, requests.data(), MPI_STATUSES_IGNORE));
    times.push_back((MPI_Wtime() - start) / (2 * kTogether));
  }
  return Median(times);
}

}  // namespace

NetworkFigures ProbeNetwork(const Communicator& world) {
  HEDDLE_EXPECT(world.size() > 1);
  constexpr int kSmallRounds = 1001, kLargeRounds = 101;
  const std::uint32_t last = world.size() - 1;
  NetworkFigures figures;
  if (world.is_root() || world.rank().value == last) {
    const int peer = world.is_root() ? static_cast<int>(last) : 0;
    RoundTrip(world.is_root(), peer, kLarge, 3);  // sets up connections and touches buffers
    figures.latency_seconds = RoundTrip(world.is_root(), peer, kSmall, kSmallRounds) / 2;
    const double large = RoundTrip(world.is_root(), peer, kLarge, kLargeRounds) / 2;
    figures.bytes_per_second = kLarge / std::max(large - figures.latency_seconds, 1e-9);
    figures.batch_seconds = Together(peer, kSmallRounds);
  }
  figures.latency_seconds = world.Max(figures.latency_seconds);
  figures.bytes_per_second = world.Max(figures.bytes_per_second);
  figures.batch_seconds = world.Max(figures.batch_seconds);
  return figures;
}

}  // namespace heddle
