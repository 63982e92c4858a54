// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the reader of compute times: what it accepts has times that a workload file can hold.
#include "io/workload_model/compute_table.h"
#include "tests/fuzz/reader_fuzz.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.times";

bool Check(const std::string& text) {
  return Accepts({kFile}, [&] {
    bool any = false;
    for (const auto& times : ParseComputeTable(text, kFile)) {
      if (!times) continue;
      any = true;
      for (const Time time : {times->forward, times->input_gradient, times->weight_gradient}) {
        if (time < Time{} || time > MicroSeconds(1'000'000'000'000))
          Complain("a time out of range");
      }
    }
    if (!any) Complain("a table without times");
  });
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "compute_table";
  reader.check = &Check;
  reader.words = {"embedding", "attention", "mlp", "router", "experts", "output", "loss",
                  "optimizer", "#",         "0",   "1e12",   "1e-300",  "nan",    "inf"};
  reader.seeds = {"# measured\nattention 320.5 410 300\nmlp 250 260 255\noptimizer 9000\n"};
  return reader;
}

}  // namespace heddle
