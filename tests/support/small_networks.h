// SPDX-License-Identifier: GPL-2.0-only
/// Small fabrics of switches by rule, one GPU a server.
#pragma once

#include <vector>

#include "topology/graph/graph.h"

namespace heddle::testing {

inline void AddCable(Graph* graph, std::uint32_t a, std::uint32_t b) {
  graph->AddLink({NodeId(a), NodeId(b), BitRate{100'000'000'000}, MicroSeconds(1)});
}

/// `leaves` leaves with `hosts` GPUs each and `cables` cables to each of `spines` spines. Ports of
/// a leaf: its GPUs, then cable by cable, spine by spine.
inline Graph TwoLevelTree(std::uint32_t leaves, std::uint32_t hosts, std::uint32_t spines,
                          std::uint32_t cables) {
  const std::uint32_t gpus = leaves * hosts;
  Graph graph(gpus, 0, leaves + spines, 1, "X");
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) AddCable(&graph, gpu, gpus + gpu / hosts);
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
    for (std::uint32_t cable = 0; cable < cables; ++cable) {
      for (std::uint32_t spine = 0; spine < spines; ++spine)
        AddCable(&graph, gpus + leaf, gpus + leaves + spine);
    }
  }
  return graph;
}

/// One GPU at each switch of a grid, numbered row by row, the first dimension fastest; with cables
/// round the ends of dimensions longer than two if `torus`.
inline Graph GridOfSwitches(const std::vector<std::uint32_t>& lengths, bool torus) {
  std::uint32_t count = 1;
  for (const std::uint32_t length : lengths) count *= length;
  Graph graph(count, 0, count, 1, "X");
  for (std::uint32_t i = 0; i < count; ++i) AddCable(&graph, i, count + i);
  std::uint32_t stride = 1;
  for (const std::uint32_t length : lengths) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t at = i / stride % length;
      if (at + 1 < length) AddCable(&graph, count + i, count + i + stride);
      if (torus && length > 2 && at + 1 == length)
        AddCable(&graph, count + i, count + i - stride * at);
    }
    stride *= length;
  }
  return graph;
}

}  // namespace heddle::testing
