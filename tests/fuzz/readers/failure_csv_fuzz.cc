// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the reader of failure lists, of SimAI's LINK_DOWN (one line of text), and of the
/// expansion of both in a fabric.
#include <algorithm>
#include <tuple>

#include "io/input/failure_csv.h"
#include "tests/fuzz/reader_fuzz.h"
#include "tests/fuzz/readers/flow_list_fuzz.h"
#include "topology/routes/failures.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.csv";

/// Changes must be sorted, real, and of existing links.
void CheckChanges(const std::vector<LinkEvent>& changes) {
  const Graph& graph = SmallGraph();
  std::vector<bool> up(graph.links().size(), true);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const LinkEvent& change = changes[i];
    if (change.link.value >= up.size() || change.time < Time{})
      Complain("a change of no link, or before time 0");
    const auto key = [](const LinkEvent& e) {
      return std::make_tuple(e.time.ps, e.link.value, e.kind);
    };
    if (i > 0 && !(key(changes[i - 1]) < key(change))) Complain("changes that are not in order");
    if (change.kind == LinkEvent::Kind::kRate) {
      if (change.rate.bps <= 0) Complain("a rate that is not above 0");
      continue;
    }
    const bool to = change.kind == LinkEvent::Kind::kUp;
    if (up[change.link.value] == to) Complain("a link that changes to what it is");
    up[change.link.value] = to;
  }
}

bool Check(const std::string& text) {
  if (text.find('\n') == std::string::npos && text.find(',') == std::string::npos) {
    return Accepts({"LINK_DOWN"}, [&] {
      if (const auto event = ParseLinkDown(text))
        CheckChanges(ExpandFailures(SmallGraph(), {*event}));
    });
  }
  return Accepts({kFile}, [&] {
    const std::vector<FailureEvent> events = ParseFailureCsv(text, kFile);
    if (events.empty() || events.size() > text.size())
      Complain("no events, or more than the file has bytes");
    CheckChanges(ExpandFailures(SmallGraph(), events));
  });
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "failure_csv";
  reader.check = &Check;
  reader.words = {"time",    "event",     "a",         "b",         "rate", "cable", "link_down",
                  "link_up", "link_rate", "node_down", "node_up",   "0",    "1",     "2",
                  "4",       "5",         "6",         "7",         "8",    "5us",   "1ms",
                  "100Gbps", "400Gbps",   "1bps",      "4294967294"};
  reader.seeds = {
      "time,event,a,b,rate,cable\n5us,link_down,1,6\n6us,link_up,1,6,,1\n7000,link_rate,6,7,"
      "100Gbps\n",
      "0,node_down,6\n10us,node_up,6\n10us,node_down,4\n# nothing\n3us,link_down,0,4\n",
      "\"1ms\",\"link_rate\",1,6,200Gbps,0\n1ms,link_down,7,6\n1ms,link_up,7,6\n",
      "5 1 6",
      "2.5ms 6 7",
      "0 0 0"};
  return reader;
}

}  // namespace heddle
