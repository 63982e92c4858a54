// SPDX-License-Identifier: GPL-2.0-only
/// Which nodes, links and tables a fabric has of a subnet.
#include "topology/infiniband/infiniband_fabric.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/check.h"
#include "tests/support/message_of.h"
#include "tests/unit/topology/infiniband_files/small_dumps.h"
#include "topology/infiniband_files/forwarding_dump.h"
#include "topology/infiniband_files/ibnetdiscover.h"
#include "topology/tables/table_check.h"
#include "topology/tables/tables_file.h"

namespace heddle {
namespace {

using testing::kSmallPorts;
using testing::kSmallRoutes;
using testing::Replaced;
using testing::SmallBlocks;
using Texts = std::vector<std::string>;

InfinibandFabric Make(const std::string& text, const InfinibandOptions& options = {}) {
  return MakeFabric(ParseIbnetdiscover(text, "net.txt"), nullptr, options);
}

InfinibandFabric MakeRouted(const std::string& text, const std::string& routes) {
  const InfinibandNetwork network = ParseIbnetdiscover(text, "net.txt");
  const ForwardingDump dump = ParseForwardingDump(routes, "t.txt", network);
  return MakeFabric(network, &dump);
}

/// "0-3 200Gbps" for each link.
Texts Links(const Graph& graph) {
  Texts texts;
  for (const Link& link : graph.links()) {
    texts.push_back(std::to_string(link.a.value) + "-" + std::to_string(link.b.value) + " " +
                    ToText(link.rate));
  }
  return texts;
}

/// The small subnet with the node behind a port of leaf1 replaced.
std::string WithNode(const std::string& kind, const std::string& letter,
                     const std::string& description) {
  std::string text = Replaced(SmallBlocks(), "H-00000000000000c2\"[1](c3) \t\t# \"node2 HCA-1\"",
                              letter + "-c2\"[1](c3) \t\t# \"" + description + "\"");
  text = Replaced(text, "Ca\t1 \"H-00000000000000c2\"\t\t# \"node2 HCA-1\"",
                  kind + "\t1 \"" + letter + "-c2\"\t\t# \"" + description + "\"");
  return text;
}

TEST(InfinibandFabric, HasHostsBySwitchAndPort) {
  const InfinibandFabric fabric = Make(SmallBlocks());
  EXPECT_EQ(fabric.graph.gpu_count(), 3u);
  EXPECT_EQ(fabric.graph.switch_count(), 2u);
  EXPECT_EQ(fabric.graph.gpus_per_server(), 1u);
  EXPECT_EQ(fabric.names, (Texts{"H00000000000000c1", "H00000000000000c3", "H00000000000000c5",
                                 "S000000000000000a", "S000000000000000b"}));
  EXPECT_EQ(fabric.descriptions, (Texts{"node1 HCA-1", "node2 HCA-1", "node3 HCA-1",
                                        "MF0;leaf1:MQM8700/U1", "MF0;leaf2:MQM8700/U1"}));
  EXPECT_EQ(Links(fabric.graph),
            (Texts{"0-3 200Gbps", "1-3 200Gbps", "2-4 100Gbps", "3-4 200Gbps", "3-4 200Gbps"}));
  EXPECT_EQ(fabric.graph.link(LinkId(0)).delay.ps, 500'000);
  EXPECT_EQ(fabric.tables, nullptr);
  EXPECT_TRUE(fabric.warnings.empty());
}

TEST(InfinibandFabric, KnowsTheNumbersOfPorts) {
  using Numbers = std::vector<std::uint8_t>;
  const InfinibandFabric fabric = Make(SmallBlocks());
  EXPECT_EQ(fabric.port_numbers,
            (std::vector<Numbers>{{1}, {1}, {1}, {1, 2, 21, 22}, {1, 31, 32}}));
  const Graph& graph = fabric.graph;
  for (std::uint32_t node = 0; node < graph.node_count(); ++node)
    EXPECT_EQ(fabric.port_numbers[node].size(), graph.ports(NodeId(node)).size());
}

TEST(InfinibandFabric, DoesNotDependOnTheOrderOrTheFormOfTheDump) {
  const InfinibandFabric fabric = Make(SmallBlocks());
  const std::string other = std::string(testing::kHosts) + "\n" + testing::kLeaf2 + testing::kLeaf1;
  for (const std::string& text : {other, std::string(kSmallPorts)}) {
    const InfinibandFabric again = Make(text);
    EXPECT_EQ(again.names, fabric.names);
    EXPECT_EQ(Links(again.graph), Links(fabric.graph));
    EXPECT_EQ(again.port_numbers, fabric.port_numbers);
  }
}

TEST(InfinibandFabric, HasTheTablesOfTheDump) {
  const InfinibandFabric fabric = MakeRouted(SmallBlocks(), kSmallRoutes);
  EXPECT_EQ(TablesText(*fabric.tables),
            "heddle-tables 1 3 5\n3 0 0 0\n3 1 1 1\n3 2 2 2\n4 0 0 1\n4 1 1 2\n4 2 2 0\n");
  EXPECT_TRUE(fabric.warnings.empty());
  EXPECT_EQ(CheckTables(fabric.graph, *fabric.tables).holes, 0u);
}

TEST(InfinibandFabric, EntriesWithoutAWayAreHoles) {
  std::string routes = Replaced(kSmallRoutes, "0x0003 : 001  ", "0x0003 : 000  ");
  routes = Replaced(routes, "0x0004 : 002  : 01   : yes", "0x0004 : UNREACHABLE");
  routes = Replaced(routes, "0x0005 : 021  ", "0x0005 : 023  ");
  const InfinibandFabric fabric = MakeRouted(SmallBlocks(), routes);
  for (std::uint32_t host = 0; host < 3; ++host)
    EXPECT_EQ(fabric.tables->At(NodeId(3), NodeId(host)), ForwardingTables::kNone);
  EXPECT_EQ(fabric.warnings, Texts{"t.txt: 1 entries for hosts name a port without a cable"});
}

TEST(InfinibandFabric, ASwitchWithoutATableIsAWarning) {
  const std::string routes = kSmallRoutes;
  const InfinibandFabric fabric =
      MakeRouted(SmallBlocks(), routes.substr(0, routes.rfind("dump_ucast")));
  EXPECT_EQ(fabric.tables->At(NodeId(4), NodeId(0)), ForwardingTables::kNone);
  EXPECT_EQ(fabric.warnings, Texts{"t.txt: 1 switches have no table"});
  EXPECT_GT(CheckTables(fabric.graph, *fabric.tables).holes, 0u);
}

TEST(InfinibandFabric, LidsOfNobodyAreAWarning) {
  const InfinibandFabric fabric =
      MakeRouted(SmallBlocks(), kSmallRoutes + std::string("0x0009 : 001\n0x000b : 001\n"));
  EXPECT_EQ(fabric.warnings, Texts{"t.txt: 2 LIDs are of no port of the network"});
}

TEST(InfinibandFabric, OfSeveralLidsTheFirstCounts) {
  std::string text = Replaced(SmallBlocks(), "lid 3 lmc 0", "lid 6 lmc 1");
  text = Replaced(text, "lid 3 4xHDR", "lid 6 4xHDR");
  std::string routes = Replaced(kSmallRoutes, "0x0003 : 001", "0x0006 : 001");
  routes = Replaced(routes, "0x0003 : 031  : 02   : yes\n",
                    "0x0006 : 031  : 02   : yes\n0x0007 : 032  : 02   : yes\n");
  const InfinibandFabric fabric = MakeRouted(text, routes);
  EXPECT_EQ(fabric.tables->At(NodeId(4), NodeId(0)), 1) << "port 31, not 32";
  EXPECT_EQ(fabric.warnings,
            Texts{"net.txt: 1 hosts have 2 LIDs (LMC above 0): of 2 paths to them, those of the "
                  "first LID of each are taken"});
}

TEST(InfinibandFabric, OneLidForTwoPortsIsAnErrorOfTables) {
  std::string text = Replaced(SmallBlocks(), "lid 4 lmc 0", "lid 2 lmc 0");
  text = Replaced(text, "lid 4 4xHDR", "lid 2 4xHDR");
  EXPECT_EQ(MessageOf([&] { MakeRouted(text, kSmallRoutes); }),
            "net.txt:23: LID 2 is also that of line 12. Expected: a LID of its own for each port");
  EXPECT_EQ(Make(text).graph.gpu_count(), 3u) << "without tables it does no harm";
  text = Replaced(SmallBlocks(), "lid 4 lmc 0", "lid 4 lmc 1");
  EXPECT_EQ(MessageOf([&] { MakeRouted(text, kSmallRoutes); }),
            "net.txt:27: LID 5 is also that of line 23. Expected: a LID of its own for each port");
  text = Replaced(text, "lid 4 lmc 1", "lid 49150 lmc 7");
  text = Replaced(text, "lid 4 4xHDR", "lid 49150 4xHDR");
  EXPECT_EQ(MessageOf([&] { MakeRouted(text, kSmallRoutes); }),
            "net.txt:23: LIDs 49150 to 49277. Expected: LIDs up to 49151");
}

TEST(InfinibandFabric, AHostWithoutALidIsLeftOutOfTables) {
  std::string text = Replaced(SmallBlocks(), "lid 4 lmc 0", "lid 0 lmc 0");
  text = Replaced(text, "lid 4 4xHDR", "lid 0 4xHDR");
  const InfinibandFabric fabric = MakeRouted(text, kSmallRoutes);
  EXPECT_EQ(fabric.graph.gpu_count(), 2u);
  EXPECT_EQ(fabric.warnings, (Texts{"net.txt: left out: 1 ports of CAs without a LID",
                                    "t.txt: 1 LIDs are of no port of the network"}));
  EXPECT_EQ(Make(text).graph.gpu_count(), 3u) << "without tables nobody needs it";
}

TEST(InfinibandFabric, LeavesOutAggregationNodes) {
  const std::string text = WithNode("Ca", "H", "Mellanox Technologies Aggregation Node");
  const InfinibandFabric fabric = MakeRouted(text, kSmallRoutes);
  EXPECT_EQ(fabric.names, (Texts{"H00000000000000c1", "H00000000000000c5", "S000000000000000a",
                                 "S000000000000000b"}));
  EXPECT_EQ(fabric.port_numbers[2], (std::vector<std::uint8_t>{1, 21, 22}));
  EXPECT_EQ(fabric.tables->At(NodeId(2), NodeId(1)), 1) << "port 21";
  EXPECT_EQ(fabric.warnings, Texts{"net.txt: left out: 1 cables of aggregation nodes"});
  InfinibandOptions keep;
  keep.drop_aggregation_nodes = false;
  EXPECT_EQ(Make(text, keep).graph.gpu_count(), 3u);
}

TEST(InfinibandFabric, LeavesOutRouters) {
  const InfinibandFabric fabric = MakeRouted(WithNode("Rt", "R", "gateway"), kSmallRoutes);
  EXPECT_EQ(fabric.graph.gpu_count(), 2u);
  EXPECT_EQ(fabric.graph.switch_count(), 2u);
  EXPECT_EQ(fabric.warnings, Texts{"net.txt: left out: 1 cables of routers"});
  std::string ports = Replaced(kSmallPorts, "CA     4", "RT     4");
  ports = Replaced(ports, "\nCA     4", "\nRT     4");
  EXPECT_EQ(Make(ports).names, fabric.names);
}

TEST(InfinibandFabric, EachPortOfACaIsAHost) {
  std::string text = Replaced(SmallBlocks(), "H-00000000000000c2\"[1](c3)", "H-c0\"[2](c3)");
  text = Replaced(text, "Ca\t1 \"H-00000000000000c0\"", "Ca\t2 \"H-00000000000000c0\"");
  text = Replaced(text, "\ncaguid=0xc2\nCa\t1 \"H-00000000000000c2\"\t\t# \"node2 HCA-1\"\n[1]",
                  "[2]");
  const InfinibandFabric fabric = MakeRouted(text, kSmallRoutes);
  EXPECT_EQ(fabric.names, Make(SmallBlocks()).names);
  EXPECT_EQ(fabric.descriptions[1], "node1 HCA-1");
  EXPECT_EQ(fabric.port_numbers[1], std::vector<std::uint8_t>{2});
  EXPECT_EQ(fabric.tables->At(NodeId(4), NodeId(1)), 2) << "port 32";
}

TEST(InfinibandFabric, CablesFromANodeToItselfAreLeftOut) {
  const std::string loop = "[30]\t\"S-0a\"[30]\n[28]\t\"S-0a\"[29]\n[29]\t\"S-0a\"[28]\n[21]\t";
  const InfinibandFabric fabric = Make(Replaced(SmallBlocks(), "[21]\t", loop));
  EXPECT_EQ(Links(fabric.graph), Links(Make(SmallBlocks()).graph));
  EXPECT_EQ(fabric.warnings, Texts{"net.txt: left out: 2 cables from a node to itself"});
}

TEST(InfinibandFabric, HostsMayBeBackToBack) {
  const InfinibandFabric fabric =
      Make(SmallBlocks() +
           "\nCa 2 \"H-d0\" # \"a\"\n[1](d1) \"H-d2\"[1](d3) # lid 1 lmc 0 \"b\" lid 2 4xEDR\n"
           "[2](d9) \"H-d0\"[2](d9) # lid 0 lmc 0 \"a\" lid 0 4xEDR\n"
           "Ca 1 \"H-d2\" # \"b\"\n[1](d3) \"H-d0\"[1](d1) # lid 2 lmc 0 \"a\" lid 1 4xEDR\n");
  EXPECT_EQ(fabric.graph.gpu_count(), 5u);
  EXPECT_EQ(fabric.names[3], "H00000000000000d1");
  EXPECT_EQ(fabric.graph.ports(NodeId(3))[0].peer, NodeId(4));
  EXPECT_EQ(fabric.warnings, Texts{"net.txt: left out: 1 cables from a node to itself"});
}

TEST(InfinibandFabric, HostsWithoutAGuidAreNamedByTheirNode) {
  const InfinibandFabric fabric =
      Make("Switch 8 \"S-0a\" # \"leaf\"\n[1] \"H-c0\"[1]\nHca 1 \"H-c0\"\n[1] \"S-0a\"[1]\n");
  EXPECT_EQ(fabric.names, (Texts{"H00000000000000c0-1", "S000000000000000a"}));
}

TEST(InfinibandFabric, UnknownSpeedsAreChosenByTheCaller) {
  std::string text = SmallBlocks();
  while (text.find("4xHDR") != std::string::npos) text = Replaced(text, "4xHDR", "4x???");
  InfinibandOptions options;
  options.default_rate = BitRate{400'000'000'000};
  options.cable_delay = NanoSeconds(30);
  const InfinibandFabric fabric = Make(text, options);
  EXPECT_EQ(Links(fabric.graph),
            (Texts{"0-3 400Gbps", "1-3 400Gbps", "2-4 100Gbps", "3-4 400Gbps", "3-4 400Gbps"}));
  EXPECT_EQ(fabric.graph.link(LinkId(0)).delay.ps, 30'000);
  EXPECT_EQ(fabric.warnings,
            Texts{"net.txt: 4 cables have no known speed, the first has 4x???: 400Gbps is taken"});
  options.default_rate = {0};
  EXPECT_EQ(MessageOf([&] { Make(text, options); }),
            "net.txt: 4 cables have no known speed, the first has 4x???. Expected: a speed to take "
            "for them");
}

TEST(InfinibandFabric, ASpeedThatIsNotKnownIsNamed) {
  std::string text = SmallBlocks();
  while (text.find("4xHDR") != std::string::npos) text = Replaced(text, "4xHDR", "9xFOO");
  EXPECT_EQ(Make(text).warnings,
            Texts{"net.txt: 4 cables have no known speed, the first has 9xFOO: 100Gbps is taken"});
}

TEST(InfinibandFabric, WithoutAHostThereIsNone) {
  const std::string what =
      MessageOf([] { Make("Switch\t36 \"S-0d\"\t\t# \"spare\" base port 0 lid 9 lmc 0\n"); });
  EXPECT_EQ(what.rfind("net.txt: no host. Expected: ", 0), 0u) << what;
}

TEST(InfinibandFabric, HandsOnTheWarningsOfTheReaders) {
  const InfinibandFabric fabric =
      MakeRouted(Replaced(SmallBlocks(), "lid 3 4xHDR", "lid 3 4xEDR"),
                 std::string("dump_ucast_routes: Switch 0xf\n") + kSmallRoutes);
  ASSERT_EQ(fabric.warnings.size(), 2u);
  EXPECT_EQ(fabric.warnings[0].rfind("net.txt: 1 cables have another speed", 0), 0u);
  EXPECT_EQ(fabric.warnings[1].rfind("t.txt: 1 switches are not in net.txt", 0), 0u);
}

}  // namespace
}  // namespace heddle
