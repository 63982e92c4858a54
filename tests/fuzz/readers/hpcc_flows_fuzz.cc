// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the reader of HPCC's flow lists.
#include "io/input/hpcc_flows.h"
#include "tests/fuzz/reader_fuzz.h"
#include "tests/fuzz/readers/flow_list_fuzz.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.txt";

bool Check(const std::string& text) {
  return Accepts({kFile}, [&] {
    const std::vector<FlowRequest> flows = ParseHpccFlows(text, kFile, SmallGraph());
    CheckFlows(flows, text);
    for (const FlowRequest& flow : flows) {
      if (flow.priority == 0) Complain("a flow with the priority of control frames");
    }
  });
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "hpcc_flows";
  reader.check = &Check;
  reader.words = {"0",   "1",     "2",   "3",           "4",    "5",           "7",
                  "100", "65535", "2.0", "2.000000001", "1e-9", "9223372.036", "4000000000"};
  reader.seeds = {"2\n0 1 3 100 4096 2.0\n1 2 3 101 1 2.000001\n",
                  "1\n3 0 1 65535 9223372036854775807 0\nend of the list\n",
                  "3\n\n0 2 7 0 10 1e-9\n4 1 3 5 5 0.5\n2 0 3 5 5 0\n"};
  return reader;
}

}  // namespace heddle
