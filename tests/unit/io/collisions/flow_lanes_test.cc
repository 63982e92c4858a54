// SPDX-License-Identifier: GPL-2.0-only
/// Lanes of flows in a torus of 4 x 4: lanes 0 and 1 are rings of the first dimension; of the
/// second 2 and 3 are clockwise, 4 and 5 anticlockwise.
#include "io/collisions/flow_lanes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/scale_up_fabric.h"
#include "tests/unit/io/two_leaves.h"

namespace heddle {
namespace {

AttributeMap InPhases() {
  return AttributeMap({{"option phases.collectives", std::string("all")}});
}

Graph Torus() { return testing::ScaleUpFabric({testing::Loop(4, 2), testing::Loop(4, 2, 2)}); }

/// The NPUs along a flow's path, without its destination.
std::vector<std::uint32_t> NodesOf(std::uint32_t from, std::uint32_t to, std::uint16_t channel) {
  const Graph graph = Torus();
  const FlowLanes lanes(graph, InPhases());
  std::vector<std::uint32_t> nodes;
  for (const Hop& hop : lanes.Trace(NodeId(from), NodeId(to), channel))
    nodes.push_back(hop.node.value);
  return nodes;
}

using Nodes = std::vector<std::uint32_t>;

TEST(FlowLanes, AMessageStaysOnItsRing) {
  EXPECT_EQ(NodesOf(0, 3, 0), (Nodes{0, 1, 2})) << "clockwise, though 3 is next to 0";
  EXPECT_EQ(NodesOf(0, 4, 2), (Nodes{0}));
  EXPECT_EQ(NodesOf(0, 4, 4), (Nodes{0, 12, 8})) << "anticlockwise";
  EXPECT_EQ(NodesOf(5, 9, 3), (Nodes{5}));
}

// It has to cross both dimensions, or its lane is of another one, or there is no such lane.
TEST(FlowLanes, OtherMessagesGoByDimensionOrder) {
  EXPECT_EQ(NodesOf(0, 5, 0), (Nodes{0, 1}));
  EXPECT_EQ(NodesOf(0, 12, 0), (Nodes{0})) << "the shorter path, not three clockwise";
  EXPECT_EQ(NodesOf(0, 12, 99), (Nodes{0}));
}

TEST(FlowLanes, AreOfCollectivesInPhasesOnAFabricOfDimensions) {
  const Graph torus = Torus(), leaves = TwoLeaves();
  EXPECT_TRUE(HasDimensions(torus));
  EXPECT_FALSE(HasDimensions(leaves));
  EXPECT_TRUE(FlowLanes(torus, InPhases()).any());
  EXPECT_FALSE(FlowLanes(torus, AttributeMap({})).any());
  EXPECT_FALSE(
      FlowLanes(torus, AttributeMap({{"option phases.collectives", std::string("off")}})).any());
  EXPECT_FALSE(FlowLanes(leaves, InPhases()).any());
}

TEST(FlowLanes, AreNotKnownOfOneAlgorithmOverAllDimensions) {
  const auto why = [](const std::string& word, const std::string& phases) {
    return WhyNoLanes(
        AttributeMap({{"option phases.collectives", phases}, {"option phases.all_gather", word}}));
  };
  EXPECT_EQ(why("one-ring", "all"),
            "the result does not say which lanes messages of phases.all_gather=one-ring took");
  EXPECT_EQ(why("ring,direct", "all"), "");
  EXPECT_EQ(why("one-ring", "off"), "") << "nothing is in phases";
  EXPECT_EQ(WhyNoLanes(AttributeMap({})), "");
}

}  // namespace
}  // namespace heddle
