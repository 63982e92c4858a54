// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the reader of ORCS's networks: in an accepted one all walks end, and a way arrives
/// where it should.
#include <algorithm>
#include <vector>

#include "tests/fuzz/reader_fuzz.h"
#include "topology/files/orcs_dot.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.dot";
constexpr std::uint32_t kMostHosts = 20;

void CheckWalks(const StaticNetwork& network) {
  const std::uint32_t hosts = std::min(network.host_count(), kMostHosts);
  std::vector<std::uint32_t> way;
  for (std::uint32_t a = 0; a < hosts; ++a) {
    for (std::uint32_t b = 0; b < hosts; ++b) {
      if (network.Walk(a, b, &way) != WalkEnd::kArrived || a == b) continue;
      if (way.empty() || network.cables()[way.back()].to != network.NodeOfHost(b))
        Complain("a way that does not end at its host");
    }
  }
}

bool Check(const std::string& text) {
  return Accepts({kFile}, [&] {
    OrcsDot dot(text, kFile);
    CheckWalks(dot.network());
    for (const std::uint32_t host : dot.HostsBreadthFirst()) {
      if (host >= dot.network().host_count()) Complain("a host that there is not");
    }
    dot.Coloured(std::vector<double>(dot.network().cable_count(), 0.5));
  });
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "orcs_dot";
  reader.check = &Check;
  reader.words = {"digraph", "graph",   "strict", "subgraph", "->", "--", "comment", "\"*\"",
                  "H1",      "H2",      "rate",   "{",        "}",  "[",  "]",       ";",
                  "\"",      "100Gbps", "/*",     "*/",       "//", "<",  ">",       "\\"};
  reader.seeds = {
      "digraph n {\n H1 -> s [comment=\"*\"];\n H2 -> s [comment=\"*\"];\n s -> H1 "
      "[comment=\"H1\", rate=\"100Gbps\"];\n s -> H2 [comment=\"H2\"];\n}\n",
      "digraph n { H1 -> a [comment=\"H2\"]; a -> b [comment=\"H2,H3\"]; a -> b [comment=\"H1\"];"
      " b -> H2 [comment=\"H2\"]; b -> a [comment=\"H3\"]; H3 -> b [comment=\"*\"]; }"};
  return reader;
}

}  // namespace heddle
