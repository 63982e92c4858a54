// SPDX-License-Identifier: GPL-2.0-only
#include "topology/aggregation/tree_ground.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/test_data.h"
#include "topology/aggregation/lay_tree.h"
#include "topology/graph/tiers.h"

namespace heddle {
namespace tree_ground {
namespace {

/// Four GPUs at each of two leaves, which are switches 8 and 9, and two spines, 10 and 11.
Graph TwoLeaves(std::uint32_t streams) {
  Graph graph(8, 0, 4, 1, "X");
  for (std::uint32_t gpu = 0; gpu < 8; ++gpu) Connect(&graph, gpu, 8 + gpu / 4);
  for (std::uint32_t leaf = 8; leaf < 10; ++leaf) {
    Connect(&graph, leaf, 10);
    Connect(&graph, leaf, 11);
  }
  graph.LetSwitchesAdd(streams);
  return graph;
}

/// Of the tree over two GPUs: its root, or why there is none.
std::string Lay(const Graph& graph, std::uint32_t a, std::uint32_t b, TreeGround* ground,
                AggregationTree* tree) {
  const std::string why = LayTree(graph, FindTiers(graph), {NodeId(a), NodeId(b)}, 0, ground, tree);
  if (!why.empty()) return why;
  ground->Take(*tree, "the group of GPU " + std::to_string(a));
  return std::to_string(tree->switches.front().value);
}

TEST(TreeGround, ALeafHasOneStream) {
  const Graph graph = TwoLeaves(1);
  TreeGround ground(graph);
  AggregationTree first, second, third;
  EXPECT_EQ(Lay(graph, 0, 1, &ground, &first), "8");
  EXPECT_EQ(Lay(graph, 4, 5, &ground, &second), "9") << "another leaf";
  EXPECT_EQ(Lay(graph, 2, 3, &ground, &third),
            "switch 8 has no stream left: the group of GPU 0 holds it (aggregation.streams=1)");
  EXPECT_TRUE(third.switches.empty());
  ground.GiveBack(first);
  EXPECT_EQ(Lay(graph, 2, 3, &ground, &third), "8");
}

TEST(TreeGround, SeveralStreamsAreCounted) {
  const Graph graph = TwoLeaves(2);
  TreeGround ground(graph);
  AggregationTree tree;
  EXPECT_EQ(Lay(graph, 0, 4, &ground, &tree), "10");
  EXPECT_EQ(Lay(graph, 1, 5, &ground, &tree), "11") << "the root with more streams left";
  EXPECT_EQ(Lay(graph, 2, 6, &ground, &tree),
            "switch 8 has no stream left: the group of GPU 1 and others hold them "
            "(aggregation.streams=2)");
}

/// A root is free or another one is taken; where no spine is free, that is the reason.
TEST(TreeGround, RootsAreTakenWhereTheyAreFree) {
  Graph graph(6, 0, 8, 1, "X");  // six leaves of a GPU, 6 to 11, and spines 12 and 13
  for (std::uint32_t gpu = 0; gpu < 6; ++gpu) {
    Connect(&graph, gpu, 6 + gpu);
    Connect(&graph, 6 + gpu, 12);
    Connect(&graph, 6 + gpu, 13);
  }
  graph.LetSwitchesAdd(1);
  TreeGround ground(graph);
  AggregationTree tree;
  EXPECT_EQ(Lay(graph, 0, 1, &ground, &tree), "12");
  EXPECT_EQ(Lay(graph, 2, 3, &ground, &tree), "13");
  EXPECT_EQ(Lay(graph, 4, 5, &ground, &tree),
            "switch 12 has no stream left: the group of GPU 0 holds it (aggregation.streams=1)");
}

/// Two jobs have GPUs at the same four leaves, and a tree for each rail of two leaves. Every spine
/// is the root of two trees, but no link has two.
TEST(TreeGround, TreesOfSeveralJobsShareNoLink) {
  Graph graph(8, 0, 6, 1, "X");  // leaves 8 to 11 with two GPUs each, spines 12 and 13
  for (std::uint32_t gpu = 0; gpu < 8; ++gpu) Connect(&graph, gpu, 8 + gpu / 2);
  for (std::uint32_t leaf = 8; leaf < 12; ++leaf) {
    Connect(&graph, leaf, 12);
    Connect(&graph, leaf, 13);
  }
  graph.LetSwitchesAdd(2);
  TreeGround ground(graph);
  std::string roots;
  for (std::uint32_t job = 0; job < 2; ++job) {
    for (std::uint32_t rail = 0; rail < 2; ++rail) {
      AggregationTree tree;
      const NodeId first(rail * 4 + job), second(rail * 4 + 2 + job);
      ASSERT_EQ(LayTree(graph, FindTiers(graph), {first, second}, rail, &ground, &tree), "");
      ground.Take(tree, "a job");
      roots += std::to_string(tree.switches.front().value) + " ";
    }
  }
  EXPECT_EQ(roots, "12 13 13 12 ");
  EXPECT_EQ(ground.TreesOver(NodeId(8), NodeId(12)), 1U);
  EXPECT_EQ(ground.TreesOver(NodeId(8), NodeId(13)), 1U);
}

TEST(TreeGround, TreesAvoidLinksThatAreDown) {
  const Graph graph = TwoLeaves(Graph::kAnyStreams);
  TreeGround ground(graph);
  AggregationTree tree;
  std::vector<bool> down(graph.links().size());
  down[8] = true;  // leaf 8 to spine 10
  ground.SetDown(down);
  EXPECT_EQ(Lay(graph, 0, 4, &ground, &tree), "11");
  down[9] = down[0] = true;
  ground.SetDown(down);
  EXPECT_EQ(Lay(graph, 0, 4, &ground, &tree), "GPU 0 is linked to no switch that adds");
  EXPECT_EQ(Lay(graph, 1, 4, &ground, &tree),
            "no switch is above all of 2 GPUs, from GPU 1 to GPU 4");
  EXPECT_EQ(Lay(graph, 1, 2, &ground, &tree), "8");
}

}  // namespace
}  // namespace tree_ground
}  // namespace heddle
