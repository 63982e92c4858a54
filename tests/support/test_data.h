// SPDX-License-Identifier: GPL-2.0-only
/// Access to tests/data and small fabrics for the tests of topology/ and partition/.
#pragma once

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "topology/files/simai_topology.h"
#include "topology/graph/graph.h"

namespace heddle {

inline std::string CasePath(const std::string& name, const std::string& file) {
  return std::string(HEDDLE_TEST_DATA) + "/cases/" + name + "/" + file;
}

inline std::string ReadText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::vector<std::string> ReadLines(const std::string& path) {
  std::istringstream in(ReadText(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

inline Graph ReadCase(const std::string& name) {
  return ReadSimaiTopology(CasePath(name, "topo.txt"));
}

inline void Connect(Graph* graph, std::uint32_t a, std::uint32_t b,
                    BitRate rate = {100'000'000'000}, Time delay = NanoSeconds(500)) {
  graph->AddLink({NodeId(a), NodeId(b), rate, delay, 0});
}

/// A copy of the graph with every cable twice.
inline Graph Doubled(const Graph& graph) {
  Graph doubled(graph.gpu_count(), graph.nvswitch_count(), graph.switch_count(),
                graph.gpus_per_server(), "X");
  for (const Link& link : graph.links()) doubled.AddLink(link);
  for (const Link& link : graph.links()) doubled.AddLink(link);
  return doubled;
}

}  // namespace heddle
