// SPDX-License-Identifier: GPL-2.0-only
/// Rail-only, multi-plane and scale-up fabrics against closed forms.
#include <gtest/gtest.h>

#include "tests/unit/topology/shapes/fabric_facts.h"

namespace heddle {
namespace {

TEST(RailOnly, ASwitchIsARail) {
  for (const std::uint32_t servers : {1U, 2U, 5U, 64U}) {
    const std::string words = "RailOnly -gps 4 -g " + std::to_string(4 * servers);
    const Graph graph = MakeFabric(words);
    const FabricFacts facts = FactsOf(graph);
    EXPECT_EQ(facts.switches, 4u) << words;
    EXPECT_EQ(facts.cables, 0u) << words;
    EXPECT_EQ(facts.nvswitches, servers) << words;
    EXPECT_EQ(facts.links, 2 * 4 * servers) << words;
    EXPECT_TRUE(facts.is_connected) << words;
    EXPECT_EQ(facts.all_pairs_meet, servers == 1) << words;
    for (std::uint32_t gpu = 1; gpu < facts.gpus; ++gpu) {
      EXPECT_EQ(Distance(graph, 0, gpu), gpu < 4 || gpu % 4 == 0 ? 2u : 0u) << words << " " << gpu;
    }
  }
}

/// Eight servers, two GPU ports a leaf: four leaves and two spines a rail.
TEST(RailOnly, ALargeRailIsLeavesAndSpines) {
  const Graph graph = MakeFabric("RailOnly -g 16 -gps 2 -npa 2");
  const FabricFacts facts = FactsOf(graph);
  EXPECT_EQ(facts.switches, 2u * (4 + 2));
  EXPECT_EQ(facts.cables, 2u * 4 * 2);
  EXPECT_EQ(facts.degrees, (std::map<std::size_t, std::size_t>{{2, 8}, {4, 4}}));
  EXPECT_TRUE(facts.is_connected);
  EXPECT_EQ(facts.diameter, 4u);
  for (std::uint32_t gpu = 1; gpu < 16; ++gpu) {
    const std::uint32_t expected = gpu == 1 || gpu == 2 ? 2 : gpu % 2 == 0 ? 4 : 0;
    EXPECT_EQ(Distance(graph, 0, gpu), expected) << gpu;
  }
  EXPECT_EQ(Bisection(graph), 2u * 4);
}

TEST(RailOnly, SpinesFollowFromRates) {
  const auto spines = [](const std::string& words) {
    return MakeFabric("RailOnly -g 16 -gps 1 -nsps 0 -npa 4 " + words).switch_count() - 4;
  };
  EXPECT_EQ(spines(""), 4u);
  EXPECT_EQ(spines("-apbw 800Gbps"), 2u);
  EXPECT_EQ(spines("-apbw 300Gbps"), 6u);
  EXPECT_EQ(spines("-spr 3"), 3u);
}

TEST(RailOnly, RefusesWhatMakesNoFabric) {
  EXPECT_EQ(Refusal("RailOnly -g 33"),
            "RailOnly: 33 GPUs (-g) in servers of 8 (-gps). Expected: a multiple of 8, such as 40");
  EXPECT_EQ(Refusal("RailOnly -nsps 0"),
            "RailOnly: 8 rails (-gps) without NVSwitches (-nsps 0). Expected: at least 1 NVSwitch "
            "per server, as rails meet there alone");
  EXPECT_EQ(Refusal("RailOnly -npa 0"), "RailOnly: 0 NICs per leaf (-npa). Expected: 1 to 65536");
  EXPECT_NE(Refusal("RailOnly -g 65536 -npa 1 -spr 1000").find("16000000 links"),
            std::string::npos);
  EXPECT_NE(Refusal("RailOnly -npa 2 -bw 1000Tbps -apbw 1Mbps").find("nodes and"),
            std::string::npos);
  EXPECT_NE(Refusal("RailOnly -apbw fast").find("(-apbw) \"fast\""), std::string::npos);
  EXPECT_NE(Refusal("RailOnly -gps 1 -nsps 1").find("0, or more GPUs (-gps)"), std::string::npos);
  ASSERT_EQ(NotesOnFabric("RailOnly").size(), 1u);
  EXPECT_NE(NotesOnFabric("RailOnly")[0].find("collective.pxn=true"), std::string::npos);
}

struct PlaneCase {
  std::string words;
  std::uint32_t planes, gpus, leaves, spines;  ///< leaves and spines of a plane
};

/// Leaves of a plane: rails * ceil(GPUs / rails / npa). Spines, if open: GPU ports of a leaf.
TEST(MultiPlane, IsAsItsFormulas) {
  for (const PlaneCase& c :
       std::vector<PlaneCase>{{"-g 32 -planes 1 -npa 8", 1, 32, 4, 8},
                              {"-g 32 -planes 2 -npa 8", 2, 32, 4, 8},
                              {"-g 32 -planes 8 -npa 16 -spp 3", 8, 32, 2, 3},
                              {"-g 32 -planes 2 -npa 2 -rails 8", 2, 32, 16, 2},
                              {"-g 32 -planes 2 -npa 64 -rails 4", 2, 32, 4, 8},
                              {"-g 40 -planes 3 -npa 16", 3, 40, 3, 16},
                              {"-g 32 -planes 4 -npa 32", 4, 32, 1, 0}}) {
    const Graph graph = MakeFabric("MultiPlane " + c.words);
    const FabricFacts facts = FactsOf(graph);
    EXPECT_EQ(facts.gpus, c.gpus) << c.words;
    EXPECT_EQ(facts.nvswitches, c.gpus / 8) << c.words;
    EXPECT_EQ(facts.switches, c.planes * (c.leaves + c.spines)) << c.words;
    EXPECT_EQ(facts.cables, c.planes * c.leaves * c.spines) << c.words;
    EXPECT_EQ(facts.links, facts.cables + c.gpus * (1 + c.planes)) << c.words;
    EXPECT_TRUE(facts.is_connected && facts.all_pairs_meet) << c.words;
    EXPECT_EQ(facts.diameter, c.spines == 0 ? 2u : 4u) << c.words;
    std::map<std::size_t, std::size_t> degrees;
    degrees[c.spines] += c.planes * c.leaves;
    if (c.spines > 0) degrees[c.leaves] += c.planes * c.spines;
    EXPECT_EQ(facts.degrees, degrees) << c.words;
  }
}

TEST(MultiPlane, PlanesDoNotMeet) {
  const Graph graph = MakeFabric("MultiPlane -g 32 -planes 4 -npa 8 -nsps 0");
  const std::uint32_t leaves = 4 * 4, spines = 4 * 8;
  for (const Link& link : graph.links()) {
    if (graph.is_gpu(link.a)) continue;
    const std::uint32_t leaf = link.a.value - 32, spine = link.b.value - 32 - leaves;
    ASSERT_TRUE(leaf < leaves && spine < spines);
    EXPECT_EQ(leaf / 4, spine / 8);
  }
  EXPECT_EQ(graph.ports(NodeId(5)).size(), 4u);
  EXPECT_EQ(Bisection(graph), 4u * 16);
}

TEST(MultiPlane, RefusesWhatMakesNoFabric) {
  EXPECT_EQ(Refusal("MultiPlane -rails 3"),
            "MultiPlane: 3 rails (-rails). Expected: a divisor of 8, the GPUs per server (-gps)");
  EXPECT_EQ(Refusal("MultiPlane -planes 0"),
            "MultiPlane: 0 planes (-planes). Expected: 1 to 65536");
  EXPECT_NE(Refusal("MultiPlane -g 1000000 -planes 65536").find("16000000 links"),
            std::string::npos);
  EXPECT_NE(Refusal("MultiPlane -g 12").find("such as 16"), std::string::npos);
}

/// A leaf of a rack has its share of the rack's GPUs, and as many spines.
TEST(ScaleUp, RacksAreJoinedAbove) {
  const Graph nvl72 = MakeFabric("ScaleUp");
  const FabricFacts facts = FactsOf(nvl72);
  EXPECT_EQ(facts.gpus, 144u);
  EXPECT_EQ(facts.nvswitches, 36u);
  EXPECT_EQ(facts.switches, 8u + 18);
  EXPECT_EQ(facts.links, 144u * (18 + 1) + 8 * 18);
  EXPECT_TRUE(facts.is_connected && facts.all_pairs_meet);
  EXPECT_EQ(facts.diameter, 4u);
  EXPECT_EQ(nvl72.gpus_per_server(), 72u);
  EXPECT_EQ(Bisection(nvl72), 72u);
  for (std::uint32_t gpu = 1; gpu < 72; ++gpu) EXPECT_EQ(Distance(nvl72, 0, gpu), 2u) << gpu;
  EXPECT_EQ(Distance(nvl72, 0, 72), 4u);
  EXPECT_EQ(MakeFabric("ScaleUp -racks 3 -gpr 10 -npa 4 -nsps 2").switch_count(), 3u * 3 + 4);
  EXPECT_EQ(MakeFabric("ScaleUp -racks 3 -gpr 10 -npa 4 -nsps 2 -sps 7").switch_count(),
            3u * 3 + 7);
}

TEST(ScaleUp, ASingleRackIsItsNvSwitches) {
  const FabricFacts facts = FactsOf(MakeFabric("ScaleUp -racks 1 -gpr 1024 -nsps 4"));
  EXPECT_EQ(facts.gpus, 1024u);
  EXPECT_EQ(facts.switches, 0u);
  EXPECT_EQ(facts.links, 4096u);
  EXPECT_TRUE(facts.is_connected && facts.all_pairs_meet);
  EXPECT_EQ(facts.diameter, 2u);
}

TEST(ScaleUp, RefusesWhatMakesNoFabric) {
  EXPECT_EQ(Refusal("ScaleUp -gpr 1025"),
            "ScaleUp: 1025 GPUs per rack (-gpr). Expected: 1 to 1024");
  EXPECT_EQ(Refusal("ScaleUp -racks 1 -nsps 0"),
            "ScaleUp: a single rack without NVSwitches (-nsps 0). Expected: at least 1 NVSwitch, "
            "or more racks (-racks)");
  EXPECT_NE(Refusal("ScaleUp -racks 1048576 -gpr 1024").find("at most 1048576 nodes"),
            std::string::npos);
  EXPECT_NE(Refusal("ScaleUp -gpr 1").find("0, or more GPUs (-gpr)"), std::string::npos);
}

}  // namespace
}  // namespace heddle
