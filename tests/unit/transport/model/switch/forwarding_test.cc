// SPDX-License-Identifier: GPL-2.0-only
/// Forwarding tables compared with the routes that they were made from.
#include "transport/model/switch/forwarding.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/test_routing.h"
#include "topology/shapes/generator.h"

namespace heddle {
namespace {

/// Compares every switch and NVSwitch with Routes for all GPUs; returns how many pairs have several
/// next hops.
int CompareWithRoutes(const Graph& graph) {
  constexpr std::uint32_t kFirstPort = 1234;
  const Routes routes(graph);
  const std::vector<HostPlace> places = PlaceHosts(graph, routes);
  int several = 0, found = 0;
  std::vector<PortId> expected;
  for (std::uint32_t node = graph.gpu_count(); node < graph.node_count(); ++node) {
    const ForwardingTable table(graph, routes, places, NodeId(node), kFirstPort);
    for (std::uint32_t gpu = 0; gpu < graph.gpu_count(); ++gpu) {
      routes.NextHops(NodeId(node), NodeId(gpu), &expected);
      const auto hops = table.Find(NodeId(gpu), places);
      EXPECT_EQ(hops.count, expected.size()) << node << " to " << gpu;
      if (hops.count != expected.size()) return 0;
      for (std::uint32_t i = 0; i < hops.count; ++i) {
        EXPECT_EQ(hops.ports[i], kFirstPort + expected[i].value) << node << " to " << gpu;
      }
      found += hops.count > 0 ? 1 : 0;
      several += hops.count > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(found, 0);
  return several;
}

Graph Doubled(const Graph& graph) {
  Graph doubled(graph.gpu_count(), graph.nvswitch_count(), graph.switch_count(),
                graph.gpus_per_server(), "X");
  for (const Link& link : graph.links()) doubled.AddLink(link);
  for (const Link& link : graph.links()) doubled.AddLink(link);
  return doubled;
}

class ForwardingTemplates : public ::testing::TestWithParam<int> {};

TEST_P(ForwardingTemplates, EqualsRoutesAlsoWithParallelLinks) {
  const LeafSpineTemplate& t = LeafSpineTemplates().at(static_cast<std::size_t>(GetParam()));
  LeafSpineOptions options = t.defaults;
  options.gpus = 64;
  options.nics_per_leaf = 16;
  options.spine_switches = 4;
  const Graph graph = Generate(t.name, options);
  EXPECT_GT(CompareWithRoutes(graph), 0) << t.name;  // spines give a choice
  const Graph doubled = Doubled(graph);
  const int all = static_cast<int>(doubled.switch_count() * doubled.gpu_count());
  EXPECT_GE(CompareWithRoutes(doubled), all) << t.name;
}

INSTANTIATE_TEST_SUITE_P(All, ForwardingTemplates, ::testing::Range(0, 5));

TEST(Forwarding, NvSwitchesThatAreLinkedToEachOther) {
  Graph graph(6, 3, 1, 2, "X");  // GPUs 0-5, NVSwitches 6-8, switch 9
  const auto link = [&](std::uint32_t a, std::uint32_t b) {
    graph.AddLink({NodeId(a), NodeId(b), BitRate{100'000'000'000}, NanoSeconds(100), 0});
  };
  for (std::uint32_t gpu = 0; gpu < 6; ++gpu) link(gpu, 6 + gpu / 2);
  link(6, 7);
  link(7, 9);
  link(8, 9);
  link(5, 9);
  CompareWithRoutes(graph);
}

/// Compares a table with the routes, for all GPUs.
void ExpectRoutes(const Graph& graph, const Routes& routes, const std::vector<HostPlace>& places,
                  NodeId node, const ForwardingTable& table, std::uint32_t first_port) {
  std::vector<PortId> expected;
  for (std::uint32_t gpu = 0; gpu < graph.gpu_count(); ++gpu) {
    routes.NextHops(node, NodeId(gpu), &expected);
    const auto hops = table.Find(NodeId(gpu), places);
    ASSERT_EQ(hops.count, expected.size()) << node.value << " to " << gpu;
    for (std::uint32_t i = 0; i < hops.count; ++i) {
      ASSERT_EQ(hops.ports[i], first_port + expected[i].value) << node.value << " to " << gpu;
    }
  }
}

/// Random links and nodes go down and come back; at the end all are up.
RouteTimeline RandomFailures(const Graph& graph, int count, std::mt19937* random) {
  using What = FailureEvent::What;
  std::vector<FailureEvent> events;
  std::int64_t us = 0;
  const auto add = [&](What what, NodeId a, NodeId b) {
    events.push_back({MicroSeconds(us), what, a, b, FailureEvent::kAllCables, {}, {}});
  };
  for (; us < count; ++us) {
    for (std::size_t i = 1 + (*random)() % 3; i > 0; --i) {
      const Link& link = graph.links()[(*random)() % graph.links().size()];
      const bool down = (*random)() % 3 != 0;
      add(down ? What::kLinkDown : What::kLinkUp, link.a, link.b);
    }
    const NodeId node(static_cast<std::uint32_t>((*random)() % graph.node_count()));
    if (us % 4 == 0) add(us % 8 == 0 ? What::kNodeDown : What::kNodeUp, node, {});
  }
  for (const Link& link : graph.links()) add(What::kLinkUp, link.a, link.b);
  for (std::uint32_t i = 0; i < graph.node_count(); ++i) add(What::kNodeUp, NodeId(i), {});
  return RouteTimeline(std::make_shared<const Routes>(graph), ExpandFailures(graph, events));
}

/// Updates every table epoch by epoch and compares it, and new tables, with the routes.
void CheckUpdates(const Graph& graph, int count, std::mt19937* random) {
  constexpr std::uint32_t kFirstPort = 77;
  const RouteTimeline timeline = RandomFailures(graph, count, random);
  const auto& epochs = timeline.epochs();
  ASSERT_GT(epochs.size(), static_cast<std::size_t>(count) / 2);
  const std::vector<SharedPlaces> places = PlaceHostsByEpoch(graph, timeline);
  ASSERT_EQ(places.size(), epochs.size());
  for (std::uint32_t node = graph.gpu_count(); node < graph.node_count(); ++node) {
    ForwardingTable table(graph, *epochs[0].routes, *places[0], NodeId(node), kFirstPort);
    const std::size_t memory = table.memory();
    for (std::size_t i = 1; i < epochs.size(); ++i) {
      const Routes& routes = *epochs[i].routes;
      table.Update(graph, epochs[i], *places[i], NodeId(node), kFirstPort);
      ExpectRoutes(graph, routes, *places[i], NodeId(node), table, kFirstPort);
      const ForwardingTable fresh(graph, routes, *places[i], NodeId(node), kFirstPort);
      ExpectRoutes(graph, routes, *places[i], NodeId(node), fresh, kFirstPort);
      EXPECT_LE(table.memory(), 8 * (memory + 4096));
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST_P(ForwardingTemplates, UpdatesEqualNewTables) {
  const LeafSpineTemplate& t = LeafSpineTemplates().at(static_cast<std::size_t>(GetParam()));
  LeafSpineOptions options = t.defaults;
  options.gpus = 32;
  options.nics_per_leaf = 2;
  options.spine_switches = 4;
  options.leaves_per_spine = 64;
  const Graph graph = Generate(t.name, options);
  std::mt19937 random(3);
  CheckUpdates(graph, 60, &random);
  CheckUpdates(Doubled(graph), 20, &random);
}

TEST(Forwarding, EpochsWithoutMovesShareTheirPlaces) {
  Graph graph(2, 0, 4, 1, "X");  // GPU 0 - 2 - (4, 5) - 3 - GPU 1
  const auto link = [&](std::uint32_t a, std::uint32_t b) {
    graph.AddLink({NodeId(a), NodeId(b), BitRate{100'000'000'000}, NanoSeconds(100), 0});
  };
  link(0, 2);
  link(1, 3);
  for (std::uint32_t spine : {4, 5}) {
    link(2, spine);
    link(3, spine);
  }
  const auto down = [](std::int64_t us, std::uint32_t a, std::uint32_t b) {
    return FailureEvent{MicroSeconds(us),
                        FailureEvent::What::kLinkDown,
                        NodeId(a),
                        NodeId(b),
                        FailureEvent::kAllCables,
                        {},
                        {}};
  };
  const RouteTimeline timeline(std::make_shared<const Routes>(graph),
                               ExpandFailures(graph, {down(1, 2, 4), down(2, 0, 2)}));
  const auto places = PlaceHostsByEpoch(graph, timeline);
  ASSERT_EQ(places.size(), 3U);
  EXPECT_EQ(places[0], places[1]);
  EXPECT_NE(places[1], places[2]);
  ForwardingTable table(graph, *timeline.epochs()[0].routes, *places[0], NodeId(2), 0);
  EXPECT_EQ(table.Find(NodeId(1), *places[0]).count, 2U);
  table.Update(graph, timeline.epochs()[1], *places[1], NodeId(2), 0);
  EXPECT_EQ(table.Find(NodeId(1), *places[1]).count, 1U);
  EXPECT_EQ(table.Find(NodeId(0), *places[1]).count, 1U);
  table.Update(graph, timeline.epochs()[2], *places[2], NodeId(2), 0);
  EXPECT_EQ(table.Find(NodeId(0), *places[2]).count, 0U);
}

TEST(Forwarding, NoRouteIsAnEmptySet) {
  Graph graph(3, 0, 2, 1, "X");
  graph.AddLink({NodeId(0), NodeId(3), BitRate{1'000'000'000}, NanoSeconds(1), 0});
  graph.AddLink({NodeId(1), NodeId(3), BitRate{1'000'000'000}, NanoSeconds(1), 0});
  graph.AddLink({NodeId(2), NodeId(4), BitRate{1'000'000'000}, NanoSeconds(1), 0});
  const Routes routes(graph);
  const auto places = PlaceHosts(graph, routes);
  const ForwardingTable table(graph, routes, places, NodeId(3), 0);
  EXPECT_EQ(table.Find(NodeId(2), places).count, 0U);
  EXPECT_EQ(table.Find(NodeId(1), places).count, 1U);
}

/// Tables of policies other than equal cost are made in the same way.
TEST(Forwarding, GpusThatTransitHaveTables) {
  const Graph ring = testing::Ring(4, std::make_shared<const testing::Transit>());
  const RouteTimeline timeline(std::make_shared<const Routes>(ring),
                               {{MicroSeconds(1), LinkId(0), LinkEvent::Kind::kDown, {}}});
  const auto places = PlaceHostsByEpoch(ring, timeline);
  for (std::uint32_t node = 0; node < 4; ++node) {
    ForwardingTable table(ring, *timeline.epochs()[0].routes, *places[0], NodeId(node), 7);
    for (std::size_t epoch = 0; epoch < 2; ++epoch) {
      const Routes& routes = *timeline.epochs()[epoch].routes;
      if (epoch == 1) table.Update(ring, timeline.epochs()[1], *places[1], NodeId(node), 7);
      std::vector<PortId> expected;
      for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
        if (gpu == node) continue;
        routes.NextHops(NodeId(node), NodeId(gpu), &expected);
        // Both directions to the GPU opposite; one of them after the failure.
        ASSERT_EQ(expected.size(), epoch == 0 && (node + 2) % 4 == gpu ? 2U : 1U);
        const auto hops = table.Find(NodeId(gpu), *places[epoch]);
        ASSERT_EQ(hops.count, expected.size()) << node << " to " << gpu << " in " << epoch;
        for (std::uint32_t i = 0; i < hops.count; ++i) {
          EXPECT_EQ(hops.ports[i], 7 + expected[i].value) << node << " to " << gpu;
        }
      }
    }
  }
}

TEST(Forwarding, OnePortASwitchAndGpu) {
  LeafSpineOptions options = FindTemplate("DCN-SingleToR").defaults;
  options.gpus = 32;
  options.nics_per_leaf = 8;
  options.spine_switches = 4;
  Graph graph = Generate("DCN-SingleToR", options);
  const std::uint32_t leaves = graph.gpu_count() + graph.nvswitch_count(), spines = leaves + 4;
  EXPECT_GT(CompareWithRoutes(graph), 0);
  // Up to spine gpu % 4, as d-mod-k does.
  graph.SetRouting(std::make_shared<const testing::OneNextNode>([=](NodeId node, NodeId gpu) {
    const NodeId leaf(leaves + gpu.value / 8);
    if (node == leaf) return gpu;
    if (node.value >= spines) return leaf;
    if (node.value >= leaves) return NodeId(spines + gpu.value % 4);
    return NodeId(leaves + node.value / 8);
  }));
  const Routes routes(graph);
  const std::vector<HostPlace> places = PlaceHosts(graph, routes);
  for (std::uint32_t leaf = leaves; leaf < spines; ++leaf) {
    const ForwardingTable table(graph, routes, places, NodeId(leaf), 100);
    for (std::uint32_t gpu = 0; gpu < 32; ++gpu) {
      const auto hops = table.Find(NodeId(gpu), places);
      ASSERT_EQ(hops.count, 1U);
      const NodeId next = graph.ports(NodeId(leaf))[*hops.ports - 100].peer;
      EXPECT_EQ(next, leaf == leaves + gpu / 8 ? NodeId(gpu) : NodeId(spines + gpu % 4));
    }
  }
}

}  // namespace
}  // namespace heddle
