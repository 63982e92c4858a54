// SPDX-License-Identifier: GPL-2.0-only
/// Groups whose servers have different numbers of ranks, in any order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "collectives/schedule/group_shape.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Six servers of eight GPUs, every GPU linked to the two NVSwitches of its server.
inline Graph FabricForGroups() {
  constexpr std::uint32_t kGpus = 48, kNvSwitches = 12;
  Graph graph(kGpus, kNvSwitches, 0, 8, "H100");
  for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu) {
    for (const std::uint32_t k : {0U, 1U}) {
      graph.AddLink(
          {NodeId(gpu), NodeId(kGpus + gpu / 8 * 2 + k), BitRate{100'000'000'000}, NanoSeconds(1)});
    }
  }
  return graph;
}

/// Twenty groups of 2 to 40 GPUs, the same on each call.
inline std::vector<GroupShape> IrregularGroups(const Graph& graph) {
  std::mt19937 random(42);
  std::vector<NodeId> gpus;
  for (std::uint32_t gpu = 0; gpu < 48; ++gpu) gpus.emplace_back(gpu);
  std::vector<GroupShape> groups;
  for (int i = 0; i < 20; ++i) {
    std::shuffle(gpus.begin(), gpus.end(), random);
    groups.emplace_back(graph, std::vector<NodeId>(gpus.begin(), gpus.begin() + 2 * (i + 1)));
  }
  return groups;
}

}  // namespace heddle
