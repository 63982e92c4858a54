// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the topology reader: an accepted graph, written and read again, must be the same and
/// have routes.
#include <sstream>
#include <tuple>

#include "tests/fuzz/reader_fuzz.h"
#include "topology/files/describe.h"
#include "topology/files/simai_topology.h"
#include "topology/routes/routes.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.txt";
/// Larger graphs add no cases, and take long to write.
constexpr std::uint32_t kMostNodes = 20'000, kMostRouted = 200;

std::string Written(const Graph& graph) {
  std::ostringstream out;
  WriteSimaiTopology(graph, out);
  return out.str();
}

void CheckGraph(const Graph& graph, std::string_view text) {
  if (graph.gpu_count() == 0) Complain("a graph without GPUs");
  if (graph.links().size() > text.size()) Complain("more links than bytes");
  if (graph.node_count() > kMostNodes) return;
  const std::string once = Written(graph);
  Graph again = ParseSimaiText(once, "again.txt");
  if (Written(again) != once) Complain("a graph that is not the same when it is written and read");
  if (graph.node_count() <= kMostRouted) const Routes routes(graph);
}

bool Check(const std::string& text) {
  const bool accepted = Accepts({kFile}, [&] { CheckGraph(ParseSimaiText(text, kFile), text); });
  if (!accepted && !NamesLine(LastRefusal(), kFile, text) &&
      LastRefusal().rfind("fuzz.txt: ", 0) != 0) {
    Complain("no file in the message: " + LastRefusal());
  }
  return accepted;
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "topology";
  reader.check = &Check;
  reader.words = {"H100",  "A100",     "NONE",       "100Gbps",  "2880Gbps", "0.5Gbps",
                  "1bps",  "0.0005ms", "0.000025ms", "0s",       "1s",       "1.1s",
                  "0.999", "1e-6",     "3",          "4",        "6",        "8",
                  "16",    "1000000",  "16777216",   "100000000"};
  return reader;
}

}  // namespace heddle
