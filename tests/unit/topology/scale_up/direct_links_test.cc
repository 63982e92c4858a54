// SPDX-License-Identifier: GPL-2.0-only
#include "topology/scale_up/direct_links.h"

#include <gtest/gtest.h>

#include <map>

#include "core/base/check.h"
#include "tests/support/dgx1.h"
#include "topology/routes/routes.h"
#include "topology/scale_up/direct_link_routing.h"

namespace heddle {
namespace {

using testing::CubeMeshServers;
using testing::kCubeMesh;

NodeId PeerOf(const Graph& graph, NodeId node, PortId port) {
  return graph.ports(node)[port.value].peer;
}

/// In a cube mesh a pair without a link has two GPUs that are linked to both: one in each quad.
TEST(DirectLinks, PathsOfACubeMeshHaveTwoLinksAtMost) {
  const Graph graph = CubeMeshServers(2);
  const DirectLinks direct(graph);
  ASSERT_TRUE(direct.pass_on());
  EXPECT_EQ(direct.servers(), 2U);
  for (std::uint32_t server : {0U, 8U}) {
    for (std::uint32_t a = 0; a < 8; ++a) {
      for (std::uint32_t b = 0; b < 8; ++b) {
        if (a == b) continue;
        bool linked = false;
        for (const auto& [c, d] : kCubeMesh) linked |= (a == c && b == d) || (a == d && b == c);
        const NodeId from(server + a), to(server + b);
        EXPECT_EQ(direct.Hops(from, to), linked ? 1U : 2U) << a << " " << b;
        const NodeId next = PeerOf(graph, from, direct.Next(from, to));
        EXPECT_EQ(next == to, linked) << a << " " << b;
        if (!linked) {
          EXPECT_EQ(PeerOf(graph, next, direct.Next(next, to)), to) << a << " " << b;
        }
      }
    }
  }
}

/// Six pairs of a quad's GPU with another quad's pass each way: no link has more than two of them.
TEST(DirectLinks, PairsShareOutThePaths) {
  const Graph graph = CubeMeshServers(1);
  const DirectLinks direct(graph);
  std::map<std::uint32_t, int> passed_on;
  for (std::uint32_t a = 0; a < 8; ++a) {
    for (std::uint32_t b = 0; b < 8; ++b) {
      if (a == b || direct.Hops(NodeId(a), NodeId(b)) == 1) continue;
      ++passed_on[PeerOf(graph, NodeId(a), direct.Next(NodeId(a), NodeId(b))).value];
    }
  }
  ASSERT_EQ(passed_on.size(), 8U) << "every GPU passes on";
  for (const auto& [gpu, pairs] : passed_on) EXPECT_EQ(pairs, 3) << gpu;
}

TEST(DirectLinks, NothingToPassOn) {
  Graph complete(3, 0, 0, 3, "X");
  for (std::uint32_t a = 0; a < 3; ++a) {
    for (std::uint32_t b = a + 1; b < 3; ++b)
      complete.AddLink({NodeId(a), NodeId(b), BitRate{1'000'000'000}, NanoSeconds(1)});
  }
  EXPECT_FALSE(DirectLinks(complete).pass_on()) << "every pair has a link";
  Graph apart(4, 0, 0, 4, "X");
  apart.AddLink({NodeId(0), NodeId(1), BitRate{1'000'000'000}, NanoSeconds(1)});
  apart.AddLink({NodeId(2), NodeId(3), BitRate{1'000'000'000}, NanoSeconds(1)});
  EXPECT_FALSE(DirectLinks(apart).pass_on()) << "two halves without a path";
  EXPECT_EQ(LetGpusPassOn({}, &apart), 0U);
  EXPECT_EQ(apart.scale_up(), nullptr);
}

TEST(DirectLinks, RoutesStayInTheServerOrLeaveByTheNic) {
  Graph graph = CubeMeshServers(2);
  ASSERT_EQ(LetGpusPassOn({}, &graph), 2U);
  EXPECT_EQ(graph.scale_up()->levels.front().buffer_flits, 0);
  const Routes routes(graph);
  EXPECT_EQ(routes.Hops(NodeId(2), NodeId(4)), 2U);
  EXPECT_EQ(routes.Hops(NodeId(2), NodeId(2)), 0U);
  EXPECT_EQ(routes.Hops(NodeId(2), NodeId(8)), 2U) << "both NICs are at leaf 0";
  EXPECT_EQ(routes.Hops(NodeId(2), NodeId(9)), 4U);
  std::vector<PortId> ports;
  routes.NextHops(NodeId(2), NodeId(9), &ports);
  ASSERT_EQ(ports.size(), 1U);
  EXPECT_EQ(PeerOf(graph, NodeId(2), ports[0]), NodeId(16)) << "never over GPUs to another server";
  for (std::uint32_t id = 0; id < graph.links().size(); ++id)
    EXPECT_EQ(graph.link(LinkId(id)).layer, id < 32 ? 1 : 0) << id;
}

TEST(DirectLinks, NvLinksCannotFailAndNicsCan) {
  Graph graph = CubeMeshServers(2);
  LetGpusPassOn({}, &graph);
  const Routes routes(graph);
  Routes::Change change;
  const Routes derived = routes.WithDown({LinkId(32)}, &change);
  EXPECT_EQ(derived.Hops(NodeId(0), NodeId(8)), Routes::kUnreachable);
  EXPECT_EQ(derived.Hops(NodeId(0), NodeId(7)), 2U);
  Routes::Change other;
  EXPECT_THROW(routes.WithDown({LinkId(0)}, &other), UserError);
}

}  // namespace
}  // namespace heddle
