// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/phased/phased_options.h"

#include <fmt/format.h>

#include <tuple>

#include "core/options/options.h"

namespace heddle {

void PhasedOptions::Declare(OptionSet* options) {
  constexpr std::int64_t kMost = 1'000'000;
  constexpr Time kShortest = PicoSeconds(1);
  const std::string paper = "ASTRA-SIM, ISPASS 2020";
  options->AddGroup({"phases", "collectives in phases over the dimensions of a scale-up fabric",
                     "docs/models/phased-collectives.md"});
  options->AddGroup({"chunks", "chunks of collectives in phases, and their scheduler",
                     "docs/models/phased-collectives.md"});
  options->Add({"phases.collectives", "",
                "off: SimCCL's algorithms; baseline: an all-reduce is one in each dimension; "
                "enhanced: reduce-scatter in the first, all-reduce in the others, all-gather in "
                "the first",
                "", paper},
               &collectives);
  options->Add({"phases.dimensions", "",
                "dimensions laid over the GPUs of a fabric that has none, the first one fastest, "
                "such as 2x4x4; fabric: its own",
                "", "ASTRA-SIM: logical topology"},
               &layout, {});
  options->Add({"phases.algorithm", "",
                "algorithm of each dimension, joined by _; the last one holds for those that "
                "follow: auto: ring on rings, direct elsewhere; ring; direct; doubleBinaryTree, "
                "of all-reduces; halvingDoubling, but of all-to-alls; oneRing, oneDirect, "
                "oneHalvingDoubling: one line of all",
                "", "ASTRA-SIM: collective-implementation"},
               &algorithm, {});
  for (const auto& [name, what, value] :
       {std::tuple("phases.reduce_scatter", "reduce-scatters", &reduce_scatter),
        std::tuple("phases.all_gather", "all-gathers", &all_gather),
        std::tuple("phases.all_to_all", "all-to-alls", &all_to_all)}) {
    options->Add({name, "", fmt::format("the same of {}; same: as phases.algorithm", what), "",
                  "ASTRA-sim 2"},
                 value, {});
  }
  options->Add({"phases.order", "",
                "package: the first dimension, then the others from the last on; ascending: from "
                "the first to the last, all-gathers from the last to the first, and an enhanced "
                "all-reduce scatters in all but the last",
                "", "ASTRA-SIM's code: package; ASTRA-sim 2: ascending"},
               &dimensions);
  options->Add(
      {"phases.routing", "",
       "all-to-all on a ring: software: every NPU on the way takes and sends on; hardware: "
       "routers do",
       "", "ASTRA-SIM: packet-routing"},
      &routing);
  options->Add({"phases.local_lanes", "",
                "lanes of the first dimension that an all-reduce uses: halves: the first half for "
                "its first phase, the second half for the last one; all: all for each",
                "", "ASTRA-SIM's code: halves"},
               &local_lanes);
  options->Add({"phases.endpoint_delay", "",
                "before the first message of a phase, and after each received one", "ns",
                "ASTRA-SIM: endpoint-delay"},
               &endpoint_delay, kShortest, MicroSeconds(1000), "ns");
  options->Add({"phases.local_endpoint_delay", "", "the same in the first dimension", "ns",
                "ASTRA-SIM's code: 10 ns"},
               &local_endpoint_delay, kShortest, MicroSeconds(1000), "ns");
  options->Add({"phases.reduction_delay", "",
                "of each message that is added to what its receiver has", "ns", "heddle"},
               &reduction_delay, Time(), MicroSeconds(1000), "ns");
  options->Add({"phases.memory_bandwidth", "",
                "of an NPU: each such message is written once and read twice; 0: no limit", "GB/s",
                "ASTRA-sim 2: local-mem-bw"},
               &memory_bandwidth, 0, 1e9);
  options->Add({"phases.halving_sums", "",
                "what halvingDoubling adds: received: each message; next: as many bytes as the "
                "next message has, none after the last one",
                "", "ASTRA-sim 2's code: next"},
               &halving_sums);
  options->Add({"chunks.splits", "", "chunks that a collective is cut into", "",
                "ASTRA-SIM: preferred-dataset-splits"},
               &splits, 1, kMost);
  options->Add({"chunks.all_to_all_splits", "", "the same of an all-to-all; 0: as the others", "",
                "ASTRA-SIM's code: 8"},
               &all_to_all_splits, 0, kMost);
  options->Add({"chunks.least_bytes", "", "no chunk is smaller", "byte", "ASTRA-SIM's code: 1024"},
               &least_bytes, 1, std::int64_t{1} << 40);
  options->Add({"chunks.dispatch", "",
                "fill: chunks are issued while fewer than chunks.threshold are in their first "
                "phase; batch: if so, chunks.batch at once",
                "", "ASTRA-SIM's code: fill; paper: batch"},
               &dispatch);
  options->Add({"chunks.threshold", "", "chunks in their first phase below which more are issued",
                "", "ASTRA-SIM's code: 64; paper: 8"},
               &threshold, 1, kMost);
  options->Add({"chunks.batch", "", "chunks issued at once with chunks.dispatch=batch", "", paper},
               &batch, 1, kMost);
  options->Add({"chunks.order", "",
                "which collective's chunks go first: lifo: the latest; fifo: the earliest", "",
                "ASTRA-SIM: scheduling-policy"},
               &order);
  options->Add({"chunks.equal", "", "the same among the chunks of one collective that wait", "",
                "ASTRA-SIM's code: lifo"},
               &equal);
  options->Add({"chunks.per_lane", "", "chunks that a lane works on at once; 0: no limit", "",
                "ASTRA-SIM: injection-policy, normal: 8"},
               &per_lane, 0, kMost);
}

}  // namespace heddle
