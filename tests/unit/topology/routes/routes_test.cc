// SPDX-License-Identifier: GPL-2.0-only
#include "topology/routes/routes.h"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>

#include "tests/support/test_data.h"
#include "topology/shapes/generator.h"

namespace heddle {
namespace {

std::vector<std::uint32_t> Peers(const Graph& graph, const Routes& routes, std::uint32_t node,
                                 std::uint32_t to) {
  std::vector<PortId> ports;
  routes.NextHops(NodeId(node), NodeId(to), &ports);
  std::vector<std::uint32_t> peers;
  for (const PortId port : ports) {
    peers.push_back(graph.ports(NodeId(node))[port.value].peer.value);
  }
  return peers;
}

using Ids = std::vector<std::uint32_t>;

TEST(Routes, SameServerUsesOnlyTheNvSwitch) {
  const Graph graph = ReadCase("f_dcn64_mixed_cc1");  // leaf 72 is as near as NVSwitch 64
  const Routes routes(graph);
  EXPECT_EQ(Peers(graph, routes, 0, 1), Ids{64});
  EXPECT_EQ(Peers(graph, routes, 64, 1), Ids{1});
  EXPECT_EQ(Peers(graph, routes, 0, 8), Ids{72});
  EXPECT_EQ(Peers(graph, routes, 72, 8), Ids{8});
  EXPECT_EQ(routes.Hops(NodeId(0), NodeId(1)), 2u);
  EXPECT_EQ(routes.Hops(NodeId(0), NodeId(0)), 0u);
  EXPECT_EQ(routes.class_count(), 1u);
}

TEST(Routes, EqualCostSetsDescend) {
  const Graph graph = ReadCase("f_sx128_rail_cc1");
  const Routes routes(graph);
  Ids spines;
  for (std::uint32_t id = 215; id >= 152; --id) {
    spines.push_back(id);
  }
  EXPECT_EQ(Peers(graph, routes, 145, 8), spines);
  EXPECT_EQ(Peers(graph, routes, 215, 8), Ids{144});
  EXPECT_EQ(routes.Hops(NodeId(1), NodeId(8)), 4u);
  EXPECT_EQ(routes.class_count(), 8u);
}

/// A full mesh of routers with a GPU each: router i is node `routers` + i.
Graph FullMesh(std::uint32_t routers) {
  Graph graph(routers, 0, routers, 1, "X");
  const auto link = [&](std::uint32_t a, std::uint32_t b) {
    graph.AddLink({NodeId(a), NodeId(b), BitRate{1'000'000'000}, Time{1000}});
  };
  for (std::uint32_t i = 0; i < routers; ++i) link(i, routers + i);
  for (std::uint32_t i = 0; i < routers; ++i) {
    for (std::uint32_t j = i + 1; j < routers; ++j) link(routers + i, routers + j);
  }
  return graph;
}

// Two seconds are far above what this takes (tens of milliseconds, more with sanitizers), and far
// below one look at each of a million cables for each of 1500 classes.
TEST(Routes, FullMeshesOfThousandsTakeNoLookAtEveryCableForEveryClass) {
  constexpr std::uint32_t kRouters = 1500;
  const Graph graph = FullMesh(kRouters);
  const auto begin = std::chrono::steady_clock::now();
  const Routes routes(graph);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(spent.count(), 2);
  EXPECT_EQ(routes.class_count(), kRouters);
  EXPECT_EQ(routes.Hops(NodeId(0), NodeId(kRouters - 1)), 3u);
  EXPECT_EQ(routes.HopsToClass(NodeId(kRouters + 7), 7), 1u);
  EXPECT_EQ(routes.HopsToClass(NodeId(kRouters + 8), 7), 2u);
}

TEST(Routes, DualTorHostHasBothPlanes) {
  const Graph graph = ReadCase("f_hpndp64_rail_cc1");
  const Routes routes(graph);
  EXPECT_EQ(Peers(graph, routes, 0, 8), (Ids{80, 72}));
}

TEST(Routes, NvSwitchesAreDestinationsForTheirNeighbours) {
  const Graph graph = ReadCase("c1_sx32");
  const Routes routes(graph);
  EXPECT_EQ(Peers(graph, routes, 0, 32), Ids{32});
  EXPECT_TRUE(Peers(graph, routes, 8, 32).empty());
  EXPECT_TRUE(Peers(graph, routes, 36, 32).empty());
  EXPECT_TRUE(Peers(graph, routes, 32, 8).empty());  // another server's GPU
  EXPECT_EQ(routes.Hops(NodeId(0), NodeId(32)), 1u);
  EXPECT_EQ(routes.Hops(NodeId(32), NodeId(0)), 1u);
  EXPECT_EQ(routes.Hops(NodeId(8), NodeId(32)), Routes::kUnreachable);
  EXPECT_EQ(routes.Hops(NodeId(32), NodeId(8)), Routes::kUnreachable);
  EXPECT_EQ(routes.Hops(NodeId(32), NodeId(33)), Routes::kUnreachable);
}

TEST(Routes, GpusNeverTransit) {
  Graph graph(3, 0, 2, 1, "X");  // 0 - s3 - 1 - s4 - 2, and a cable 0 - 1
  Connect(&graph, 0, 3);
  Connect(&graph, 1, 3);
  Connect(&graph, 1, 4);
  Connect(&graph, 2, 4);
  Connect(&graph, 0, 1);
  const Routes routes(graph);
  EXPECT_EQ(routes.Hops(NodeId(0), NodeId(2)), Routes::kUnreachable);
  EXPECT_TRUE(Peers(graph, routes, 0, 2).empty());
  EXPECT_TRUE(Peers(graph, routes, 3, 2).empty());
  EXPECT_EQ(Peers(graph, routes, 0, 1), Ids{1});  // the cable, not the switch
  EXPECT_EQ(routes.Hops(NodeId(0), NodeId(1)), 1u);
}

TEST(Routes, ParallelCablesAscendByPort) {
  Graph graph(2, 0, 1, 1, "X");
  Connect(&graph, 0, 2);
  Connect(&graph, 0, 2);
  Connect(&graph, 1, 2);
  Connect(&graph, 1, 2);
  const Routes routes(graph);
  std::vector<PortId> ports;
  routes.NextHops(NodeId(0), NodeId(1), &ports);
  EXPECT_EQ(ports, (std::vector<PortId>{PortId(0), PortId(1)}));
  routes.NextHops(NodeId(2), NodeId(1), &ports);
  EXPECT_EQ(ports, (std::vector<PortId>{PortId(2), PortId(3)}));
}

/// Hops by a plain search from the destination over the whole graph, GPUs not forwarding.
std::vector<std::uint32_t> PlainDistances(const Graph& graph, NodeId destination) {
  std::vector<std::uint32_t> distance(graph.node_count(), Routes::kUnreachable);
  std::deque<NodeId> queue{destination};
  distance[destination.value] = 0;
  while (!queue.empty()) {
    const NodeId node = queue.front();
    queue.pop_front();
    for (const Attachment& port : graph.ports(node)) {
      if (distance[port.peer.value] == Routes::kUnreachable) {
        distance[port.peer.value] = distance[node.value] + 1;
        if (!graph.is_gpu(port.peer)) {
          queue.push_back(port.peer);
        }
      }
    }
  }
  return distance;
}

/// Compares every next-hop set with the rules, applied node by node.
void ExpectRules(const Graph& graph) {
  const Routes routes(graph);
  for (std::uint32_t to = 0; to < graph.gpu_count(); ++to) {
    const auto distance = PlainDistances(graph, NodeId(to));
    for (std::uint32_t node = 0; node < graph.node_count(); ++node) {
      if (node == to) {
        continue;
      }
      Ids expected, nvswitches;
      for (const Attachment& port : graph.ports(NodeId(node))) {
        const std::uint32_t peer = port.peer.value;
        const bool transits = peer == to || !graph.is_gpu(port.peer);
        if (transits && distance[node] != Routes::kUnreachable &&
            distance[peer] + 1 == distance[node]) {
          expected.push_back(peer);
          if (graph.kind(port.peer) == NodeKind::kNvSwitch) {
            nvswitches.push_back(peer);
          }
        }
      }
      if (!nvswitches.empty()) {
        expected = nvswitches;
      }
      std::sort(expected.rbegin(), expected.rend());
      ASSERT_EQ(Peers(graph, routes, node, to), expected) << node << " to " << to;
      if (graph.is_gpu(NodeId(node))) {
        ASSERT_EQ(routes.Hops(NodeId(node), NodeId(to)), distance[node]);
      }
    }
  }
}

TEST(Routes, EqualAPlainSearchOnEveryTemplate) {
  for (const LeafSpineTemplate& t : LeafSpineTemplates()) {
    LeafSpineOptions options = t.defaults;
    options.gpus = 32;
    options.nics_per_leaf = 2;
    options.spine_switches = 4;
    options.leaves_per_spine = 64;
    options.nvswitches_per_server = 2;
    ExpectRules(Generate(t.name, options));
  }
}

TEST(Routes, EqualAPlainSearchOnRandomGraphs) {
  std::uint32_t state = 1;
  const auto random = [&](std::uint32_t n) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
  };
  for (int round = 0; round < 200; ++round) {
    Graph graph(2 + random(6), random(4), random(5), 2, "X");
    for (std::uint32_t links = random(25); links > 0; --links) {
      const std::uint32_t a = random(graph.node_count());
      const std::uint32_t b = random(graph.node_count());
      if (a != b) {
        Connect(&graph, a, b);
      }
    }
    ExpectRules(graph);
  }
}

TEST(Routes, LargestStudyHasFewClasses) {
  const Graph graph =
      Generate("AlibabaHPN-SinglePlane", FindTemplate("AlibabaHPN-SinglePlane").defaults);
  const Routes routes(graph);
  EXPECT_EQ(routes.class_count(), 120u);
  EXPECT_EQ(routes.members(0).size(), 128u);
}

TEST(Routes, ToAClass) {
  const Graph graph = ReadCase("f_sx128_rail_cc1");
  const Routes routes(graph);
  std::vector<PortId> by_class, by_gpu;
  const std::uint32_t cls = routes.class_of(NodeId(8));
  routes.NextHopsToClass(NodeId(145), cls, &by_class);
  routes.NextHops(NodeId(145), NodeId(8), &by_gpu);
  EXPECT_EQ(by_class, by_gpu);
  routes.NextHopsToClass(NodeId(144), cls, &by_class);
  EXPECT_TRUE(by_class.empty());  // adjacent: differs by GPU
  EXPECT_EQ(routes.HopsToClass(NodeId(144), cls), 1u);
  EXPECT_EQ(routes.HopsToClass(NodeId(145), cls), 3u);
}

}  // namespace
}  // namespace heddle
