// SPDX-License-Identifier: GPL-2.0-only
#include "core/chakra/chakra_options.h"

#include "core/options/options.h"

namespace heddle {

void ChakraOptions::Declare(OptionSet* options) {
  options->AddGroup({"chakra", "execution traces of Chakra", "docs/formats/chakra.md"});
  options->Add({"chakra.slots", "",
                "what a GPU does at once besides a computation on the CPU and one on the GPU: "
                "streams: all communication that waits for nothing, the collectives of a group one "
                "after the other; astra-sim: one collective, send or access of memory",
                "", "ASTRA-sim 2's replay: astra-sim"},
               &slots);
  options->Add({"chakra.control", "",
                "control dependencies: follow: as data dependencies; ignore: they do not count", "",
                "ASTRA-sim 2: follow"},
               &control);
  options->Add({"chakra.compute", "",
                "time of computing on the GPU: duration: the node's; roofline: of num_ops and "
                "tensor_size, whole ns",
                "", "ASTRA-sim 2: roofline-enabled"},
               &compute);
  options->Add(
      {"chakra.peak", "", "of a GPU, for the roofline", "TFLOPS", "ASTRA-sim 2: peak-perf"}, &peak,
      0, 1e9);
  options->Add({"chakra.memory_bandwidth", "", "of a GPU's own memory, for the roofline", "GB/s",
                "ASTRA-sim 2: local-mem-bw"},
               &memory_bandwidth, 0, 1e9);
  options->Add({"chakra.remote_bandwidth", "",
                "of each GPU's remote memory; 0: there is none, and traces may not use it", "GB/s",
                "ASTRA-sim 2: remote-mem-bw"},
               &remote_bandwidth, 0, 1e9);
  options->Add({"chakra.remote_latency", "", "of an access of remote memory", "ns",
                "ASTRA-sim 2: remote-mem-latency"},
               &remote_latency, Time(), MicroSeconds(1'000'000), "ns");
}

}  // namespace heddle
