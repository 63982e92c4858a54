// SPDX-License-Identifier: GPL-2.0-only
// What bare MPI makes of the messages of a ring AllReduce: blocking MPI_Sendrecv, step by step,
// with nothing added and nothing noted. `physical.sh` puts heddle run --backend physical beside it.
// Usage: mpirun -n RANKS sendrecv_bench BYTES CHANNELS ROUNDS; prints the mean and the least time
// of a round [us].
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 4) {
    if (rank == 0) std::fprintf(stderr, "sendrecv_bench BYTES CHANNELS ROUNDS\n");
    MPI_Finalize();
    return 2;
  }
  const long bytes = std::atol(argv[1]);
  const int channels = std::atoi(argv[2]), rounds = std::atoi(argv[3]);
  const auto piece = static_cast<int>(std::max(1L, bytes / ranks / channels));
  std::vector<char> out(static_cast<std::size_t>(bytes) + 1, 1), in(out.size(), 0);
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  double sum = 0, least = 1e9;
  for (int round = -2; round < rounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int step = 0; step < 2 * (ranks - 1); ++step) {
      for (int channel = 0; channel < channels; ++channel) {
        // Each step has its own place, as in the operation.
        const auto at = static_cast<std::size_t>(((rank + step) % ranks) * channels + channel) *
                        static_cast<std::size_t>(piece);
        MPI_Sendrecv(out.data() + at, piece, MPI_BYTE, next, 0, in.data() + at, piece, MPI_BYTE,
                     before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
    }
    double took = MPI_Wtime() - begin;
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (round < 0) continue;  // warm-up
    sum += took;
    least = std::min(least, took);
  }
  if (rank == 0) std::printf("%.3f %.3f\n", sum / rounds * 1e6, least * 1e6);
  MPI_Finalize();
}
