// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the reader of nccl-tests' output.
#include "io/input/nccl_tests_text.h"
#include "tests/fuzz/reader_fuzz.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.txt";

bool Check(const std::string& text) {
  return Accepts({kFile}, [&] {
    std::size_t rows = 0;
    const auto is_time = [](double seconds) { return seconds > 0 && seconds <= 1e6; };
    for (const NcclTestsSection& section : ParseNcclTests(text, kFile)) {
      rows += section.rows.size();
      if (section.rows.empty()) Complain("a section without rows");
      for (const NcclTestsRow& row : section.rows) {
        if (row.bytes <= 0 || !is_time(row.out_of_place) || !is_time(row.in_place.value_or(1)))
          Complain("a row out of range");
      }
    }
    if (rows > text.size()) Complain("more rows than bytes");
  });
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "nccl_tests";
  reader.check = &Check;
  reader.words = {"#",
                  "Rank",
                  "Collective test starting:",
                  "all_reduce_perf",
                  "mpirun -np 16 ./build/sendrecv_perf_mpi -b 8",
                  "float",
                  "sum",
                  "N/A",
                  "-1",
                  "0",
                  "1e30",
                  "ranks",
                  "NCCL INFO",
                  "ALLGATHER DP, 8 ranks"};
  reader.seeds = {
      "# Collective test starting: all_reduce_perf\n# nThread 1 nGpus 2\n#  Rank  0 Group  0 Pid 7 "
      "on a\n#  Rank  1 Group  0 Pid 7 on a\n#       size  count type redop root time algbw busbw "
      "#wrong time algbw busbw #wrong\nhost:1:2 [0] NCCL INFO Bootstrap\n"
      "  1048576 262144 float sum -1 37.56 27.92 48.85 0 36.82 28.48 49.84 0\n"
      "# Avg bus bandwidth    : 20.3\n",
      "# ALLREDUCE DP, 8 ranks\n 4096 1024 float sum -1 10.50 0.39 0.68 N/A\n# ALLGATHER TP, 4 "
      "ranks\n 4096 256 float none -1 8.25 0.50 0.37 N/A\n"};
  return reader;
}

}  // namespace heddle
