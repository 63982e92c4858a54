// SPDX-License-Identifier: GPL-2.0-only
/// Nodes of a trace of Chakra read a second, and of its program made a second, on one core.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "collectives/chakra/chakra_program.h"
#include "io/chakra/chakra_reader.h"
#include "tests/support/chakra/chakra_bytes.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Nodes as a converter of PyTorch's traces writes them: a name, a dozen attributes, two waits.
std::string TraceOf(std::uint64_t nodes) {
  std::vector<std::string> all;
  for (std::uint64_t id = 0; id < nodes; ++id) {
    const bool collective = id % 50 == 49;
    std::string node =
        testing::NodeHead(id, collective ? 7 : 4, "aten::operation_" + std::to_string(id % 300));
    if (id > 1) node += testing::Dependencies(5, {id - 1, id - 2});
    node += testing::WholeField(7, 10 + id % 7);
    for (const char* name : {"rf_id", "fw_parent", "seq_id", "scope", "tid", "fw_tid"})
      node += testing::Attribute(name, static_cast<std::int64_t>(id));
    node += testing::Attribute("is_cpu_op", testing::WholeField(27, id % 3 == 0 && !collective));
    if (collective) {
      node += testing::Attribute("comm_type", 0);
      node += testing::Attribute("comm_size", 1 << 20);
    }
    all.push_back(node);
  }
  return testing::TraceBytes(all);
}

int Run() {
  constexpr std::uint64_t kNodes = 400'000;
  const std::string bytes = TraceOf(kNodes);
  Clock::time_point start = Clock::now();
  const ChakraTrace trace = ParseChakra(bytes, "bench.0.et");
  const double reading = SecondsSince(start);
  start = Clock::now();
  std::vector<std::string> warnings;
  const Program program = MakeChakraProgram(trace, {}, {}, &warnings);
  const double making = SecondsSince(start);
  if (trace.CountNodes() != kNodes || program.graph->ranks[0].nodes.size() != kNodes) return 1;
  std::printf(
      "Chakra: %.2f M nodes/s read (%.0f MB/s, goal: 0.2 M), %.2f M nodes/s made a program, "
      "%.0f bytes a node\n",
      kNodes / reading / 1e6, static_cast<double>(bytes.size()) / reading / 1e6,
      kNodes / making / 1e6,
      static_cast<double>(program.graph->memory()) / static_cast<double>(kNodes));
  return 0;
}

}  // namespace
}  // namespace heddle

int main() { return heddle::Run(); }
