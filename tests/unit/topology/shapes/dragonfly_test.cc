// SPDX-License-Identifier: GPL-2.0-only
/// Dragonfly and Dragonfly+ against closed forms.
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "tests/unit/topology/shapes/fabric_facts.h"

namespace heddle {
namespace {

/// Cables between two groups of `stride` switches each, by pair of groups; checks that no switch
/// has more than `most` of them.
std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> GlobalPairs(const Graph& graph,
                                                                             std::uint32_t stride,
                                                                             std::size_t most) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> pairs;
  std::map<std::uint32_t, std::size_t> of_switch;
  for (const Link& link : graph.links()) {
    if (graph.is_gpu(link.a)) continue;
    const std::uint32_t first = graph.gpu_count() + graph.nvswitch_count();
    const std::uint32_t a = (link.a.value - first) / stride, b = (link.b.value - first) / stride;
    if (a == b) continue;
    ++pairs[std::minmax(a, b)];
    ++of_switch[link.a.value];
    ++of_switch[link.b.value];
  }
  for (const auto& [node, links] : of_switch) EXPECT_LE(links, most) << node;
  return pairs;
}

struct Sizes {
  std::uint32_t a, h, p, groups;  ///< groups 0: the most
};

std::string Words(const Sizes& s) {
  return "Dragonfly -a " + std::to_string(s.a) + " -gl " + std::to_string(s.h) + " -p " +
         std::to_string(s.p) + " -groups " + std::to_string(s.groups);
}

/// Kim et al.: g = a h + 1 groups at most, a g routers, p a g GPUs, a (a - 1) / 2 local cables a
/// group; at most one local, one global, one local cable between routers.
TEST(Dragonfly, IsAsItsFormulas) {
  for (const Sizes& s : std::vector<Sizes>{{4, 2, 2, 0},
                                           {3, 1, 1, 0},
                                           {2, 1, 2, 0},
                                           {8, 1, 1, 0},
                                           {4, 2, 2, 6},
                                           {4, 2, 2, 5},
                                           {4, 2, 2, 2},
                                           {4, 3, 1, 4},
                                           {3, 2, 2, 7},
                                           {4, 2, 3, 8}}) {
    const std::string words = Words(s);
    const std::uint32_t g = s.groups == 0 ? s.a * s.h + 1 : s.groups;
    const std::uint32_t each = s.a * s.h / (g - 1);
    const Graph graph = MakeFabric(words);
    const FabricFacts facts = FactsOf(graph);
    EXPECT_EQ(facts.switches, s.a * g) << words;
    EXPECT_EQ(facts.gpus, s.p * s.a * g) << words;
    EXPECT_EQ(facts.cables, g * s.a * (s.a - 1) / 2 + g * (g - 1) / 2 * each) << words;
    EXPECT_EQ(facts.links, facts.cables + facts.gpus) << words;
    EXPECT_TRUE(facts.is_connected && facts.all_pairs_meet) << words;
    EXPECT_LE(facts.diameter, 5u) << words;
    const auto pairs = GlobalPairs(graph, s.a, s.h);
    EXPECT_EQ(pairs.size(), g * (g - 1) / 2) << words;
    for (const auto& [pair, cables] : pairs) EXPECT_EQ(cables, each) << words;
    EXPECT_EQ(NotesOnFabric(words).empty(), s.a * s.h % (g - 1) == 0) << words;
    if (g % 2 == 0) {
      EXPECT_EQ(Bisection(graph), g / 2 * (g / 2) * each) << words;
    }
    if (s.groups != 0) continue;
    EXPECT_EQ(facts.diameter, 5u) << words;
    EXPECT_EQ(facts.degrees, (std::map<std::size_t, std::size_t>{{s.a - 1 + s.h, s.a * g}}));
  }
}

/// Two routers a group, one global link each, so three groups. Port j of group i leads to group j,
/// or j + 1 from j = i on: 0 to 1 by ports 0 and 0, 0 to 2 by 1 and 0, 1 to 2 by 1 and 1.
TEST(Dragonfly, TextByHand) {
  EXPECT_EQ(PlanText(PlanFabric("Dragonfly -a 2 -gl 1 -p 1 -bw 1Gbps -rates 2Gbps,3Gbps -l 1us "
                                "-gdl 9us")),
            "12 1 0 6 12 H100\n6 7 8 9 10 11 \n"
            "0 6 1Gbps 1us 0\n1 7 1Gbps 1us 0\n2 8 1Gbps 1us 0\n"
            "3 9 1Gbps 1us 0\n4 10 1Gbps 1us 0\n5 11 1Gbps 1us 0\n"
            "6 7 2Gbps 1us 0\n8 9 2Gbps 1us 0\n10 11 2Gbps 1us 0\n"
            "6 8 3Gbps 9us 0\n7 10 3Gbps 9us 0\n9 11 3Gbps 9us 0\n");
}

TEST(Dragonfly, OneGroupIsAFullMesh) {
  const FabricFacts facts = FactsOf(MakeFabric("Dragonfly -a 5 -groups 1 -p 8 -nsps 1"));
  EXPECT_EQ(facts.cables, 10u);
  EXPECT_EQ(facts.nvswitches, 5u);
  EXPECT_EQ(facts.diameter, 3u);
}

TEST(Dragonfly, RefusesWhatMakesNoFabric) {
  EXPECT_EQ(Refusal("Dragonfly -a 4 -gl 2 -groups 10"),
            "Dragonfly: 10 groups (-groups). Expected: 1 to 9, as a group has 8 global links; or "
            "more of them (-a, -gl)");
  EXPECT_EQ(Refusal("Dragonfly -a 0"), "Dragonfly: 0 routers per group (-a). Expected: 1 to 65536");
  EXPECT_EQ(Refusal("Dragonfly -gl 0"),
            "Dragonfly: 0 global links per router (-gl). Expected: 1 to 65535");
  EXPECT_EQ(Refusal("Dragonfly -a 65536 -gl 65535"),
            "Dragonfly: 4294901761 groups (-groups). Expected: at most 1048576; fewer global links "
            "(-a, -gl)");
  EXPECT_NE(Refusal("Dragonfly -a 65536 -gl 65535 -groups 2").find("nodes and"), std::string::npos);
  EXPECT_NE(Refusal("Dragonfly -a 1000 -gl 10").find("at most 1048576 nodes"), std::string::npos);
  EXPECT_NE(Refusal("Dragonfly -p 1 -nsps 1").find("0, or more GPUs (-p)"), std::string::npos);
  EXPECT_NE(Refusal("Dragonfly -rates 1Gbps,1Gbps,1Gbps").find("Dragonfly: 3 rates (-rates "),
            std::string::npos);
  EXPECT_NE(Refusal("Dragonfly -gdl soon").find("(-gdl) \"soon\""), std::string::npos);
  EXPECT_NE(Refusal("Dragonfly -a 1 -gl 1 -p 65536").find("more than 65536 links at node"),
            std::string::npos);
}

struct PlusSizes {
  std::uint32_t leaves, spines, h, p, groups;  ///< groups 0: the most
};

/// Shpiner et al.: at most spines * h + 1 groups; leaf, spine, spine, leaf on the longest way.
TEST(DragonflyPlus, IsAsItsFormulas) {
  for (const PlusSizes& s : std::vector<PlusSizes>{
           {4, 4, 2, 4, 0}, {2, 2, 1, 1, 0}, {3, 2, 2, 2, 4}, {4, 4, 4, 2, 5}, {2, 4, 2, 1, 6}}) {
    const std::string words = "DragonflyPlus -leaves " + std::to_string(s.leaves) + " -spines " +
                              std::to_string(s.spines) + " -gl " + std::to_string(s.h) + " -p " +
                              std::to_string(s.p) + " -groups " + std::to_string(s.groups);
    const std::uint32_t g = s.groups == 0 ? s.spines * s.h + 1 : s.groups;
    const std::uint32_t each = s.spines * s.h / (g - 1);
    const Graph graph = MakeFabric(words);
    const FabricFacts facts = FactsOf(graph);
    EXPECT_EQ(facts.switches, g * (s.leaves + s.spines)) << words;
    EXPECT_EQ(facts.gpus, g * s.leaves * s.p) << words;
    EXPECT_EQ(facts.cables, g * s.leaves * s.spines + g * (g - 1) / 2 * each) << words;
    EXPECT_EQ(facts.links, facts.cables + facts.gpus) << words;
    EXPECT_TRUE(facts.is_connected && facts.all_pairs_meet) << words;
    EXPECT_EQ(facts.diameter, 5u) << words;
    const auto pairs = GlobalPairs(graph, s.leaves + s.spines, s.h);
    EXPECT_EQ(pairs.size(), g * (g - 1) / 2) << words;
    for (const auto& [pair, cables] : pairs) EXPECT_EQ(cables, each) << words;
    EXPECT_EQ(NotesOnFabric(words).empty(), s.spines * s.h % (g - 1) == 0) << words;
    if (g % 2 == 0) {
      EXPECT_EQ(Bisection(graph), g / 2 * (g / 2) * each) << words;
    }
    if (s.groups != 0) continue;
    std::map<std::size_t, std::size_t> degrees;
    degrees[s.spines] += g * s.leaves;
    degrees[s.leaves + s.h] += g * s.spines;
    EXPECT_EQ(facts.degrees, degrees) << words;
  }
}

TEST(DragonflyPlus, RefusesWhatMakesNoFabric) {
  EXPECT_EQ(Refusal("DragonflyPlus -spines 4 -gl 2 -groups 10"),
            "DragonflyPlus: 10 groups (-groups). Expected: 1 to 9, as a group has 8 global links; "
            "or more of them (-spines, -gl)");
  EXPECT_EQ(Refusal("DragonflyPlus -leaves 0"),
            "DragonflyPlus: 0 leaves per group (-leaves). Expected: 1 to 65536");
  EXPECT_NE(Refusal("DragonflyPlus -leaves 20000 -spines 20000 -groups 1").find("nodes and"),
            std::string::npos);
  EXPECT_NE(Refusal("DragonflyPlus -leaves 1 -spines 65536 -gl 65535 -groups 2").find("nodes and"),
            std::string::npos);
  EXPECT_NE(Refusal("DragonflyPlus -leaves 1 -p 65536 -groups 1").find("more than 65536 links"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
