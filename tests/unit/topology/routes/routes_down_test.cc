// SPDX-License-Identifier: GPL-2.0-only
/// Derived routes compared with routes computed on a graph without the links that are down.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <set>

#include "tests/support/test_data.h"
#include "topology/routes/route_timeline.h"
#include "topology/routes/routes.h"
#include "topology/shapes/generator.h"

namespace heddle {
namespace {

Graph SmallTemplate(const LeafSpineTemplate& t) {
  LeafSpineOptions options = t.defaults;
  options.gpus = 32;
  options.nics_per_leaf = 2;
  options.spine_switches = 4;
  options.leaves_per_spine = 64;
  options.nvswitches_per_server = 2;
  return Generate(t.name, options);
}

Graph RandomGraph(std::mt19937* random) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>((*random)() % n); };
  Graph graph(2 + below(8), below(4), 1 + below(8), 2, "X");
  for (std::uint32_t links = below(40); links > 0; --links) {
    const std::uint32_t a = below(graph.node_count()), b = below(graph.node_count());
    if (a != b) Connect(&graph, a, b);
  }
  return graph;
}

/// A graph without some links, and its routes; next hops are given as links of the first graph.
struct Scratch {
  Scratch(const Graph& whole, const std::set<LinkId>& down)
      : graph(whole.gpu_count(), whole.nvswitch_count(), whole.switch_count(),
              whole.gpus_per_server(), "X") {
    for (std::uint32_t i = 0; i < whole.links().size(); ++i) {
      if (down.count(LinkId(i)) > 0) continue;
      graph.AddLink(whole.links()[i]);
      original.push_back(LinkId(i));
    }
    routes = std::make_unique<Routes>(graph);
  }
  Graph graph;
  std::vector<LinkId> original;
  std::unique_ptr<Routes> routes;
};

std::vector<LinkId> NextLinks(const Graph& graph, const Routes& routes, NodeId node, NodeId to) {
  std::vector<PortId> ports;
  routes.NextHops(node, to, &ports);
  std::vector<LinkId> links;
  for (const PortId port : ports) links.push_back(graph.ports(node)[port.value].link);
  return links;
}

void ExpectEqualsScratch(const Graph& graph, const Routes& routes, const std::set<LinkId>& down) {
  const Scratch scratch(graph, down);
  for (std::uint32_t to = 0; to < graph.gpu_count() + graph.nvswitch_count(); ++to) {
    for (std::uint32_t node = 0; node < graph.node_count(); ++node) {
      if (node == to) continue;
      auto expected = NextLinks(scratch.graph, *scratch.routes, NodeId(node), NodeId(to));
      for (LinkId& link : expected) link = scratch.original[link.value];
      ASSERT_EQ(NextLinks(graph, routes, NodeId(node), NodeId(to)), expected)
          << node << " to " << to << " with " << down.size() << " links down";
      if (!graph.is_gpu(NodeId(node))) continue;
      ASSERT_EQ(routes.Hops(NodeId(node), NodeId(to)),
                scratch.routes->Hops(NodeId(node), NodeId(to)));
    }
  }
}

/// By core node; kUnreachable for other nodes.
std::vector<std::uint32_t> DistancesOf(const Graph& graph, const Routes& routes,
                                       std::uint32_t cls) {
  std::vector<std::uint32_t> hops;
  for (std::uint32_t i = 0; i < graph.node_count(); ++i) {
    const bool is_core = routes.is_core(NodeId(i));
    hops.push_back(is_core ? routes.HopsToClass(NodeId(i), cls) : Routes::kUnreachable);
  }
  return hops;
}

bool Has(const std::vector<std::uint32_t>& classes, std::uint32_t cls) {
  return std::binary_search(classes.begin(), classes.end(), cls);
}

