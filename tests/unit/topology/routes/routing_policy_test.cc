// SPDX-License-Identifier: GPL-2.0-only
/// The graph's routing policy determines Routes, the tracer and the path metrics.
#include "topology/routes/routing_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/base/check.h"
#include "tests/support/test_routing.h"
#include "topology/paths/path_metrics.h"
#include "topology/paths/path_tracer.h"
#include "topology/routes/route_timeline.h"
#include "topology/routes/routes.h"
#include "topology/shapes/generator.h"

namespace heddle {
namespace {

using testing::OneNextNode;
using testing::Ring;
using testing::Transit;

constexpr Bytes kRoutingPolicyPayload{1000};

TEST(RoutingPolicy, GraphsWithoutOneHaveEqualCost) {
  const Graph graph = Generate("DCN-SingleToR", {});
  EXPECT_EQ(graph.routing(), nullptr);
  EXPECT_FALSE(RoutingOf(graph).gpus_transit());
  EXPECT_EQ(Routes(Ring(4, nullptr)).Hops(NodeId(0), NodeId(1)), 1u);
  EXPECT_EQ(Routes(Ring(4, nullptr)).Hops(NodeId(0), NodeId(2)), Routes::kUnreachable);
}

TEST(RoutingPolicy, StaysWithACopyOfTheGraph) {
  const Graph copy = Ring(4, std::make_shared<const Transit>());
  const Graph other(copy);
  EXPECT_TRUE(RoutingOf(other).gpus_transit());
}

TEST(RoutingPolicy, TransitLeadsThroughGpus) {
  const Graph ring = Ring(4, std::make_shared<const Transit>());
  const Routes routes(ring);
  std::vector<PortId> ports;
  routes.NextHops(NodeId(0), NodeId(2), &ports);
  EXPECT_EQ(ports, (std::vector<PortId>{PortId(1), PortId(0)}));  // to GPU 3, then GPU 1
  routes.NextHops(NodeId(0), NodeId(1), &ports);
  EXPECT_EQ(ports, std::vector<PortId>{PortId(0)});
  for (std::uint32_t a = 0; a < 4; ++a) {
    for (std::uint32_t b = 0; b < 4; ++b) {
      const std::uint32_t apart = (a + 4 - b) % 4;
      EXPECT_EQ(routes.Hops(NodeId(a), NodeId(b)), std::min(apart, 4 - apart)) << a << " " << b;
    }
  }
  // Source ports are spread over both directions.
  std::map<std::uint32_t, int> over;
  for (std::uint16_t port = 10'000; port < 10'064; ++port) {
    const auto nodes = NodesEntered(ring, TracePath(ring, routes, NodeId(0), NodeId(2), port, 100));
    ASSERT_EQ(nodes.size(), 2u);
    EXPECT_EQ(nodes[1], NodeId(2));
    ++over[nodes[0].value];
  }
  EXPECT_GT(over[1], 0);
  EXPECT_GT(over[3], 0);
  EXPECT_EQ(over[1] + over[3], 64);
}

TEST(RoutingPolicy, TransitCrossesNvSwitchesToo) {
  Graph graph(3, 1, 0, 1, "X");  // GPUs 0 and 1 at NVSwitch 3, a cable from 1 to 2
  const auto link = [&](std::uint32_t a, std::uint32_t b) {
    graph.AddLink({NodeId(a), NodeId(b), BitRate{100'000'000'000}, MicroSeconds(1)});
  };
  link(0, 3);
  link(1, 3);
  link(1, 2);
  EXPECT_EQ(Routes(graph).Hops(NodeId(0), NodeId(2)), Routes::kUnreachable);
  EXPECT_FALSE(PathMetrics(graph, kRoutingPolicyPayload).Pair(NodeId(0), NodeId(2)).reachable());
  graph.SetRouting(std::make_shared<const Transit>());
  EXPECT_EQ(Routes(graph).Hops(NodeId(0), NodeId(2)), 3u);
  EXPECT_EQ(PathMetrics(graph, kRoutingPolicyPayload).Pair(NodeId(0), NodeId(2)).delay,
            MicroSeconds(3));
}

TEST(RoutingPolicy, PathMetricsFollowTransit) {
  const Graph ring = Ring(5, std::make_shared<const Transit>());
  const PathMetrics metrics(ring, kRoutingPolicyPayload);
  EXPECT_EQ(metrics.Pair(NodeId(0), NodeId(1)).delay, MicroSeconds(1));
  EXPECT_EQ(metrics.Pair(NodeId(0), NodeId(3)).delay, MicroSeconds(2));
  EXPECT_EQ(metrics.max_rtt(), metrics.Pair(NodeId(0), NodeId(3)).rtt());
  const Graph pair = Ring(3, std::make_shared<const Transit>());
  const PathMetrics near(pair, kRoutingPolicyPayload);
  EXPECT_EQ(near.max_rtt(), near.Pair(NodeId(0), NodeId(1)).rtt());
}

TEST(RoutingPolicy, TransitGoesTheOtherWayRoundAfterAFailure) {
  const Graph ring = Ring(5, std::make_shared<const Transit>());
  const RouteTimeline timeline(std::make_shared<const Routes>(ring),
                               {{MicroSeconds(1), LinkId(0), LinkEvent::Kind::kDown, {}},
                                {MicroSeconds(2), LinkId(0), LinkEvent::Kind::kUp, {}}});
  ASSERT_EQ(timeline.epochs().size(), 3u);
  const Routes& row = *timeline.epochs()[1].routes;  // 1 2 3 4 0
  for (std::uint32_t a = 0; a < 5; ++a) {
    for (std::uint32_t b = 0; b < 5; ++b) {
      const std::uint32_t at_a = (a + 4) % 5, at_b = (b + 4) % 5;
      EXPECT_EQ(row.Hops(NodeId(a), NodeId(b)), std::max(at_a, at_b) - std::min(at_a, at_b));
      EXPECT_EQ(timeline.epochs()[2].routes->Hops(NodeId(a), NodeId(b)),
                timeline.epochs()[0].routes->Hops(NodeId(a), NodeId(b)));
    }
  }
}

TEST(RoutingPolicy, OnePortANodeNeedNotBeAShortestWay) {
  Graph graph(2, 0, 3, 1, "X");  // GPU 0 at switch 2, GPU 1 at 3, which are linked; 4 is between
  const auto link = [&](std::uint32_t a, std::uint32_t b) {
    graph.AddLink({NodeId(a), NodeId(b), BitRate{100'000'000'000}, MicroSeconds(1)});
  };
  link(0, 2);
  link(1, 3);
  link(2, 3);
  link(2, 4);
  link(3, 4);
  EXPECT_EQ(Routes(graph).Hops(NodeId(0), NodeId(1)), 3u);
  graph.SetRouting(std::make_shared<const OneNextNode>([](NodeId node, NodeId gpu) {
    const NodeId first(gpu.value == 1 ? 2 : 3), last(gpu.value == 1 ? 3 : 2);
    return node == first ? NodeId(4) : node == NodeId(4) ? last : node == last ? gpu : first;
  }));
  const Routes routes(graph);
  EXPECT_EQ(routes.Hops(NodeId(0), NodeId(1)), 4u);
  EXPECT_EQ(NodesEntered(graph, TracePath(graph, routes, NodeId(1), NodeId(0), 10'000, 100)),
            (std::vector<NodeId>{NodeId(3), NodeId(4), NodeId(2), NodeId(0)}));
  Routes::Change change;
  const Routes cut = routes.WithDown({LinkId(3)}, &change);
  EXPECT_EQ(cut.Hops(NodeId(0), NodeId(1)), Routes::kUnreachable);
  EXPECT_THROW(TracePath(graph, cut, NodeId(0), NodeId(1), 10'000, 100), UserError);
}

}  // namespace
}  // namespace heddle
