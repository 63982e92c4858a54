// SPDX-License-Identifier: GPL-2.0-only
/// Static congestion in small networks, by hand, and its invariants under random patterns.
#include "topology/load/run_load.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/patterns/level_patterns.h"
#include "topology/files/orcs_dot.h"
#include "topology/load/message_delay.h"
#include "topology/load/static_network.h"

namespace heddle {
namespace {

/// Hosts 0 to 3 on switch a, 4 to 7 on switch b, one cable between the switches each way. Host
/// cables of 100 Gbit/s, the others of `uplink`.
StaticNetwork TwoSwitches(std::int64_t uplink) {
  StaticNetwork network;
  for (int i = 0; i < 8; ++i) network.AddNode("H" + std::to_string(i), true);
  const std::uint32_t a = network.AddNode("a", false), b = network.AddNode("b", false);
  for (std::uint32_t host = 0; host < 8; ++host) {
    const std::uint32_t at = host < 4 ? a : b;
    network.RouteRest(host, network.AddCable({host, at, 100'000'000'000}));
    network.Route(at, host, network.AddCable({at, host, 100'000'000'000}));
  }
  network.RouteRest(a, network.AddCable({a, b, uplink}));
  network.RouteRest(b, network.AddCable({b, a, uplink}));
  return network;
}

std::vector<std::uint32_t> Straight(std::uint32_t ranks) {
  std::vector<std::uint32_t> mapping(ranks);
  std::iota(mapping.begin(), mapping.end(), 0U);
  return mapping;
}

LoadFigures RunOf(const StaticNetwork& network, const std::string& pattern, LoadOptions options,
                  LoadTotals* totals = nullptr) {
  RunLoad load(network, options);
  const auto made = MakeLevelPattern({pattern, 8, 4, {}});
  RandomStream random(1, 0, RandomPurpose::kLevelPattern);
  made->BeginRun(&random);
  const LoadFigures figures = load.Run(0, made.get(), Straight(8));
  if (totals != nullptr) *totals = load.totals();
  return figures;
}

TEST(RunLoad, FourMessagesShareTheUplink) {
  LoadOptions options;
  options.cable_sums = true;
  LoadTotals totals;
  const LoadFigures run = RunOf(TwoSwitches(100'000'000'000), "bisect", options, &totals);
  EXPECT_EQ(run.messages, 4u);
  EXPECT_DOUBLE_EQ(run.mean_bandwidth(), 0.25);
  EXPECT_DOUBLE_EQ(run.congestion, 4);
  EXPECT_EQ(totals.weights, (std::map<double, std::uint64_t>{{4, 4}}));
  EXPECT_EQ(totals.hops, 12u);
  EXPECT_EQ(std::accumulate(totals.cables.begin(), totals.cables.end(), std::uint64_t{0}), 12u)
      << "loads sum to hops";
}

TEST(RunLoad, AFasterUplinkCarriesMore) {
  const StaticNetwork network = TwoSwitches(400'000'000'000);
  EXPECT_DOUBLE_EQ(RunOf(network, "bisect", {}).mean_bandwidth(), 1) << "four at a fourth each";
  LoadOptions unit;
  unit.unit_links = true;
  EXPECT_DOUBLE_EQ(RunOf(network, "bisect", unit).mean_bandwidth(), 0.25);
  const StaticNetwork slow = TwoSwitches(50'000'000'000);
  EXPECT_DOUBLE_EQ(RunOf(slow, "bisect", {}).mean_bandwidth(), 0.125);
}

TEST(RunLoad, OneLevelOnly) {
  LoadOptions options;
  options.only_level = 1;
  EXPECT_EQ(RunOf(TwoSwitches(1), "tree", options).messages, 2u);
  options.only_level = 9;
  EXPECT_EQ(RunOf(TwoSwitches(1), "tree", options).messages, 0u);
}

TEST(RunLoad, BrokenWaysAreCountedApart) {
  StaticNetwork network;
  const std::uint32_t h = network.AddNode("H0", true), g = network.AddNode("H1", true);
  const std::uint32_t a = network.AddNode("a", false), b = network.AddNode("b", false);
  network.RouteRest(h, network.AddCable({h, a, 0}));
  network.Route(a, 1, network.AddCable({a, b, 0}));
  network.RouteRest(b, network.AddCable({b, a, 0}));
  network.RouteRest(g, network.AddCable({g, b, 0}));  // a knows no way to host 0
  RunLoad load(network, {});
  const auto both = MakeLevelPattern({"bisect_fb_sym", 2, 1, {}});
  const LoadFigures apart = load.Run(0, both.get(), {0, 1});
  EXPECT_EQ(apart.messages, 0u);
  EXPECT_EQ(apart.loops, 1u);
  EXPECT_EQ(apart.no_route, 1u);
}

TEST(MessageDelay, AMessageWaitsForAllThatCameBefore) {
  // Level 0: 0 to 1 (2), 2 to 1 (5). Level 1: nothing to 1. Level 2: 1 to 3 (1), 1 to 0 (1).
  const auto delay = MakeMessageDelay();
  delay->BeginRun();
  delay->Add({0, 1}, 2);
  delay->Add({2, 1}, 5);
  delay->EndLevel();
  delay->Add({2, 3}, 1);
  delay->EndLevel();
  delay->Add({1, 3}, 1);
  delay->Add({1, 0}, 1);
  delay->EndLevel();
  EXPECT_DOUBLE_EQ(delay->Latest(), 6);
}

TEST(OrcsDot, RefusesWhatIsNoNetwork) {
  for (const char* text :
       {"", "not a graph", "digraph n { H1 -> S1; }", "digraph n { a -> b [comment=\"*\"]; }",
        "digraph n { H1 -> S1 [comment=\"*\", rate=\"fast\"]; }"})
    EXPECT_THROW(OrcsDot(text, "net.dot"), UserError) << text;
}

TEST(OrcsDot, RoutesAreWordsOfComments) {
  OrcsDot dot(
      "digraph n { H1 -> S [comment=\"*\"]; H2 -> S [comment=\"*\"]; S -> H1 [comment=\"H1\"];"
      " S -> H2 [comment=\" H2, H3\", rate=\"400Gbps\"]; }",
      "net.dot");
  const StaticNetwork& network = dot.network();
  ASSERT_EQ(network.host_count(), 2u);
  std::vector<std::uint32_t> way;
  EXPECT_EQ(network.Walk(0, 1, &way), WalkEnd::kArrived);
  ASSERT_EQ(way.size(), 2u);
  EXPECT_EQ(network.CableName(way[1]), "S -> H2");
  EXPECT_EQ(network.RateOf(way[1]), 400'000'000'000);
  EXPECT_EQ(dot.HostsBreadthFirst(), (std::vector<std::uint32_t>{0, 1}));
}

}  // namespace
}  // namespace heddle
