// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the reader of workloads as SimAI's analytical program takes them.
#include "io/simai/raw_workload_file.h"
#include "tests/fuzz/reader_fuzz.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.txt";

bool Check(const std::string& text) {
  return Accepts({kFile}, [&] {
    const RawWorkload workload = ParseRawWorkload(text, kFile);
    if (workload.is_transformer == workload.layers.empty())
      Complain("rows of another policy, or none");
    for (const RawLayer& layer : workload.layers) {
      if (layer.line < 3) Complain("a row in the header");
      if (layer.forward_runs != 1 && layer.forward_runs != 2) Complain("a row that runs thrice");
    }
  });
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "raw_workload";
  reader.check = &Check;
  reader.words = {"HYBRID_TRANSFORMER_FWD_IN_BCKWD",
                  "model_parallel_NPU_group:",
                  "ep:",
                  "pp:",
                  "checkpoints:",
                  "checkpoint_initiates:",
                  "pp_comm",
                  "NONE",
                  "ALLREDUCE",
                  "ALLTOALL_EP",
                  "ALLGATHER_DP_EP",
                  "-1",
                  "0",
                  "4096",
                  "18446744073709551615"};
  reader.seeds = {
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 4 pp: 1 vpp: 1 ga: 1 "
      "all_gpus: 8 checkpoints: 1 0 checkpoint_initiates: 1 1 pp_comm: 4096\n2\n"
      "a -1 1 ALLREDUCE 4096 1 NONE 0 1 ALLGATHER_DP_EP 8192 100\n"
      "b -1 1 ALLTOALL_EP 4096 1 NONE 0 1 NONE 0 100\n"};
  return reader;
}

}  // namespace heddle
