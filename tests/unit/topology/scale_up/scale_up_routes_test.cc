// SPDX-License-Identifier: GPL-2.0-only
#include "topology/scale_up/scale_up_routes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/check.h"
#include "tests/support/scale_up_fabric.h"

namespace heddle {
namespace {

using testing::Loop;
using testing::Mesh;
using testing::ScaleUpFabric;
using testing::Switched;

NodeId PeerOf(const Graph& graph, const ScaleUpRoutes& routes, std::uint32_t at, std::uint32_t to,
              std::uint16_t lane) {
  return graph.ports(NodeId(at))[routes.Next(NodeId(at), NodeId(to), lane).value].peer;
}

/// Least links between coordinates of a line.
std::uint32_t Distance(const NetworkDimension& d, std::uint32_t from, std::uint32_t to) {
  if (from == to) return 0;
  if (d.kind == Dimension::Kind::kSwitch) return 2;
  if (d.kind == Dimension::Kind::kFullyConnected) return 1;
  const std::uint32_t up = (to + d.size - from) % d.size;
  if (d.anticlockwise == 0) return up;
  if (d.clockwise == 0) return d.size - up;
  return std::min(up, d.size - up);
}

TEST(ScaleUpRoutes, EveryPairIsJoinedByTheShortestWayInEachDimension) {
  const std::vector<std::vector<NetworkDimension>> fabrics = {
      {Loop(5, 1, 1)},
      {Loop(2, 2, 2)},
      {Loop(4, 2), Loop(4, 1, 1), Loop(2, 2, 2)},
      {Loop(3, 0, 1), Loop(6, 2, 1)},
      {Mesh(5, 2), Loop(3, 1)},
      {Switched(4, 3), Switched(3)},
      {Loop(1, 2), Loop(8, 2, 2), Loop(1, 0)},
      {Loop(2, 1), Switched(8, 7)}};
  for (const std::vector<NetworkDimension>& fabric : fabrics) {
    const Graph graph = ScaleUpFabric(fabric);
    const ScaleUpRoutes routes(graph);
    for (std::uint32_t a = 0; a < graph.gpu_count(); ++a) {
      for (std::uint32_t b = 0; b < graph.gpu_count(); ++b) {
        if (a == b) continue;
        std::uint32_t expected = 0, stride = 1;
        for (const NetworkDimension& d : fabric) {
          expected += Distance(d, a / stride % d.size, b / stride % d.size);
          stride *= d.size;
        }
        EXPECT_EQ(routes.Hops(NodeId(a), NodeId(b)), expected) << a << " to " << b;
      }
    }
  }
}

TEST(ScaleUpRoutes, ALaneIsARingInItsDirection) {
  const Graph graph = ScaleUpFabric({Loop(4, 2), Loop(4, 2, 2)});
  const ScaleUpRoutes routes(graph);
  // Lanes: 0 and 1 of the first dimension; 2 and 3 clockwise, 4 and 5 anticlockwise of the second.
  EXPECT_EQ(PeerOf(graph, routes, 0, 3, 0), NodeId(1));
  EXPECT_EQ(routes.Hops(NodeId(0), NodeId(3), 1), 3u);
  EXPECT_EQ(PeerOf(graph, routes, 0, 4, 2), NodeId(4));
  EXPECT_EQ(PeerOf(graph, routes, 0, 4, 4), NodeId(12));
  EXPECT_EQ(routes.Hops(NodeId(0), NodeId(4), 5), 3u);
}

TEST(ScaleUpRoutes, EveryLaneOfANodeHasAnExitOfItsOwn) {
  const Graph graph = ScaleUpFabric({Loop(2, 2), Loop(2, 2, 2), Loop(3, 1, 1)});
  const ScaleUpRoutes routes(graph);
  const std::uint32_t lanes = 2 + 4 + 2;
  for (std::uint32_t npu = 0; npu < graph.gpu_count(); ++npu) {
    std::vector<std::uint32_t> exits;
    for (std::uint16_t lane = 0; lane < lanes; ++lane) {
      const std::uint32_t stride = lane < 2 ? 1 : lane < 6 ? 2 : 4;
      const std::uint32_t size = lane < 6 ? 2 : 3;
      const std::uint32_t at = npu / stride % size;
      const std::uint32_t next = npu - at * stride + (at + 1) % size * stride;
      exits.push_back(routes.Next(NodeId(npu), NodeId(next), lane).value);
    }
    std::sort(exits.begin(), exits.end());
    EXPECT_EQ(std::unique(exits.begin(), exits.end()), exits.end()) << npu;
    EXPECT_LT(exits.back(), graph.ports(NodeId(npu)).size());
  }
}

TEST(ScaleUpRoutes, LanesOfMeshesAndSwitchesAreLinksAndSwitches) {
  const Graph mesh = ScaleUpFabric({Mesh(3, 2)});
  const ScaleUpRoutes over(mesh);
  EXPECT_NE(over.Next(NodeId(0), NodeId(2), 0), over.Next(NodeId(0), NodeId(2), 1));
  EXPECT_EQ(PeerOf(mesh, over, 0, 2, 1), NodeId(2));
  const Graph switched = ScaleUpFabric({Switched(4, 2)});
  const ScaleUpRoutes through(switched);
  EXPECT_EQ(PeerOf(switched, through, 1, 3, 0), NodeId(4));
  EXPECT_EQ(PeerOf(switched, through, 1, 3, 1), NodeId(5));
}

TEST(ScaleUpRoutes, AGraphWithoutDimensionsIsRefused) {
  const Graph graph(2, 0, 0, 1, "X");
  EXPECT_THROW(ScaleUpRoutes{graph}, UserError);
}

}  // namespace
}  // namespace heddle
