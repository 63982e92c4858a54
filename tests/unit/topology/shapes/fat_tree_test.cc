// SPDX-License-Identifier: GPL-2.0-only
/// Fat trees against closed forms.
#include <gtest/gtest.h>

#include "core/base/check.h"
#include "tests/support/message_of.h"
#include "tests/unit/topology/shapes/fabric_facts.h"
#include "topology/files/describe.h"
#include "topology/routes/routes.h"

namespace heddle {
namespace {

std::uint32_t Power(std::uint32_t base, std::uint32_t exponent) {
  return exponent == 0 ? 1 : base * Power(base, exponent - 1);
}

/// Petrini and Vanneschi: n k^(n-1) switches of 2 k ports (k at the top), k^n hosts, diameter 2 n,
/// bisection k^n / 2, k^(n-1) shortest ways between the farthest.
TEST(FatTree, KAryNTreesAreAsTheirFormulas) {
  for (const auto& [k, n] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {2, 1}, {2, 2}, {2, 3}, {2, 4}, {3, 2}, {4, 2}, {4, 3}, {6, 2}}) {
    const std::string words = "FatTree -k " + std::to_string(k) + " -levels " + std::to_string(n);
    const Graph graph = MakeFabric(words);
    const FabricFacts facts = FactsOf(graph);
    EXPECT_EQ(facts.gpus, Power(k, n)) << words;
    EXPECT_EQ(facts.switches, n * Power(k, n - 1)) << words;
    EXPECT_EQ(facts.links, n * Power(k, n)) << words;
    EXPECT_EQ(facts.diameter, 2 * n) << words;
    EXPECT_TRUE(facts.is_connected && facts.all_pairs_meet) << words;
    std::map<std::size_t, std::size_t> degrees;  // to other switches
    if (n == 1) degrees[0] = 1;
    if (n > 1) degrees[k] = 2 * Power(k, n - 1);
    if (n > 2) degrees[2 * k] = (n - 2) * Power(k, n - 1);
    EXPECT_EQ(facts.degrees, degrees) << words;
    if (n > 1 && k % 2 == 0) {
      EXPECT_EQ(Bisection(graph), Power(k, n) / 2) << words;
    }
    const Routes routes(graph);
    EXPECT_EQ(CountPaths(graph, routes, NodeId(0), NodeId(facts.gpus - 1)), Power(k, n - 1));
  }
}

struct TreeCase {
  std::string words;
  std::uint32_t gpus;
  std::vector<std::uint32_t> switches;  ///< by level
  std::size_t links;
  std::uint32_t bisection, ways;
};

/// By hand: N_l = m_{l+1}..m_h w_1..w_l; links of level l: N_l m_l p_l; ways: the product of w_l,
/// and of p_l up and down.
TEST(FatTree, GeneralisedTreesAreAsTheirFormulas) {
  const std::vector<TreeCase> cases = {
      {"-down 4x4x4 -up 1x4x4", 64, {16, 16, 16}, 192, 32, 16},
      {"-down 4x4x4 -up 1x2x4", 64, {16, 8, 8}, 64 + 32 + 32, 16, 8},
      {"-k 4 -levels 3 -over 2x1", 64, {16, 8, 8}, 64 + 32 + 32, 16, 8},
      {"-down 8x4 -cables 1x2", 32, {4, 4}, 32 + 32, 16, 4 * 2 * 2},
      {"-down 8x4 -cables 1x2 -over 2", 32, {4, 2}, 32 + 16, 8, 2 * 2 * 2},
      {"-down 6x2x4 -up 1x3x2 -cables 1x1x2", 48, {8, 12, 6}, 48 + 24 + 48, 12, 24},
      {"-down 4x4 -up 2x4", 16, {8, 8}, 32 + 32, 16, 8},
      {"-down 4x4 -up 2x4 -cables 2x1", 16, {8, 8}, 64 + 32, 16, 8 * 2 * 2},
  };
  for (const TreeCase& tree : cases) {
    const Graph graph = MakeFabric("FatTree " + tree.words);
    const FabricFacts facts = FactsOf(graph);
    std::uint32_t switches = 0;
    for (const std::uint32_t level : tree.switches) switches += level;
    EXPECT_EQ(facts.gpus, tree.gpus) << tree.words;
    EXPECT_EQ(facts.switches, switches) << tree.words;
    EXPECT_EQ(facts.links, tree.links) << tree.words;
    EXPECT_EQ(facts.diameter, 2 * tree.switches.size()) << tree.words;
    EXPECT_TRUE(facts.is_connected && facts.all_pairs_meet) << tree.words;
    EXPECT_EQ(Bisection(graph), tree.bisection) << tree.words;
    const Routes routes(graph);
    EXPECT_EQ(CountPaths(graph, routes, NodeId(0), NodeId(tree.gpus - 1)), tree.ways) << tree.words;
  }
}

using Digits = std::vector<std::uint32_t>;

/// Öhring et al.: the label of a node of level `l`, position 1 first and fastest. Position i counts
/// parents up to level l and children above it.
Digits LabelOf(std::uint32_t number, std::size_t l, const Digits& m, const Digits& w) {
  Digits label;
  for (std::size_t i = 0; i < m.size(); ++i) {
    const std::uint32_t radix = i < l ? w[i] : m[i];
    label.push_back(number % radix);
    number /= radix;
  }
  return label;
}

/// Nodes of levels l - 1 and l are linked exactly if their labels agree but for position l.
TEST(FatTree, LabelsOfNeighboursAgree) {
  const Digits m = {3, 2, 4}, w = {2, 3, 2}, nodes = {24, 16, 24, 12};  // by level, GPUs first
  const Graph graph = MakeFabric("FatTree -down 3x2x4 -up 2x3x2");
  ASSERT_EQ(graph.node_count(), 24u + 16 + 24 + 12);
  std::size_t cables = 0;
  std::uint32_t first = 0;
  for (std::size_t l = 1; l <= m.size(); first += nodes[l - 1], ++l) {
    for (std::uint32_t child = 0; child < nodes[l - 1]; ++child) {
      for (std::uint32_t parent = 0; parent < nodes[l]; ++parent) {
        Digits below = LabelOf(child, l - 1, m, w), above = LabelOf(parent, l, m, w);
        below[l - 1] = above[l - 1] = 0;
        std::size_t linked = 0;
        for (const Attachment& port : graph.ports(NodeId(first + child))) {
          linked += port.peer.value == first + nodes[l - 1] + parent;
        }
        EXPECT_EQ(linked, below == above ? 1u : 0u) << l << " " << child << " " << parent;
        cables += linked;
      }
    }
  }
  EXPECT_EQ(cables, graph.links().size());
}

/// Two levels of arity 2 and bundles of two; GPUs 0 to 3, leaves 4 and 5, spine 6 (2 parents / 2).
TEST(FatTree, TextByHand) {
  EXPECT_EQ(
      PlanText(PlanFabric("FatTree -down 2x2 -cables 1x2 -bw 1Gbps -rates 9Gbps -l 1us -gt A "
                          "-gps 2 -nsps 0")),
      "7 2 0 3 8 A\n4 5 6 \n0 4 1Gbps 1us 0\n1 4 1Gbps 1us 0\n2 5 1Gbps 1us 0\n"
      "3 5 1Gbps 1us 0\n4 6 9Gbps 1us 0\n4 6 9Gbps 1us 0\n5 6 9Gbps 1us 0\n5 6 9Gbps 1us 0\n");
}

TEST(FatTree, ServersMayHaveNvSwitches) {
  const FabricFacts facts = FactsOf(MakeFabric("FatTree -gps 8 -nsps 2"));
  EXPECT_EQ(facts.nvswitches, 16u);
  EXPECT_EQ(facts.links, 64u * 2 + 192);
}

/// Four servers of four GPUs, leaves of two: leaf r of servers 0 and 1 has their GPUs r.
TEST(RailTree, LeavesHaveOneGpuOfEachServer) {
  const Graph graph = MakeFabric("RailTree -gps 4 -down 2x8");
  ASSERT_EQ(graph.gpu_count(), 16U);
  const std::uint32_t first_leaf = 16 + 4;  // behind the NVSwitches
  for (std::uint32_t gpu = 0; gpu < 16; ++gpu) {
    const std::uint32_t server = gpu / 4, local = gpu % 4;
    ASSERT_EQ(graph.ports(NodeId(gpu)).size(), 2U);
    EXPECT_EQ(graph.ports(NodeId(gpu))[1].peer, NodeId(first_leaf + server / 2 * 4 + local)) << gpu;
  }
  EXPECT_TRUE(FactsOf(graph).all_pairs_meet);
}

TEST(RailTree, RefusesLeavesThatAreNotFull) {
  EXPECT_EQ(Refusal("RailTree -gps 4 -down 8x3"),
            "RailTree: 6 servers under leaves of 8 GPUs, one of a server. Expected: whole leaves: "
            "another -down or -k");
}

TEST(FatTree, RefusesWhatMakesNoFabric) {
  EXPECT_EQ(Refusal("FatTree -k 0"), "FatTree: 0 arity (-k). Expected: 1 to 65536");
  EXPECT_EQ(Refusal("FatTree -levels 21"), "FatTree: 21 levels (-levels). Expected: 1 to 20");
  EXPECT_EQ(
      Refusal("FatTree -k 3 -levels 2 -over 2"),
      "FatTree: level 1 with 3 cables down, 2 : 1 (-over), in bundles of 1. Expected: a whole "
      "number of parents; change -k, -down, -over or -cables, or give -up");
  EXPECT_EQ(Refusal("FatTree -down 4x4 -up 1x4x4"),
            "FatTree: 3 parents (-up 1x4x4). Expected: 2 for the levels of -down or -levels");
  EXPECT_EQ(Refusal("FatTree -gps 5"),
            "FatTree: 64 GPUs in servers of 5 (-gps). Expected: a divisor of 64");
  EXPECT_EQ(Refusal("FatTree -k 65536 -levels 20").find("FatTree: "), 0u);
  EXPECT_NE(Refusal("FatTree -k 65536 -levels 20").find("at most 1048576 nodes"),
            std::string::npos);
  EXPECT_NE(Refusal("FatTree -down 65536x65536 -cables 65536x1").find("at most 1048576 nodes"),
            std::string::npos);
  EXPECT_NE(Refusal("FatTree -down 4y4").find("FatTree: children (-down) \"4y4\". Expected: 1 to"),
            std::string::npos);
  EXPECT_NE(Refusal("FatTree -down 2 -up 65536x2").find("Expected: 1 for the levels"),
            std::string::npos);
  EXPECT_NE(Refusal("FatTree -down 40000x1 -up 1x40000").find("more than 65536 links at node"),
            std::string::npos);
  EXPECT_NE(Refusal("FatTree -nsps 1").find("1 NVSwitches per server (-nsps) of 1 GPU (-gps)"),
            std::string::npos);
  for (const char* words : {"-down 4x4 -k 4", "-down 4x4 -levels 2", "-up 1x4x4 -over 2"}) {
    MessageOf([&] { PlanFabric(std::string("FatTree ") + words); }, ExitCode::kUsage);
  }
}

}  // namespace
}  // namespace heddle
