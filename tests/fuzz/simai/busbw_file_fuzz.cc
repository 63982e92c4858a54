// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the reader of bus bandwidths of SimAI's older analytical program.
#include "core/app/studies/analytical/busbw_file.h"
#include "tests/fuzz/reader_fuzz.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.yaml";

bool Check(const std::string& text) {
  return Accepts({kFile}, [&] {
    BusBandwidthFile first, again;
    ParseBusBandwidthFile(text, kFile, &first);
    again = first;
    ParseBusBandwidthFile(text, kFile, &again);
    const auto differ = [](float a, float b) { return a != b && (a == a || b == b); };
    if (differ(first.tensor.all_reduce, again.tensor.all_reduce) ||
        differ(first.expert.all_to_all, again.expert.all_to_all) ||
        differ(first.pipeline, again.pipeline))
      Complain("another value when read again");
  });
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "busbw_file";
  reader.check = &Check;
  reader.words = {
      "TP:",        "DP:",    "EP:",  "PP:",  "allreduce,:", "allgather,:", "reducescatter,:",
      "alltoall,:", "busbw:", "null", "47.5", "1e40"};
  reader.seeds = {
      "test\nTP:\nallreduce,: 300\nallgather,: 280\nEP:\nalltoall,: null\nPP:\nbusbw: 47.5"};
  return reader;
}

}  // namespace heddle