/// Expects classes that are not reported as changed to be unchanged; with one link changed,
/// distances are recomputed only if they differ. Returns the number of classes that kept their
/// distances.
int ExpectFewRecomputed(const Graph& graph, const Routes& before, const RouteEpoch& after,
                        bool one_link) {
  const Routes::Change& change = after.change;
  int kept = 0;
  for (std::uint32_t cls = 0; cls < before.class_count(); ++cls) {
    if (before.members(cls).empty() || after.routes->members(cls).empty()) continue;
    const bool same = DistancesOf(graph, before, cls) == DistancesOf(graph, *after.routes, cls);
    const bool searched = Has(change.recomputed, cls);
    EXPECT_TRUE(same || searched);
    if (one_link) {
      EXPECT_NE(same, searched) << "class " << cls;
    }
    kept += searched ? 0 : 1;
  }
  for (const std::uint32_t cls : change.recomputed) EXPECT_TRUE(Has(change.classes, cls));
  for (const std::uint32_t cls : change.regrouped) EXPECT_TRUE(Has(change.classes, cls));
  for (std::uint32_t to = 0; to < graph.gpu_count(); ++to) {
    const bool affected = after.Affects(NodeId(to));
    for (std::uint32_t node = 0; node < graph.node_count(); ++node) {
      if (node == to || affected) continue;
      if (graph.is_gpu(NodeId(node)) && after.Affects(NodeId(node))) continue;
      EXPECT_EQ(NextLinks(graph, before, NodeId(node), NodeId(to)),
                NextLinks(graph, *after.routes, NodeId(node), NodeId(to)));
    }
  }
  return kept;
}

/// Changes links at random, in some steps a whole node's, checks every step, and ends with all
/// links up. Returns the number of classes that kept their distances, over all steps.
int CheckRandomFailures(const Graph& graph, int steps, std::mt19937* random) {
  if (graph.links().empty()) return 0;
  const Routes original(graph);
  auto now = std::make_shared<const Routes>(original);
  std::set<LinkId> down;
  int kept = 0;
  const auto toggle = [&](LinkId link) {
    if (down.erase(link) == 0) down.insert(link);
  };
  for (int step = 0; step <= steps; ++step) {
    if (step == steps) {
      down.clear();
    } else if (step % 5 == 4) {
      const NodeId node(static_cast<std::uint32_t>((*random)() % graph.node_count()));
      for (const Attachment& port : graph.ports(node)) toggle(port.link);
    } else {
      const std::size_t links = step % 3 == 2 ? 1 + (*random)() % 6 : 1;
      for (std::size_t i = 0; i < links; ++i) {
        toggle(LinkId(static_cast<std::uint32_t>((*random)() % graph.links().size())));
      }
    }
    RouteEpoch epoch;
    epoch.routes =
        std::make_shared<const Routes>(now->WithDown({down.begin(), down.end()}, &epoch.change));
    ExpectEqualsScratch(graph, *epoch.routes, down);
    const std::size_t changed = down.size() > now->down().size() ? down.size() - now->down().size()
                                                                 : now->down().size() - down.size();
    const bool one_link = step < steps && step % 5 != 4 && step % 3 != 2 && changed == 1;
    kept += ExpectFewRecomputed(graph, *now, epoch, one_link);
    now = epoch.routes;
    if (::testing::Test::HasFailure()) return kept;
  }
  for (std::uint32_t gpu = 0; gpu < graph.gpu_count(); ++gpu) {
    EXPECT_EQ(now->class_of(NodeId(gpu)), original.class_of(NodeId(gpu)));
  }
  return kept;
}

class DerivedRoutes : public ::testing::TestWithParam<int> {};

TEST_P(DerivedRoutes, EqualRoutesFromScratch) {
  const LeafSpineTemplate& t = LeafSpineTemplates().at(static_cast<std::size_t>(GetParam()));
  std::mt19937 random(17);
  const Graph graph = SmallTemplate(t);
  EXPECT_GT(CheckRandomFailures(graph, 60, &random), 0) << t.name;
  EXPECT_GT(CheckRandomFailures(Doubled(graph), 30, &random), 0) << t.name;
}

INSTANTIATE_TEST_SUITE_P(All, DerivedRoutes, ::testing::Range(0, 5));

TEST(RoutesDown, EqualRoutesFromScratchOnRandomGraphs) {
  std::mt19937 random(5);
  for (int round = 0; round < 300 && !HasFailure(); ++round) {
    CheckRandomFailures(RandomGraph(&random), 12, &random);
  }
}

std::vector<LinkId> LinksBetween(const Graph& graph, std::uint32_t a, std::uint32_t b) {
  std::vector<LinkId> links;
  for (const Attachment& port : graph.ports(NodeId(a))) {
    if (port.peer == NodeId(b)) links.push_back(port.link);
  }
  return links;
}

