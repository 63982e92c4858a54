// SPDX-License-Identifier: GPL-2.0-only
#include "topology/graph/link_tiers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "tests/support/leaf_spine.h"
#include "topology/shapes/generator.h"

namespace heddle {
namespace {

using Sums = std::map<std::string, std::pair<std::uint32_t, double>>;

/// Links and rates of each tier, counted link by link; compares them with the tiers.
Sums CheckedSums(const Graph& graph) {
  const LinkTiers tiers(graph);
  Sums counted, said;
  for (const Link& link : graph.links()) {
    for (const auto& [from, to] : {std::pair(link.a, link.b), std::pair(link.b, link.a)}) {
      auto& sum = counted[tiers.tiers().at(tiers.Of(from, to)).name];
      ++sum.first;
      sum.second += static_cast<double>(link.rate.bps);
    }
  }
  for (const LinkTiers::Tier& tier : tiers.tiers()) said[tier.name] = {tier.links, tier.rate_bps};
  EXPECT_EQ(said, counted);
  return said;
}

/// Names of the fabric's tiers; checks that they are in the order of LinkTiers::Names().
std::vector<std::string> Names(const Graph& graph) {
  const LinkTiers tiers(graph);
  std::vector<std::string> names;
  for (const LinkTiers::Tier& tier : tiers.tiers()) names.push_back(tier.name);
  const std::vector<std::string> all = LinkTiers::Names();
  auto at = all.begin();
  for (const std::string& name : names) {
    at = std::find(at, all.end(), name);
    EXPECT_NE(at, all.end()) << name;
  }
  return names;
}

const BitRate kLinkTiersRate{100'000'000'000};

TEST(LinkTiers, LeafAndSpine) {
  const testing::LeafSpine shape{4, 8, 3, kLinkTiersRate};
  const Graph graph = shape.Build();
  EXPECT_EQ(CheckedSums(graph), (Sums{{"host to leaf", {32, 32e11}},
                                      {"leaf to host", {32, 32e11}},
                                      {"leaf to spine", {12, 12e11}},
                                      {"spine to leaf", {12, 12e11}}}));
  EXPECT_EQ(Names(graph), (std::vector<std::string>{"host to leaf", "leaf to host", "leaf to spine",
                                                    "spine to leaf"}));
  const LinkTiers tiers(graph);
  EXPECT_EQ(tiers.Of(NodeId(9), NodeId(33)), 0);
  EXPECT_EQ(tiers.Of(NodeId(33), NodeId(9)), 1);
  EXPECT_EQ(tiers.Of(NodeId(33), NodeId(36)), 2);
  EXPECT_EQ(tiers.Of(NodeId(36), NodeId(33)), 3);
}

TEST(LinkTiers, SpectrumX) {
  LeafSpineOptions options = FindTemplate("Spectrum-X").defaults;
  options.gpus = 32;
  options.spine_switches = 4;
  const Graph graph = Generate("Spectrum-X", options);
  // Four servers, each with an NVSwitch; 8 rails, each leaf to 4 spines.
  EXPECT_EQ(CheckedSums(graph), (Sums{{"NVLink", {64, 64 * 2880e9}},
                                      {"host to leaf", {32, 32 * 400e9}},
                                      {"leaf to host", {32, 32 * 400e9}},
                                      {"leaf to spine", {32, 32 * 400e9}},
                                      {"spine to leaf", {32, 32 * 400e9}}}));
  EXPECT_EQ(Names(graph).front(), "NVLink");
}

TEST(LinkTiers, HpnHasTwoLinksAGpu) {
  LeafSpineOptions options = FindTemplate("AlibabaHPN-DualPlane").defaults;
  options.gpus = 64;
  options.nics_per_leaf = 4;
  options.spine_switches = 8;
  const Sums sums = CheckedSums(Generate("AlibabaHPN-DualPlane", options));
  EXPECT_EQ(sums.size(), 5U);
  EXPECT_EQ(sums.at("NVLink").first, 128U);
  EXPECT_EQ(sums.at("host to leaf").first, 128U);
  EXPECT_EQ(sums.at("leaf to spine"), sums.at("spine to leaf"));
}

TEST(LinkTiers, ThreeTiersLinksWithinATierAndNoHosts) {
  // GPUs 0, 1; leaves 2, 3 and a cable between them; spine 4; core 5; 6 above; 7 and 8 unreachable.
  Graph graph(2, 0, 7, 1, "X");
  for (const auto& [a, b] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {0, 2}, {1, 3}, {2, 3}, {2, 4}, {3, 4}, {4, 5}, {5, 6}, {7, 8}, {0, 1}}) {
    graph.AddLink({NodeId(a), NodeId(b), kLinkTiersRate, NanoSeconds(1), 0});
  }
  CheckedSums(graph);
  EXPECT_EQ(Names(graph), (std::vector<std::string>{
                              "host to host", "host to leaf", "leaf to host", "leaf to leaf",
                              "leaf to spine", "spine to leaf", "spine to core", "core to spine",
                              "core to level 4", "level 4 to core", "level 5 to level 5"}));
}

TEST(LinkTiers, LongRowsAreCutShort) {
  Graph graph(1, 0, 40, 1, "X");
  for (std::uint32_t i = 0; i < 40; ++i)
    graph.AddLink({NodeId(i), NodeId(i + 1), kLinkTiersRate, NanoSeconds(1), 0});
  const Sums sums = CheckedSums(graph);
  EXPECT_EQ(sums.at("level 8 to level 9").first, 1U);
  EXPECT_EQ(sums.at("level 9 to level 9").first, 2 * 31U);
  EXPECT_LE(sums.size(), LinkTiers::kMost);
  EXPECT_EQ(Names(graph).back(), "level 9 to level 9");
}

TEST(LinkTiers, NamesOfAnyFabric) {
  const std::vector<std::string> names = LinkTiers::Names();
  EXPECT_EQ(names.front(), "NVLink");
  EXPECT_EQ(names.back(), "level 9 to level 9");
  EXPECT_EQ(names.size(), 1 + 10 + 2 * 9U)
      << "within each of ten levels, and both ways between neighbours";
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

}  // namespace
}  // namespace heddle
