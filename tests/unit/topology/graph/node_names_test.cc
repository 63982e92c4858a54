// SPDX-License-Identifier: GPL-2.0-only
#include "topology/graph/node_names.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr BitRate kCableRate{100'000'000'000};

/// Two servers of two GPUs; GPUs of equal place share a leaf; two cables from each leaf to the
/// spine.
Graph Rails() {
  Graph graph(4, 2, 3, 2, "H100");
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu)
    graph.AddLink({NodeId(gpu), NodeId(4 + gpu / 2), kCableRate, {1}, 0});
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu)
    graph.AddLink({NodeId(gpu), NodeId(6 + gpu % 2), kCableRate, {1}, 0});
  for (const std::uint32_t leaf : {6U, 7U}) {
    for (int cable = 0; cable < 2; ++cable)
      graph.AddLink({NodeId(leaf), NodeId(8), kCableRate, {1}, 0});
  }
  return graph;
}

TEST(NodeNames, SayWhereNodesAre) {
  const Graph graph = Rails();
  const NodeNames names(graph);
  EXPECT_EQ(names.Of(NodeId(3)), "server 1 / GPU 1");
  EXPECT_EQ(names.Of(NodeId(5)), "NVSwitch 1");
  EXPECT_EQ(names.Of(NodeId(7)), "leaf 1 (rail 1)");
  EXPECT_EQ(names.Of(NodeId(8)), "spine 0");
  EXPECT_EQ(names.Link(NodeId(3), PortId(1)), "server 1 / GPU 1 -> leaf 1 (rail 1)");
  EXPECT_EQ(names.Link(NodeId(7), PortId(3)), "leaf 1 (rail 1) -> spine 0 (cable 1)");
}

/// Servers of one GPU have no number; switches that all have GPUs no level.
TEST(NodeNames, OfAFabricWithoutLevels) {
  Graph graph(2, 0, 2, 1, "H100");
  graph.AddLink({NodeId(0), NodeId(2), kCableRate, {1}, 0});
  graph.AddLink({NodeId(1), NodeId(3), kCableRate, {1}, 0});
  graph.AddLink({NodeId(2), NodeId(3), kCableRate, {1}, 0});
  const NodeNames names(graph);
  EXPECT_EQ(names.Of(NodeId(1)), "GPU 1");
  EXPECT_EQ(names.Link(NodeId(2), PortId(1)), "switch 0 -> switch 1");
}

}  // namespace
}  // namespace heddle
