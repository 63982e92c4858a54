// SPDX-License-Identifier: GPL-2.0-only
#include "topology/aggregation/lay_tree.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/test_data.h"
#include "topology/graph/tiers.h"

namespace heddle {
namespace {

std::vector<NodeId> Nodes(std::initializer_list<std::uint32_t> values) {
  std::vector<NodeId> nodes;
  for (const std::uint32_t value : values) nodes.emplace_back(value);
  return nodes;
}

AggregationTree Lay(const Graph& graph, const std::vector<NodeId>& members,
                    std::uint32_t turn = 0) {
  AggregationTree tree;
  EXPECT_EQ(LayTree(graph, FindTiers(graph), members, turn, nullptr, &tree), "");
  return tree;
}

/// Every switch is linked to the one above it, and every member to its switch; each once.
void ExpectSound(const Graph& graph, const std::vector<NodeId>& members,
                 const AggregationTree& tree) {
  const auto linked = [&](NodeId a, NodeId b) {
    for (const Attachment& port : graph.ports(a)) {
      if (port.peer == b) return true;
    }
    return false;
  };
  ASSERT_EQ(tree.of_member.size(), members.size());
  ASSERT_EQ(tree.above.size(), tree.switches.size());
  std::set<std::uint32_t> used(tree.of_member.begin(), tree.of_member.end());
  for (std::size_t i = 0; i < members.size(); ++i)
    EXPECT_TRUE(linked(members[i], tree.switches.at(tree.of_member[i])));
  for (std::uint32_t k = 1; k < tree.switches.size(); ++k) {
    ASSERT_LT(tree.above[k], k) << "a switch comes after the one above it";
    EXPECT_TRUE(linked(tree.switches[k], tree.switches[tree.above[k]]));
    used.insert(tree.above[k]);
  }
  EXPECT_EQ(used.size(), tree.switches.size()) << "no switch without anything below it";
  EXPECT_EQ(std::set<NodeId>(tree.switches.begin(), tree.switches.end()).size(),
            tree.switches.size());
}

/// `leaves` of 2 GPUs each, and spines to which all are linked.
Graph LeafSpine(std::uint32_t leaves, std::uint32_t spines) {
  Graph graph(2 * leaves, 0, leaves + spines, 1, "X");
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
    const std::uint32_t node = 2 * leaves + leaf;
    Connect(&graph, 2 * leaf, node);
    Connect(&graph, 2 * leaf + 1, node);
    for (std::uint32_t spine = 0; spine < spines; ++spine)
      Connect(&graph, node, 3 * leaves + spine);
  }
  return graph;
}

TEST(AggregationTree, OfOneLeafIsTheLeafAlone) {
  const Graph graph = LeafSpine(3, 2);
  const std::vector<NodeId> members = Nodes({2, 3});
  const AggregationTree tree = Lay(graph, members);
  EXPECT_EQ(tree.switches, Nodes({7}));
  ExpectSound(graph, members, tree);
}

TEST(AggregationTree, OfSeveralLeavesHasOneSpineForARoot) {
  const Graph graph = LeafSpine(3, 2);
  const std::vector<NodeId> members = Nodes({0, 1, 3, 5});
  const AggregationTree tree = Lay(graph, members);
  EXPECT_EQ(tree.switches, Nodes({9, 6, 7, 8}));
  EXPECT_EQ(tree.of_member, (std::vector<std::uint32_t>{1, 1, 2, 3}));
  ExpectSound(graph, members, tree);
}

TEST(AggregationTree, TreesTakeTurnsAmongEqualRoots) {
  const Graph graph = LeafSpine(4, 4);
  std::set<NodeId> roots;
  for (std::uint32_t turn = 0; turn < 4; ++turn)
    roots.insert(Lay(graph, Nodes({0, 2, 4}), turn).switches[0]);
  EXPECT_EQ(roots.size(), 4U);
}

/// Two pods of two leaves and two switches each; switch i of each pod is linked to core i only.
Graph ThreeTiers() {
  Graph graph(8, 0, 4 + 4 + 2, 1, "X");
  for (std::uint32_t gpu = 0; gpu < 8; ++gpu) Connect(&graph, gpu, 8 + gpu / 2);
  for (std::uint32_t pod = 0; pod < 2; ++pod) {
    for (std::uint32_t i = 0; i < 2; ++i) {
      for (std::uint32_t leaf = 0; leaf < 2; ++leaf)
        Connect(&graph, 8 + 2 * pod + leaf, 12 + 2 * pod + i);
      Connect(&graph, 12 + 2 * pod + i, 16 + i);
    }
  }
  return graph;
}

TEST(AggregationTree, MeetsAboveThreeTiers) {
  const Graph graph = ThreeTiers();
  for (std::uint32_t turn = 0; turn < 3; ++turn) {
    const std::vector<NodeId> members = Nodes({0, 1, 2, 5, 6, 7});
    const AggregationTree tree = Lay(graph, members, turn);
    EXPECT_EQ(tree.switches.size(), 1U + 2U + 4U);
    ExpectSound(graph, members, tree);
    const std::vector<NodeId> one_pod = Nodes({0, 3});
    EXPECT_EQ(Lay(graph, one_pod, turn).switches.size(), 3U) << "the core is not needed";
  }
}

/// Every GPU has a port to each of two leaves, which have the same GPUs: all take the same one.
TEST(AggregationTree, GpusOfTwoPlanesMeetInOne) {
  Graph graph(4, 0, 2, 1, "X");
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
    Connect(&graph, gpu, 4);
    Connect(&graph, gpu, 5);
  }
  EXPECT_EQ(Lay(graph, Nodes({0, 1, 2, 3}), 0).switches, Nodes({4}));
  EXPECT_EQ(Lay(graph, Nodes({0, 1, 2, 3}), 1).switches, Nodes({5}));
}

TEST(AggregationTree, SaysWhyThereIsNone) {
  Graph apart(4, 0, 2, 1, "X");
  Connect(&apart, 0, 4);
  Connect(&apart, 1, 4);
  Connect(&apart, 2, 5);
  AggregationTree tree;
  EXPECT_EQ(LayTree(apart, FindTiers(apart), Nodes({0, 1, 2}), 0, nullptr, &tree),
            "no switch is above all of 3 GPUs, from GPU 0 to GPU 2");
  EXPECT_TRUE(tree.switches.empty());
  EXPECT_EQ(LayTree(apart, FindTiers(apart), Nodes({0, 3}), 0, nullptr, &tree),
            "GPU 3 is linked to no switch that adds");
}

}  // namespace
}  // namespace heddle
