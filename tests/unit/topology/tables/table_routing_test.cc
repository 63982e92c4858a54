// SPDX-License-Identifier: GPL-2.0-only
/// Routes of a graph with forwarding tables: NICs, NVSwitches, failures; files and checks of
/// tables.
#include "topology/tables/table_routing.h"

#include <gtest/gtest.h>

#include <memory>

#include "core/base/check.h"
#include "tests/support/small_networks.h"
#include "topology/paths/path_tracer.h"
#include "topology/routes/routes.h"
#include "topology/shapes/generator.h"
#include "topology/tables/table_check.h"
#include "topology/tables/table_makers.h"
#include "topology/tables/tables_file.h"

namespace heddle {
namespace {

using testing::AddCable;
using testing::TwoLevelTree;

void Route(Graph* graph, const ForwardingTables& tables) {
  graph->SetRouting(
      std::make_shared<const TableRouting>(std::make_shared<const ForwardingTables>(tables)));
}

/// GPUs 0 and 1 at switch 2, GPU 1 also at 3; switches 3 and 4 behind each other; GPU 0 also at 4.
Graph TwoPorts() {
  Graph graph(2, 0, 3, 1, "X");
  AddCable(&graph, 0, 2);
  AddCable(&graph, 0, 4);
  AddCable(&graph, 1, 3);
  AddCable(&graph, 2, 3);
  AddCable(&graph, 4, 2);
  return graph;
}

TEST(TableRouting, AGpuTakesThePortsOfTheShortestWays) {
  Graph graph = TwoPorts();
  ForwardingTables tables(graph);
  tables.Set(NodeId(2), NodeId(1), PortId(1));  // to switch 3
  tables.Set(NodeId(3), NodeId(1), PortId(0));
  tables.Set(NodeId(4), NodeId(1), PortId(1));  // to switch 2
  Route(&graph, tables);
  const Routes routes(graph);
  std::vector<PortId> ports;
  routes.NextHops(NodeId(0), NodeId(1), &ports);
  EXPECT_EQ(ports, std::vector<PortId>{PortId(0)});
  EXPECT_EQ(routes.Hops(NodeId(0), NodeId(1)), 3u);
  EXPECT_EQ(routes.Hops(NodeId(1), NodeId(0)), Routes::kUnreachable);  // no entry
  EXPECT_EQ(routes.HopsToClass(NodeId(4), routes.class_of(NodeId(1))), 3u);
  // Without that port the longer way is left.
  Routes::Change change;
  const Routes cut = routes.WithDown({LinkId(0)}, &change);
  cut.NextHops(NodeId(0), NodeId(1), &ports);
  EXPECT_EQ(ports, std::vector<PortId>{PortId(1)});
  EXPECT_EQ(cut.Hops(NodeId(0), NodeId(1)), 4u);
  EXPECT_EQ(change.touched, (std::vector<NodeId>{NodeId(0), NodeId(2)}));
}

TEST(TableRouting, ADeadEntryDropsAndComesBack) {
  Graph graph = TwoLevelTree(2, 2, 2, 1);  // leaves 4, 5; spines 6, 7
  Route(&graph, DModKTables(graph));
  const Routes routes(graph);
  const LinkId link(6);  // leaf 5 to spine 6
  Routes::Change change;
  const Routes cut = routes.WithDown({link}, &change);
  // Leaf 5 sends to GPU 0 over it, spine 6 to GPUs 2 and 3 (to which nobody goes by this spine).
  EXPECT_EQ(change.classes, (std::vector<std::uint32_t>{0, 2, 3}));
  EXPECT_EQ(cut.Hops(NodeId(2), NodeId(0)), Routes::kUnreachable);
  EXPECT_EQ(cut.Hops(NodeId(0), NodeId(2)), Routes::kUnreachable);
  EXPECT_EQ(cut.Hops(NodeId(0), NodeId(3)), 4u);
  EXPECT_EQ(cut.Hops(NodeId(2), NodeId(3)), 2u);
  Routes::Change back;
  const Routes again = cut.WithDown({}, &back);
  EXPECT_EQ(back.classes, change.classes);
  EXPECT_EQ(again.Hops(NodeId(2), NodeId(0)), 4u);
}

TEST(TableRouting, ServersKeepTheirNvSwitches) {
  Graph graph = Generate("DCN-DualToR", {});
  Route(&graph, MinHopTables(graph));
  const Routes routes(graph);
  std::vector<PortId> ports;
  routes.NextHops(NodeId(0), NodeId(1), &ports);
  ASSERT_FALSE(ports.empty());
  for (const PortId port : ports)
    EXPECT_EQ(graph.kind(graph.ports(NodeId(0))[port.value].peer), NodeKind::kNvSwitch);
  EXPECT_EQ(routes.Hops(NodeId(0), NodeId(1)), 2u);
  const std::vector<Hop> path =
      TracePath(graph, routes, NodeId(0), NodeId(graph.gpu_count() - 1), 10000, 100);
  EXPECT_EQ(path.size(), routes.Hops(NodeId(0), NodeId(graph.gpu_count() - 1)));
}

TEST(TableRouting, OnePathWhateverThePorts) {
  Graph graph = TwoLevelTree(4, 4, 4, 1);
  Route(&graph, RandomTables(graph, 5));
  const Routes routes(graph);
  for (std::uint32_t b = 4; b < 16; ++b) {
    const auto first =
        NodesEntered(graph, TracePath(graph, routes, NodeId(0), NodeId(b), 10000, 100));
    for (std::uint16_t port = 10001; port < 10032; ++port)
      EXPECT_EQ(first,
                NodesEntered(graph, TracePath(graph, routes, NodeId(0), NodeId(b), port, 100)));
  }
}

TEST(TableCheck, NamesLoopsAndHoles) {
  const Graph graph = TwoLevelTree(2, 1, 1, 1);  // GPUs 0, 1; leaves 2, 3; spine 4
  ForwardingTables tables = MinHopTables(graph);
  tables.Set(NodeId(4), NodeId(1), PortId(0));  // back to leaf 2
  TableFindings found = CheckTables(graph, tables);
  EXPECT_EQ(found.loops, 1u);
  EXPECT_EQ(Describe(NodeNames(graph), found.first_loops.at(0)),
            "leaf 0 -> spine 0 -> leaf 0 for GPU 1");
  EXPECT_EQ(found.holes, 1u);
  EXPECT_EQ(found.first_holes.at(0).source, NodeId(0));
  EXPECT_EQ(found.first_holes.at(0).destination, NodeId(1));
  found = CheckTables(graph, ForwardingTables(graph));
  EXPECT_EQ(found.loops, 0u);
  EXPECT_EQ(found.holes, 2u);
}

TEST(TablesFile, ComesBackAsItWas) {
  const Graph graph = Generate("AlibabaHPN-DualPlane", {});
  const ForwardingTables tables = RandomTables(graph, 1);
  const std::string text = TablesText(tables);
  EXPECT_EQ(TablesText(ParseTables(text, "t", graph)), text);
  EXPECT_EQ(TablesText(DModKTables(TwoLevelTree(2, 1, 1, 1))),
            "heddle-tables 1 2 5\n2 0 0 0\n2 1 1 1\n3 0 0 1\n3 1 1 0\n4 0 0 0\n4 1 1 1\n");
}

TEST(TablesFile, MistakesAreNamedWithTheirLine) {
  const Graph graph = TwoLevelTree(2, 1, 1, 1);
  const auto message = [&](const std::string& text) {
    try {
      ParseTables(text, "t", graph);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const std::string head = "heddle-tables 1 2 5\n";
  EXPECT_EQ(message(head), "accepted");
  EXPECT_EQ(message("").substr(0, 2), "t:");
  EXPECT_EQ(message("16 0 0 1\n").substr(0, 4), "t:1:");
  EXPECT_NE(message("heddle-tables 2 2 5\n").find("version"), std::string::npos);
  EXPECT_NE(message("heddle-tables 1 3 5\n").find("another topology"), std::string::npos);
  for (const char* line : {"1 0 0 0", "5 0 0 0", "2 1 0 0", "2 0 2 0", "2 0 0 9", "2 0 0", "x",
                           "2 0 0 -1", "2 0 0 99999999999999999999"})
    EXPECT_EQ(message(head + "2 0 0 0\n" + line).substr(0, 4), "t:3:") << line;
  EXPECT_NE(message(head + "2 0 1 0\n2 1 1 1\n").find("t:3: switch 2 has two ports"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
