// SPDX-License-Identifier: GPL-2.0-only
#include "topology/scale_up/nvswitch_planes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "topology/scale_up/scale_up_policy.h"

namespace heddle {
namespace {

constexpr BitRate kNvLink{400'000'000'000};
constexpr BitRate kNic{100'000'000'000};

/// Servers of four GPUs on `planes` NVSwitches, under one switch.
Graph Servers(std::uint32_t servers, std::uint32_t planes) {
  Graph graph(4 * servers, planes * servers, 1, 4, "GB200");
  for (std::uint32_t gpu = 0; gpu < 4 * servers; ++gpu) {
    for (std::uint32_t plane = 0; plane < planes; ++plane) {
      graph.AddLink(
          {NodeId(gpu), NodeId(4 * servers + gpu / 4 * planes + plane), kNvLink, NanoSeconds(25)});
    }
    graph.AddLink({NodeId(gpu), NodeId((4 + planes) * servers), kNic, NanoSeconds(500)});
  }
  return graph;
}

/// Rates of links by their ends.
std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> RatesOf(const Graph& graph) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> rates;
  for (const Link& link : graph.links()) rates[{link.a.value, link.b.value}] += link.rate.bps;
  return rates;
}

TEST(NvSwitchPlanes, TheFirstOfAServerHasTheRateOfAll) {
  const JoinedPlanes joined = JoinNvSwitches(Servers(2, 3));
  ASSERT_NE(joined.graph, nullptr);
  EXPECT_EQ(joined.servers, 2);
  EXPECT_EQ(joined.most, 3);
  const Graph& graph = *joined.graph;
  EXPECT_EQ(graph.node_count(), 8 + 6 + 1);
  EXPECT_EQ(graph.gpu_type(), "GB200");
  EXPECT_EQ(graph.links().size(), 16);
  const auto rates = RatesOf(graph);
  EXPECT_EQ(rates.at({0, 8}), 3 * kNvLink.bps);
  EXPECT_EQ(rates.at({7, 11}), 3 * kNvLink.bps);
  EXPECT_EQ(rates.at({5, 14}), kNic.bps);
  EXPECT_TRUE(graph.ports(NodeId(9)).empty());
  EXPECT_EQ(graph.link(LinkId(0)).delay, NanoSeconds(25));
}

TEST(NvSwitchPlanes, OneNvSwitchStays) { EXPECT_EQ(JoinNvSwitches(Servers(2, 1)).graph, nullptr); }

TEST(NvSwitchPlanes, PlanesThatAreNotAlikeStayApart) {
  Graph graph = Servers(1, 2);
  graph.AddLink({NodeId(0), NodeId(4), kNvLink, NanoSeconds(25)});  // a second cable to one of them
  EXPECT_EQ(JoinNvSwitches(graph).graph, nullptr);

  Graph stacked(2, 3, 0, 2, "GB200");  // two NVSwitches under a third
  for (std::uint32_t gpu : {0U, 1U}) {
    for (std::uint32_t plane : {2U, 3U})
      stacked.AddLink({NodeId(gpu), NodeId(plane), kNvLink, NanoSeconds(25)});
  }
  stacked.AddLink({NodeId(2), NodeId(4), kNvLink, NanoSeconds(25)});
  stacked.AddLink({NodeId(3), NodeId(4), kNvLink, NanoSeconds(25)});
  EXPECT_EQ(JoinNvSwitches(stacked).graph, nullptr);
}

TEST(NvSwitchPlanes, ParallelCablesBecomeOne) {
  Graph graph(2, 2, 0, 2, "GB200");
  for (int cable = 0; cable < 2; ++cable) {
    for (std::uint32_t gpu : {0U, 1U}) {
      for (std::uint32_t plane : {2U, 3U})
        graph.AddLink({NodeId(gpu), NodeId(plane), kNvLink, NanoSeconds(25)});
    }
  }
  const JoinedPlanes joined = JoinNvSwitches(graph);
  ASSERT_NE(joined.graph, nullptr);
  EXPECT_EQ(joined.graph->links().size(), 2);
  EXPECT_EQ(RatesOf(*joined.graph).at({1, 2}), 4 * kNvLink.bps);
}

TEST(NvSwitchPlanes, NamesAndTiersStay) {
  Graph graph = Servers(1, 2);
  graph.SetNames({"a", "b", "c", "d", "n0", "n1", "leaf"});
  graph.DeclareTiers({{0, 0, 0, 0, 1, 1, 2}, {"GPU", "NVSwitch", "leaf"}});
  const JoinedPlanes joined = JoinNvSwitches(graph);
  ASSERT_NE(joined.graph, nullptr);
  EXPECT_EQ(joined.graph->names(), graph.names());
  EXPECT_EQ(joined.graph->declared_tiers().of_node, graph.declared_tiers().of_node);
}

TEST(NvSwitchPlanes, RoutesOfAFabricsOwnKeepThemApart) {
  Graph graph = Servers(1, 2);
  graph.SetRouting(std::make_shared<ScaleUpRouting>());
  EXPECT_EQ(JoinNvSwitches(graph).graph, nullptr);
}

}  // namespace
}  // namespace heddle
