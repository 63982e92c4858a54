// SPDX-License-Identifier: GPL-2.0-only
/// A fabric small enough for computation by hand: servers {GPU 0, 1} with NVSwitch 4 and {GPU 2, 3}
/// with NVSwitch 5, one leaf each (6 and 7), spines 8 and 9. Ports of a leaf: 0 and 1 to its GPUs,
/// 2 to spine 8, 3 to spine 9; of a spine: 0 to leaf 6, 1 to leaf 7.
#pragma once

#include "topology/graph/graph.h"

namespace heddle {

inline Graph TwoLeaves() {
  Graph graph(4, 2, 4, 2, "H100");
  const BitRate rate{100'000'000'000};
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu)
    graph.AddLink({NodeId(gpu), NodeId(4 + gpu / 2), rate, {25'000}, 0});
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu)
    graph.AddLink({NodeId(gpu), NodeId(6 + gpu / 2), rate, {500'000}, 0});
  for (std::uint32_t leaf = 6; leaf < 8; ++leaf) {
    for (std::uint32_t spine = 8; spine < 10; ++spine)
      graph.AddLink({NodeId(leaf), NodeId(spine), rate, {500'000}, 0});
  }
  return graph;
}

}  // namespace heddle
