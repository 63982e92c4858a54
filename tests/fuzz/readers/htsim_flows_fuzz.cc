// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the reader of htsim's connection matrices.
#include "io/htsim/htsim_flows.h"
#include "tests/fuzz/reader_fuzz.h"
#include "tests/fuzz/readers/flow_list_fuzz.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.cm";

bool Check(const std::string& text) {
  return Accepts({kFile}, [&] {
    for (const char* unit : {"us", "ps"}) {
      std::vector<std::string> warnings;
      CheckFlows(ParseHtsimFlows(text, kFile, SmallGraph(), unit, &warnings), text);
    }
  });
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "htsim_flows";
  reader.check = &Check;
  reader.words = {"Nodes 4", "Connections 1", "Triggers 0", "0->1", "3->0",  "id 1",
                  "start 0", "start 1.5",     "size 4096",  "msg",  "addon", "prio 3",
                  "trigger", "failure",       "1e-9",       "#",    "\n",    "9223372036854775807"};
  reader.seeds = {"Nodes 4\nConnections 2\n0->1 id 1 start 0 size 4096\n3->0 id 2 start 7 size 1\n",
                  "# a\nConnections 1\nTriggers 1\n2->3 start 1.5 size 9 send_done_trigger 1\n"
                  "trigger id 1 oneshot\n",
                  "0->1 id 1 start 2 size 5 msg 3 prio 2 addon\nConnections 1\n"};
  return reader;
}

}  // namespace heddle
