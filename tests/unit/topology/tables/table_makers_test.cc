// SPDX-License-Identifier: GPL-2.0-only
/// Makers of forwarding tables on trees, tori and odd networks: where packets go, by hand and as
/// properties.
#include "topology/tables/table_makers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "core/base/check.h"
#include "tests/support/small_networks.h"
#include "tests/unit/topology/shapes/fabric_facts.h"
#include "topology/load/table_paths.h"
#include "topology/routes/routes.h"
#include "topology/shapes/generator.h"
#include "topology/tables/table_check.h"
#include "topology/tables/table_routing.h"

namespace heddle {
namespace {

using testing::GridOfSwitches;
using testing::TwoLevelTree;

/// Destinations by port between switches.
std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> Load(
    const Graph& graph, const ForwardingTables& tables) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> load;
  for (std::uint32_t node = graph.gpu_count(); node < graph.node_count(); ++node) {
    for (std::uint32_t gpu = 0; gpu < graph.gpu_count(); ++gpu) {
      const std::uint16_t port = tables.At(NodeId(node), NodeId(gpu));
      if (port == ForwardingTables::kNone) continue;
      if (!graph.is_gpu(graph.ports(NodeId(node))[port].peer)) ++load[{node, port}];
    }
  }
  return load;
}

Graph Routed(Graph graph, const ForwardingTables& tables) {
  graph.SetRouting(
      std::make_shared<const TableRouting>(std::make_shared<const ForwardingTables>(tables)));
  return graph;
}

void ExpectWhole(const Graph& graph, const std::string& words) {
  const TableFindings found = CheckTables(graph, MakeTables(graph, words));
  EXPECT_EQ(found.loops, 0u) << words;
  EXPECT_EQ(found.holes, 0u) << words;
}

TEST(TableMakers, AllReachAllWithoutLoops) {
  const std::vector<Graph> trees = {TwoLevelTree(4, 4, 4, 1),
                                    TwoLevelTree(4, 4, 2, 2),
                                    TwoLevelTree(3, 5, 2, 1),
                                    Generate("Spectrum-X", {}),
                                    Generate("AlibabaHPN-DualPlane", {}),
                                    Generate("DCN-DualToR", {})};
  for (const Graph& graph : trees) {
    for (const char* words : {"minhop", "updown", "dmodk", "random:7"}) ExpectWhole(graph, words);
  }
  for (const Graph& graph : {GridOfSwitches({4, 3}, true), GridOfSwitches({5, 2, 3}, true),
                             GridOfSwitches({4, 4}, false)}) {
    for (const char* words : {"minhop", "updown", "random"}) ExpectWhole(graph, words);
  }
}

TEST(TableMakers, AllButUpDownAreShortest) {
  for (const Graph& graph : {TwoLevelTree(4, 4, 4, 1), GridOfSwitches({4, 3}, true)}) {
    const Routes shortest(graph);
    const bool is_tree = graph.switch_count() == 8;
    for (const char* words : {"minhop", "random:3", is_tree ? "dmodk" : "dimension-order:4x3"}) {
      const Graph routed = Routed(graph, MakeTables(graph, words));
      const Routes routes(routed);
      for (std::uint32_t a = 0; a < graph.gpu_count(); ++a) {
        for (std::uint32_t b = 0; b < graph.gpu_count(); ++b)
          EXPECT_EQ(routes.Hops(NodeId(a), NodeId(b)), shortest.Hops(NodeId(a), NodeId(b)));
      }
    }
  }
}

TEST(TableMakers, ManyWalksAreTheWaysOfTheRoutes) {
  for (const Graph& plain : {TwoLevelTree(3, 5, 2, 2), Generate("DCN-SingleToR", {})}) {
    const ForwardingTables tables = RandomTables(plain, 3);
    const Graph graph = Routed(plain, tables);
    const GraphPaths slow(graph);
    const TablePaths fast(graph, tables);
    std::vector<std::uint32_t> a, b;
    for (std::uint32_t from = 0; from < graph.gpu_count(); from += 3) {
      for (std::uint32_t to = 0; to < graph.gpu_count(); ++to) {
        EXPECT_EQ(fast.Walk(from, to, &a), slow.Walk(from, to, &b));
        EXPECT_EQ(a, b);
      }
    }
  }
}

TEST(TableMakers, DModKSpreadsDestinationsEvenly) {
  const Graph tree = TwoLevelTree(4, 4, 4, 1);
  const ForwardingTables tables = DModKTables(tree);
  // Up: 12 destinations beyond a leaf over 4 ports. Down: 4 at the leaf behind a spine's port.
  for (const auto& [port, destinations] : Load(tree, tables))
    EXPECT_EQ(destinations, port.first < 20 ? 3u : 4u);
  // GPU d takes spine d mod 4 from every leaf (switches 16 to 19; ports 4 to 7 lead up).
  for (std::uint32_t gpu = 4; gpu < 16; ++gpu)
    EXPECT_EQ(tables.At(NodeId(16), NodeId(gpu)), 4 + gpu % 4) << gpu;
}

TEST(TableMakers, MinHopBalancesPorts) {
  const Graph tree = TwoLevelTree(4, 4, 2, 2);  // two spines, two cables to each
  for (const auto& [port, destinations] : Load(tree, MinHopTables(tree))) {
    EXPECT_TRUE(port.first >= 20 || destinations == 3) << port.first << " " << port.second;
  }
}

TEST(TableMakers, UpDownNeverGoesUpAfterDown) {
  const Graph torus = GridOfSwitches({4, 4}, true);
  const ForwardingTables tables = UpDownTables(torus);
  // The first switch is the root; distance from it is the level, then the number.
  std::vector<std::uint32_t> level(torus.node_count(), 0);
  for (std::uint32_t i = 0; i < 16; ++i) {
    const std::uint32_t x = i % 4, y = i / 4;
    level[16 + i] = std::min(x, 4 - x) + std::min(y, 4 - y);
  }
  for (std::uint32_t from = 16; from < 32; ++from) {
    for (std::uint32_t gpu = 0; gpu < 16; ++gpu) {
      bool went_down = false;
      for (NodeId node(from); node != NodeId(gpu);) {
        const NodeId next = torus.ports(node)[tables.At(node, NodeId(gpu))].peer;
        if (next == NodeId(gpu)) break;
        const bool up =
            std::pair(level[next.value], next.value) < std::pair(level[node.value], node.value);
        EXPECT_FALSE(up && went_down);
        went_down = went_down || !up;
        node = next;
      }
    }
  }
}

TEST(TableMakers, DimensionOrderGoesAlongTheFirstDimensionFirst) {
  const Graph torus = GridOfSwitches({4, 3}, true);
  const ForwardingTables tables = DimensionOrderTables(torus, {4, 3});
  const auto next = [&](std::uint32_t node, std::uint32_t gpu) {
    return torus.ports(NodeId(12 + node))[tables.At(NodeId(12 + node), NodeId(gpu))].peer.value -
           12;
  };
  EXPECT_EQ(next(0, 5), 1u);  // (0,0) to (1,1) over (1,0)
  EXPECT_EQ(next(1, 5), 5u);
  EXPECT_EQ(next(0, 2), 1u);  // half way round: upwards
  EXPECT_EQ(next(0, 3), 3u);  // the shorter way round
  EXPECT_EQ(next(0, 8), 8u);
  const Graph mesh = GridOfSwitches({4, 3}, false);
  const ForwardingTables flat = DimensionOrderTables(mesh, {4, 3});
  EXPECT_EQ(mesh.ports(NodeId(12))[flat.At(NodeId(12), NodeId(3))].peer.value - 12, 1u);
  EXPECT_EQ(CheckTables(mesh, flat).loops + CheckTables(mesh, flat).holes, 0u);
}

TEST(TableMakers, RandomTablesDependOnTheSeedOnly) {
  const Graph tree = TwoLevelTree(8, 8, 8, 1);
  const auto entries = [&](std::uint64_t seed) {
    const ForwardingTables tables = RandomTables(tree, seed);
    std::vector<std::uint16_t> all;
    for (std::uint32_t gpu = 0; gpu < 64; ++gpu) all.push_back(tables.At(NodeId(64), NodeId(gpu)));
    return all;
  };
  EXPECT_EQ(entries(1), entries(1));
  EXPECT_NE(entries(1), entries(2));
}

TEST(TableMakers, RefusesWhatMakesNoTables) {
  const Graph tree = TwoLevelTree(2, 2, 2, 1);
  const Graph torus = GridOfSwitches({3, 3}, true);
  const auto message = [](const Graph& graph, const char* words) {
    try {
      MakeTables(graph, words);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(message(tree, "minhopp").find("Did you mean 'minhop'?"), std::string::npos);
  EXPECT_NE(message(tree, "minhop:3").find("Expected: none"), std::string::npos);
  EXPECT_NE(message(tree, "random:x").find("the seed"), std::string::npos);
  EXPECT_NE(message(tree, "random:").find("the seed"), std::string::npos);
  EXPECT_NE(message(torus, "dimension-order:3x4").find("9 switches"), std::string::npos);
  EXPECT_NE(message(torus, "dimension-order:0").find("lengths"), std::string::npos);
  EXPECT_NE(message(torus, "dimension-order:99999999x99999999").find("lengths"), std::string::npos);
  EXPECT_NE(message(tree, "dimension-order:2x2").find("no link"), std::string::npos);
  EXPECT_NE(message(torus, "dmodk").find("of one tier are linked"), std::string::npos);
}

TEST(TableMakers, ValiantGoesOverAThirdGroup) {
  const Graph graph = MakeFabric("Dragonfly -a 4 -gl 2 -p 2");
  ExpectWhole(graph, "valiant:4");
  ExpectWhole(graph, "valiant:4:7");
  ExpectWhole(MakeFabric("DragonflyPlus -leaves 4 -spines 4 -gl 1 -p 2"), "valiant:8");
  const ForwardingTables tables = MakeTables(graph, "valiant:4");
  const Graph routed = Routed(graph, tables);
  const TablePaths paths(routed, tables);
  const std::uint32_t gpus = graph.gpu_count(), switches = graph.switch_count();
  const auto group = [&](std::uint32_t node) { return (node - gpus) / 4; };
  std::vector<std::uint32_t> way;
  std::size_t over_a_third = 0, between_groups = 0;
  for (std::uint32_t a = 0; a < gpus; ++a) {
    for (std::uint32_t b = 0; b < gpus; ++b) {
      if (a == b) continue;
      ASSERT_EQ(paths.Walk(a, b, &way), WalkEnd::kArrived);
      std::vector<std::uint32_t> groups;
      for (std::size_t i = 0; i + 1 < way.size(); ++i) {
        const std::uint32_t at = group(paths.EndsOf(way[i]).to);
        if (groups.empty() || groups.back() != at) groups.push_back(at);
      }
      ASSERT_LE(groups.size(), 3u);
      if (groups.front() == groups.back()) {
        EXPECT_EQ(groups.size(), 1u) << "at home nobody leaves";
      } else {
        ++between_groups;
        over_a_third += groups.size() == 3 ? 1 : 0;
      }
    }
  }
  // One of the other groups is the drawn one itself, and goes straight.
  const double others = switches / 4.0 - 1;
  EXPECT_NEAR(static_cast<double>(over_a_third) / static_cast<double>(between_groups),
              (others - 1) / others, 1e-9);
  for (const char* wrong :
       {"valiant", "valiant:0", "valiant:5", "valiant:36", "valiant:x", "valiant:4:x"})
    EXPECT_THROW(MakeTables(graph, wrong), UserError) << wrong;
}

}  // namespace
}  // namespace heddle
