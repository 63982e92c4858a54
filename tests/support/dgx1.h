// SPDX-License-Identifier: GPL-2.0-only
/// Servers like the DGX-1: eight GPUs on a hybrid cube mesh of NVLinks, without NVSwitches.
#pragma once

#include <cstdint>
#include <utility>

#include "topology/graph/graph.h"

namespace heddle::testing {

/// Pairs of the first server's GPUs that have a link: both quads are full, and GPU i of one is
/// linked to GPU i of the other.
inline constexpr std::pair<std::uint32_t, std::uint32_t> kCubeMesh[] = {
    {0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}, {4, 5}, {4, 6},
    {4, 7}, {5, 6}, {5, 7}, {6, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};

/// GPUs, then leaves and a spine. GPU i of a server has its NIC at leaf i mod `leaves`. NVLinks
/// have 200 Gbps and 25 ns, NICs 100 Gbps and 500 ns.
inline Graph CubeMeshServers(std::uint32_t servers, std::uint32_t leaves = 2) {
  const std::uint32_t gpus = 8 * servers;
  Graph graph(gpus, 0, leaves + 1, 8, "V100");
  for (std::uint32_t server = 0; server < servers; ++server) {
    for (const auto& [a, b] : kCubeMesh)
      graph.AddLink({NodeId(8 * server + a), NodeId(8 * server + b), BitRate{200'000'000'000},
                     NanoSeconds(25)});
  }
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu)
    graph.AddLink(
        {NodeId(gpu), NodeId(gpus + gpu % leaves), BitRate{100'000'000'000}, NanoSeconds(500)});
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf)
    graph.AddLink(
        {NodeId(gpus + leaf), NodeId(gpus + leaves), BitRate{400'000'000'000}, NanoSeconds(500)});
  return graph;
}

}  // namespace heddle::testing