TEST(RoutesDown, ALeafsUplinkIsOfItsOwnClassOnly) {
  const Graph graph = ReadCase("f_sx128_rail_cc1");  // leaves 144 to 151, spines 152 to 215
  const Routes routes(graph);
  Routes::Change change;
  const Routes down = routes.WithDown(LinksBetween(graph, 144, 152), &change);
  const std::uint32_t own = routes.class_of(graph.ports(NodeId(144)).front().peer);
  EXPECT_EQ(change.recomputed, std::vector<std::uint32_t>{own});
  EXPECT_EQ(change.classes.size(), 8u);  // leaf 144 has one spine less towards all other leaves
  EXPECT_TRUE(change.moved.empty());
  EXPECT_EQ(change.touched, (std::vector<NodeId>{NodeId(144), NodeId(152)}));
  std::vector<PortId> ports;
  down.NextHops(NodeId(144), NodeId(1), &ports);
  EXPECT_EQ(ports.size(), 63u);
  EXPECT_EQ(down.HopsToClass(NodeId(152), own), 4u);  // over another spine
}

TEST(RoutesDown, AGpuWithoutLinksIsUnreachable) {
  const Graph graph = ReadCase("f_sx128_rail_cc1");
  std::vector<LinkId> all;
  for (const Attachment& port : graph.ports(NodeId(5))) all.push_back(port.link);
  Routes::Change change;
  const Routes routes = Routes(graph).WithDown(all, &change);
  EXPECT_EQ(change.moved, std::vector<NodeId>{NodeId(5)});
  EXPECT_EQ(routes.members(routes.class_of(NodeId(5))).size(), 1u);
  std::vector<PortId> ports;
  for (std::uint32_t node = 0; node < graph.node_count(); ++node) {
    if (node == 5) continue;
    routes.NextHops(NodeId(node), NodeId(5), &ports);
    EXPECT_TRUE(ports.empty());
  }
  EXPECT_EQ(routes.Hops(NodeId(0), NodeId(5)), Routes::kUnreachable);
  EXPECT_EQ(routes.Hops(NodeId(5), NodeId(0)), Routes::kUnreachable);
}

/// Dual-ToR and dual-plane fabrics: every pair stays connected after the loss of any switch.
TEST(RoutesDown, DualTorsSurviveTheLossOfAnySwitch) {
  for (const char* name : {"AlibabaHPN-DualPlane", "AlibabaHPN-SinglePlane", "DCN-DualToR"}) {
    const Graph graph = SmallTemplate(FindTemplate(name));
    const Routes routes(graph);
    for (std::uint32_t node = graph.gpu_count() + graph.nvswitch_count(); node < graph.node_count();
         ++node) {
      std::vector<LinkId> links;
      for (const Attachment& port : graph.ports(NodeId(node))) links.push_back(port.link);
      Routes::Change change;
      const Routes down = routes.WithDown(links, &change);
      for (std::uint32_t a = 0; a < graph.gpu_count(); ++a) {
        for (std::uint32_t b = 0; b < graph.gpu_count(); ++b) {
          ASSERT_NE(down.Hops(NodeId(a), NodeId(b)), Routes::kUnreachable) << name << " " << node;
        }
      }
    }
  }
}

TEST(RoutesDown, LargestStudyPrintsTheTimeOfAFailure) {
  const Graph graph =
      Generate("AlibabaHPN-SinglePlane", FindTemplate("AlibabaHPN-SinglePlane").defaults);
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const Routes routes(graph);
  const auto built = Clock::now();
  Routes::Change change;
  const Link& last = graph.links().back();
  const Routes down = routes.WithDown(LinksBetween(graph, last.a.value, last.b.value), &change);
  const auto derived = Clock::now();
  EXPECT_LE(change.recomputed.size(), 1u);
  EXPECT_TRUE(change.moved.empty());
  const auto ms = [](Clock::duration d) {
    return std::chrono::duration<double, std::milli>(d).count();
  };
  std::printf("expected below 60 ms and 1 ms; built in %.1f ms, derived in %.2f ms (%zu classes)\n",
              ms(built - begin), ms(derived - built), change.recomputed.size());
}

}  // namespace
}  // namespace heddle
