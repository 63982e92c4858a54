// SPDX-License-Identifier: GPL-2.0-only
/// The tables against the routes that they were made from.
#include "transport/forwarding.h"

#include <gtest/gtest.h>

#include "topology/generator.h"

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
  const Template& t = Templates().at(static_cast<std::size_t>(GetParam()));
  TemplateOptions options = t.defaults;
  options.gpus = 64;
  options.nics_per_asw = 16;
  options.psw_switches = 4;
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

}  // namespace
}  // namespace heddle
