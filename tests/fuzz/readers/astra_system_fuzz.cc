// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the readers of ASTRA-SIM's system files: what is accepted sets options that
/// collectives may have, or is refused in words.
#include "collectives/choice/collective_options.h"
#include "core/options/options.h"
#include "io/astra/astra_system.h"
#include "tests/fuzz/reader_fuzz.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.txt";

bool Check(const std::string& text) {
  return Accepts({kFile}, [&] {
    OptionSet options;
    CollectiveOptions collectives;
    collectives.Declare(&options);
    ParseAstraSystem(text, kFile, &options);
    if (!collectives.phased.on()) Complain("collectives that are not in phases");
    if (collectives.phased.splits < 1) Complain("collectives of no chunks");
  });
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "astra_system";
  reader.check = &Check;
  reader.words = {"scheduling-policy",
                  "LIFO",
                  "FIFO",
                  "endpoint-delay",
                  "packet-routing",
                  "hardware",
                  "injection-policy",
                  "extraAggressive",
                  "preferred-dataset-splits",
                  "collective-implementation",
                  "doubleBinaryTree",
                  "\"local-mem-bw\": 1600",
                  "\"all-to-all-implementation\": [ \"direct\" ]",
                  "active-chunks-per-dimension",
                  "localBWAware",
                  "{",
                  "}",
                  "[",
                  "]",
                  "\"",
                  ":",
                  ",",
                  "0",
                  "1",
                  "1e9",
                  "\n"};
  reader.seeds = {
      "scheduling-policy: FIFO\nendpoint-delay: 12\npacket-routing: hardware\n"
      "injection-policy: aggressive\npreferred-dataset-splits: 4\nboost-mode: 1\n"
      "collective-implementation: hierarchicalRing\ncollective-optimization: localBWAware\n",
      "{\n\"scheduling-policy\": \"LIFO\", \"endpoint-delay\": 10,\n"
      "\"active-chunks-per-dimension\": 1, \"preferred-dataset-splits\": 4,\n"
      "\"all-reduce-implementation\": [\"ring\", \"halvingDoubling\"],\n"
      "\"collective-optimization\": \"localBWAware\", \"local-mem-bw\": 1600.0,\n"
      "\"boost-mode\": 0 }\n"};
  return reader;
}

}  // namespace heddle
