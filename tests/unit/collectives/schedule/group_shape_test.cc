// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/schedule/group_shape.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

std::vector<NodeId> Nodes(const std::vector<std::uint32_t>& ids) {
  std::vector<NodeId> nodes;
  for (const std::uint32_t id : ids) nodes.emplace_back(id);
  return nodes;
}

/// Three servers of four GPUs (0 to 11), each with two NVSwitches (12 to 17); GPU 3 is linked only
/// to the first NVSwitch of its server.
Graph ThreeServers() {
  Graph graph(12, 6, 0, 4, "H100");
  for (std::uint32_t gpu = 0; gpu < 12; ++gpu) {
    for (const std::uint32_t k : {1U, 0U}) {
      if (gpu == 3 && k == 1) continue;
      graph.AddLink(
          {NodeId(gpu), NodeId(12 + gpu / 4 * 2 + k), BitRate{100'000'000'000}, NanoSeconds(1)});
    }
  }
  return graph;
}

TEST(GroupShape, NumbersServersAsTheRanksMeetThem) {
  const Graph graph = ThreeServers();
  const GroupShape shape(graph, Nodes({9, 1, 8, 2, 11}));
  ASSERT_EQ(shape.ranks(), 5U);
  ASSERT_EQ(shape.servers(), 2U);
  EXPECT_EQ(shape.locals(0), 3U);
  EXPECT_EQ(shape.locals(1), 2U);
  EXPECT_EQ(shape.fewest_locals(), 2U);
  EXPECT_EQ(shape.local(0, 0), 0U);
  EXPECT_EQ(shape.local(0, 1), 2U);
  EXPECT_EQ(shape.local(0, 2), 4U);
  EXPECT_EQ(shape.local(1, 1), 3U);
  EXPECT_EQ(shape.local_of(3), 1U);
  EXPECT_EQ(shape.server_of(3), 1U);
  EXPECT_EQ(shape.rail(0), 1U);
  EXPECT_EQ(shape.rail(4), 3U);
  EXPECT_EQ(shape.on_rail(0, 3), 4U);
  EXPECT_EQ(shape.on_rail(1, 3), GroupShape::kNone);
}

TEST(GroupShape, TakesTheNvSwitchesThatAllRanksOfTheServerAreLinkedTo) {
  const Graph graph = ThreeServers();
  const GroupShape all(graph, Nodes({0, 3, 5, 6}));
  ASSERT_EQ(all.participants(), 7U);
  EXPECT_EQ(all.nvswitches(0), 1U);  // GPU 3 lacks the second
  EXPECT_EQ(all.nvswitches(1), 2U);
  EXPECT_EQ(all.node(all.nvswitch(0, 0)), NodeId(12));
  EXPECT_EQ(all.node(all.nvswitch(1, 0)), NodeId(14));
  EXPECT_EQ(all.node(all.nvswitch(1, 1)), NodeId(15));
  EXPECT_EQ(all.server_of(all.nvswitch(1, 1)), 1U);
  EXPECT_TRUE(all.is_nvswitch(all.nvswitch(0, 0)));
  EXPECT_FALSE(all.is_nvswitch(3));
}

TEST(GroupShape, WithoutAFabricFillsServersInOrder) {
  const GroupShape shape(11, 4, 2);
  ASSERT_EQ(shape.servers(), 3U);
  EXPECT_EQ(shape.locals(2), 3U);
  EXPECT_EQ(shape.fewest_locals(), 3U);
  EXPECT_EQ(shape.rail(6), 2U);
  EXPECT_EQ(shape.participants(), 17U);
  EXPECT_EQ(shape.node(shape.nvswitch(2, 1)), NodeId(16));
}

}  // namespace
}  // namespace heddle
