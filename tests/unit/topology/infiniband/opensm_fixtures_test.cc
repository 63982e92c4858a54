// SPDX-License-Identifier: GPL-2.0-only
/// Dumps of subnets that OpenSM routed (tests/data/infiniband): all forms tell the same network and
/// the same tables, and the same ways as ORCS's file of the network.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/support/test_data.h"
#include "topology/files/orcs_dot.h"
#include "topology/infiniband/infiniband_fabric.h"
#include "topology/infiniband_files/forwarding_dump.h"
#include "topology/infiniband_files/ibnetdiscover.h"
#include "topology/tables/table_check.h"
#include "topology/tables/tables_file.h"

namespace heddle {
namespace {

constexpr const char* kTopologies[] = {"ibnetdiscover.out", "ibnetdiscover_p.out"};
constexpr const char* kTables[] = {"opensm.fdbs", "ibdiagnet.fdbs", "dump_fts.out",
                                   "opensm-lfts.dump"};

class OpensmFixture : public ::testing::TestWithParam<const char*> {
 protected:
  static std::string Text(const std::string& file) {
    return ReadText(std::string(HEDDLE_TEST_DATA) + "/infiniband/" + GetParam() + "/" + file);
  }
  static InfinibandNetwork Network(const std::string& file) {
    return ParseIbnetdiscover(Text(file), file);
  }
  static InfinibandFabric Fabric(const std::string& topology, const std::string& tables) {
    const InfinibandNetwork network = Network(topology);
    const ForwardingDump dump = ParseForwardingDump(Text(tables), tables, network);
    return MakeFabric(network, &dump);
  }
  /// The names of the nodes on the way between two hosts.
  static std::vector<std::string> Way(const InfinibandFabric& fabric, NodeId from, NodeId to) {
    std::vector<std::string> names = {fabric.names[from.value]};
    NodeId node = fabric.graph.ports(from)[0].peer;
    while (node != to && names.size() < 10) {
      names.push_back(fabric.names[node.value]);
      const std::uint16_t port = fabric.tables->At(node, to);
      if (port == ForwardingTables::kNone) return {};
      node = fabric.graph.ports(node)[port].peer;
    }
    names.push_back(fabric.names[node.value]);
    return names;
  }
};

/// What both forms tell of a cable's end: the node's description, LID and port.
std::string EndText(const InfinibandNetwork& network, InfinibandEnd end) {
  const InfinibandNode& node = network.nodes[end.node];
  const InfinibandPort& port = PortNumbered(node, end.port);
  const bool is_switch = node.kind == InfinibandKind::kSwitch;
  return node.description + " " + std::to_string(is_switch ? node.lid : port.lid) + " " +
         std::to_string(is_switch ? node.guid : port.guid) + " " + std::to_string(end.port);
}

std::set<std::string> CableTexts(const InfinibandNetwork& network) {
  std::set<std::string> texts;
  for (const InfinibandCable& cable : network.cables) {
    const std::string a = EndText(network, cable.a), b = EndText(network, cable.b);
    texts.insert(std::min(a, b) + " - " + std::max(a, b) + " " + std::to_string(cable.width) +
                 cable.speed + " " + std::to_string(cable.rate.bps));
  }
  return texts;
}

TEST_P(OpensmFixture, BothFormsTellTheSameNetwork) {
  const InfinibandNetwork blocks = Network(kTopologies[0]), ports = Network(kTopologies[1]);
  EXPECT_EQ(blocks.nodes.size(), 24u);
  EXPECT_EQ(ports.nodes.size(), 24u);
  EXPECT_EQ(blocks.cables.size(), 32u);
  EXPECT_EQ(CableTexts(blocks).size(), 32u);
  EXPECT_EQ(CableTexts(blocks), CableTexts(ports));
  EXPECT_TRUE(
      CableTexts(blocks).count("leaf0 2 2097152 1 - node01 HCA-1 1 1048577 1 4SDR "
                               "8000000000"));
  EXPECT_TRUE(blocks.warnings.empty());
}

TEST_P(OpensmFixture, AllFormsTellTheSameTables) {
  const InfinibandFabric first = Fabric(kTopologies[0], kTables[0]);
  const std::string tables = TablesText(*first.tables);
  for (const char* topology : kTopologies) {
    for (const char* form : kTables) {
      SCOPED_TRACE(std::string(topology) + " and " + form);
      const InfinibandFabric fabric = Fabric(topology, form);
      EXPECT_EQ(TablesText(*fabric.tables), tables);
      EXPECT_EQ(fabric.names, first.names);
      EXPECT_EQ(fabric.descriptions, first.descriptions);
      EXPECT_EQ(fabric.port_numbers, first.port_numbers);
      EXPECT_TRUE(fabric.warnings.empty()) << fabric.warnings.front();
    }
  }
  EXPECT_EQ(TablesText(ParseTables(tables, "again.txt", first.graph)), tables);
  const TableFindings findings = CheckTables(first.graph, *first.tables);
  EXPECT_EQ(findings.loops, 0u);
  EXPECT_EQ(findings.holes, 0u);
}

TEST_P(OpensmFixture, HostsMeetByTheSameSwitchesAsInOrcs) {
  const InfinibandFabric fabric = Fabric(kTopologies[0], kTables[0]);
  const OrcsDot dot(Text("net.dot"), "net.dot");
  const StaticNetwork& network = dot.network();
  ASSERT_EQ(fabric.graph.gpu_count(), 16u);
  ASSERT_EQ(network.host_count(), 16u);
  for (std::uint32_t host = 0; host < 16; ++host)
    EXPECT_EQ(fabric.names[host], network.HostName(host)) << "the order of hosts";
  std::vector<std::uint32_t> cables;
  std::size_t pairs = 0;
  for (std::uint32_t a = 0; a < 16; ++a) {
    for (std::uint32_t b = 0; b < 16; ++b) {
      if (a == b) continue;
      ASSERT_EQ(network.Walk(a, b, &cables), WalkEnd::kArrived);
      std::vector<std::string> names = {network.HostName(a)};
      for (const std::uint32_t cable : cables)
        names.push_back(network.NodeName(network.cables()[cable].to));
      EXPECT_EQ(Way(fabric, NodeId(a), NodeId(b)), names);
      ++pairs;
    }
  }
  EXPECT_EQ(pairs, 240u);
}

INSTANTIATE_TEST_SUITE_P(Engines, OpensmFixture, ::testing::Values("minhop", "updn"),
                         [](const auto& engine) { return std::string(engine.param); });

}  // namespace
}  // namespace heddle
