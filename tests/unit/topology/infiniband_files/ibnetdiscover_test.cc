// SPDX-License-Identifier: GPL-2.0-only
/// What ibnetdiscover prints, with its options and with the texts that people give to nodes.
#include "topology/infiniband_files/ibnetdiscover.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/topology/infiniband_files/small_dumps.h"
#include "topology/infiniband/infiniband_fabric.h"

namespace heddle {
namespace {

using testing::kSmallPorts;
using testing::Replaced;
using testing::SmallBlocks;

InfinibandNetwork ReadDiscovery(const std::string& text) {
  return ParseIbnetdiscover(text, "net.txt");
}

/// All that is known of a network, a line for each node and cable.
std::string Summary(const InfinibandNetwork& network) {
  std::string text;
  const auto add = [&](std::uint64_t number) { text += std::to_string(number) + " "; };
  for (const InfinibandNode& node : network.nodes) {
    text += std::to_string(static_cast<int>(node.kind)) + " " + node.description + " ";
    for (const std::uint64_t number :
         {node.guid, std::uint64_t{node.port_count}, std::uint64_t{node.lid}})
      add(number);
    for (const InfinibandPort& port : node.ports) {
      text += "| ";
      for (const std::uint64_t number : {std::uint64_t{port.number}, port.guid,
                                         std::uint64_t{port.lid}, std::uint64_t{port.lmc}})
        add(number);
    }
    text += "\n";
  }
  for (const InfinibandCable& cable : network.cables) {
    for (const std::uint32_t number : {cable.a.node, std::uint32_t{cable.a.port}, cable.b.node,
                                       std::uint32_t{cable.b.port}, std::uint32_t{cable.width}})
      add(number);
    text += cable.speed + "\n";
  }
  return text;
}

TEST(Ibnetdiscover, ReadsBlocks) {
  EXPECT_EQ(Summary(ReadDiscovery(SmallBlocks())),
            "0 MF0;leaf1:MQM8700/U1 10 40 1 | 1 0 0 0 | 2 0 0 0 | 21 0 0 0 | 22 0 0 0 \n"
            "0 MF0;leaf2:MQM8700/U1 11 40 2 | 1 0 0 0 | 31 0 0 0 | 32 0 0 0 \n"
            "1 node1 HCA-1 192 1 0 | 1 193 3 0 \n"
            "1 node2 HCA-1 194 1 0 | 1 195 4 0 \n"
            "1 node3 HCA-1 196 1 0 | 1 197 5 0 \n"
            "0 1 2 1 4 HDR\n"
            "0 2 3 1 4 HDR\n"
            "0 21 1 31 4 HDR\n"
            "0 22 1 32 4 HDR\n"
            "1 1 4 1 2 HDR\n");
}

TEST(Ibnetdiscover, ReadsAListOfPorts) {
  EXPECT_EQ(Summary(ReadDiscovery(kSmallPorts)),
            "0 leaf1 10 0 1 | 1 0 0 0 | 2 0 0 0 | 21 0 0 0 | 22 0 0 0 \n"
            "0 leaf2 11 0 2 | 1 0 0 0 | 31 0 0 0 | 32 0 0 0 \n"
            "1 node1 193 0 0 | 1 193 3 0 \n"
            "1 node2 195 0 0 | 1 195 4 0 \n"
            "1 node3 197 0 0 | 1 197 5 0 \n"
            "0 1 2 1 4 HDR\n"
            "0 2 3 1 4 HDR\n"
            "0 21 1 31 4 HDR\n"
            "0 22 1 32 4 HDR\n"
            "1 1 4 1 2 HDR\n")
      << "ports without a cable are left out";
}

TEST(Ibnetdiscover, ASwitchWithoutCablesStaysInBothForms) {
  const std::string blocks = SmallBlocks() +
                             "\nSwitch\t36 \"S-0d\"\t\t# \"spare\" base port 0 lid 9 "
                             "lmc 0\n",
                    ports = kSmallPorts + std::string("SW 9 1 0xd 4x SDR 'spare'\n");
  for (const std::string& text : {blocks, ports}) {
    const InfinibandNetwork network = ReadDiscovery(text);
    ASSERT_EQ(network.nodes.size(), 6u);
    EXPECT_EQ(network.nodes[5].description, "spare");
    EXPECT_EQ(network.nodes[5].lid, 9);
  }
}

TEST(Ibnetdiscover, LinesMayEndAsInWindowsAndBeginWithAMark) {
  for (const std::string& text : {SmallBlocks(), std::string(kSmallPorts)}) {
    std::string other = "\xef\xbb\xbf";
    for (const char c : text) other += c == '\n' ? std::string("\r\n") : std::string(1, c);
    EXPECT_EQ(Summary(ReadDiscovery(other)), Summary(ReadDiscovery(text)));
    other.resize(other.size() - 2);
    EXPECT_EQ(Summary(ReadDiscovery(other)), Summary(ReadDiscovery(text)))
        << "without the last line end";
  }
}

TEST(Ibnetdiscover, GroupingAddsLinesAndWords) {
  std::string text = SmallBlocks();
  text = Replaced(text, "sysimgguid=0xa\n", "sysimgguid=0xa\t\t# Chassis 1 (GF0000001) slot 2\n");
  text = Replaced(text, "switchguid=0xa(a)\n", "switchguid=0xa(a)\t# Line 2 Chip 1\n");
  text = Replaced(text, "[21]\t\"S-000000000000000b\"[31]", "[21][ext 5]\t\"S-0b\"[31][ext 17]");
  text = Replaced(text, "lid 3 4xHDR\n", "lid 3 4xHDR slot 3\n");
  text = Replaced(text, "\t\t# \"node2 HCA-1\"\n[1]", "\t\t# \"node2 HCA-1\" (scp)\n[1]");
  text = "\nChassis 1 (guid 0x2c90000000001)\n\n# Spine Nodes\n\n# Line Nodes\n" + text;
  text = Replaced(text, "caguid=0xc0", "\nNon-Chassis Nodes\ncaguid=0xc0");
  EXPECT_EQ(Summary(ReadDiscovery(text)), Summary(ReadDiscovery(SmallBlocks())));
}

TEST(Ibnetdiscover, FullOutputAddsNumbers) {
  std::string text = SmallBlocks();
  text = Replaced(text, "lid 3 4xHDR\n", "lid 3 4xHDR s=8 w=2 v=1\n");
  EXPECT_EQ(Summary(ReadDiscovery(text)), Summary(ReadDiscovery(SmallBlocks())));
}

TEST(Ibnetdiscover, DescriptionsHoldAnything) {
  for (const std::string name : {"a # b", "a;b", "it's a \"b\"", "lid 7 lmc 1 1xSDR", "' - '", "#",
                                 "", "[1] \"S-a\"[2](c)", "\xc3\xbc \x01"}) {
    std::string text = Replaced(SmallBlocks(), "1 \"H-00000000000000c0\"\t\t# \"node1 HCA-1\"",
                                "1 \"H-00000000000000c0\"\t\t# \"" + name + "\"");
    text = Replaced(text, "# \"node1 HCA-1\" lid 3", "# \"" + name + "\" lid 3");
    const InfinibandNetwork network = ReadDiscovery(text);
    EXPECT_EQ(network.nodes[2].description, name);
    EXPECT_EQ(network.nodes[2].ports[0].lid, 3);
    EXPECT_EQ(network.cables[0].speed, "HDR");
  }
  const InfinibandNetwork listed = ReadDiscovery(
      Replaced(kSmallPorts, "( 'node1' - 'leaf1' )", "( 'it's # (node) 1;' - 'leaf' - '1' )"));
  EXPECT_EQ(listed.nodes[2].description, "it's # (node) 1;");
}

TEST(Ibnetdiscover, FilesOfIbsimHaveNoRemarks) {
  const InfinibandNetwork network = ReadDiscovery(
      "Switch\t8 \"S-0a\"\t\t# \"leaf\"\n[1]\t\"H-c0\"[1]\n[2]\t\"H-c2\"[1]\n\n"
      "Hca\t1 \"H-c0\"\t\t# \"one\"\n[1]\t\"S-0a\"[1]\n\nHca 1 \"H-c2\"\n[1]\t\"S-0a\"[2]\n");
  EXPECT_EQ(Summary(network),
            "0 leaf 10 8 0 | 1 0 0 0 | 2 0 0 0 \n1 one 192 1 0 | 1 0 0 0 \n1  194 1 0 | 1 0 0 0 \n"
            "0 1 1 1 0 \n0 2 2 1 0 \n");
  EXPECT_EQ(network.cables[0].rate.bps, 0);
}

TEST(Ibnetdiscover, NoLidIsZeroOrAllOnes) {
  std::string text = Replaced(SmallBlocks(), "lid 3 lmc 0", "lid 65535 lmc 0");
  EXPECT_EQ(ReadDiscovery(text).nodes[2].ports[0].lid, 0);
  text = Replaced(SmallBlocks(), "lid 3 lmc 0", "lid 49151 lmc 0");
  EXPECT_EQ(ReadDiscovery(Replaced(text, "lid 3 4xHDR", "lid 49151 4xHDR")).nodes[2].ports[0].lid,
            49151);
}

TEST(Ibnetdiscover, AnUnknownSpeedIsTakenFromTheOtherEnd) {
  for (const char* unknown : {"4x???", "??????", "???HDR", "4xZDR", ""}) {
    std::string text = Replaced(SmallBlocks(), "lid 3 4xHDR", std::string("lid 3 ") + unknown);
    EXPECT_EQ(ReadDiscovery(text).cables[0].rate.bps, 200'000'000'000) << unknown;
    text = Replaced(text, "lid 3 lmc 0 \"MF0;leaf1:MQM8700/U1\" lid 1 4xHDR",
                    std::string("lid 3 lmc 0 \"MF0;leaf1:MQM8700/U1\" lid 1 ") + unknown);
    const InfinibandNetwork network = ReadDiscovery(text);
    EXPECT_EQ(network.cables[0].rate.bps, 0) << unknown;
    EXPECT_TRUE(network.warnings.empty());
  }
}

TEST(Ibnetdiscover, OfTwoSpeedsTheSlowerIsTaken) {
  for (const bool first : {true, false}) {
    const InfinibandNetwork network = ReadDiscovery(
        first ? Replaced(SmallBlocks(), "lid 3 4xHDR", "lid 3 4xEDR")
              : Replaced(SmallBlocks(), "lid 3 lmc 0 \"MF0;leaf1:MQM8700/U1\" lid 1 4xHDR",
                         "lid 3 lmc 0 \"MF0;leaf1:MQM8700/U1\" lid 1 4xEDR"));
    EXPECT_EQ(network.cables[0].rate.bps, 100'000'000'000);
    ASSERT_EQ(network.warnings.size(), 1u);
    EXPECT_EQ(network.warnings[0],
              "net.txt: 1 cables have another speed at one end than at the other: the slower is "
              "taken");
  }
}

TEST(Ibnetdiscover, IsKnownByItsFirstLine) {
  EXPECT_TRUE(IsIbnetdiscover(SmallBlocks()));
  EXPECT_TRUE(IsIbnetdiscover(kSmallPorts));
  EXPECT_TRUE(IsIbnetdiscover("#\n# Topology file: generated on\n#\n\nvendid=0x0\n"));
  EXPECT_FALSE(IsIbnetdiscover(""));
  EXPECT_FALSE(IsIbnetdiscover("# nothing\n"));
  EXPECT_FALSE(IsIbnetdiscover("40 8 8 4 96 H100\n"));
  EXPECT_FALSE(IsIbnetdiscover("digraph network {\n"));
  EXPECT_FALSE(IsIbnetdiscover("Switches\n"));
  EXPECT_FALSE(IsIbnetdiscover(testing::kSmallRoutes));
}

}  // namespace
}  // namespace heddle
