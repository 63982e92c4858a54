// SPDX-License-Identifier: GPL-2.0-only
/// Every mistake in ibnetdiscover's output gives one message with its line.
#include <gtest/gtest.h>

#include <cstring>
#include <ostream>
#include <random>
#include <string>

#include "core/base/check.h"
#include "tests/support/message_of.h"
#include "tests/unit/topology/infiniband_files/small_dumps.h"
#include "topology/infiniband_files/ibnetdiscover.h"

namespace heddle {
namespace {

using testing::kSmallPorts;
using testing::Replaced;
using testing::SmallBlocks;

struct DiscoveryMistake {
  const char* name;
  const char* from;  ///< in the small dump; empty: `to` is the whole file
  const char* to;
  const char* place;   ///< how the message starts
  const char* phrase;  ///< what it must contain
};

void PrintTo(const DiscoveryMistake& mistake, std::ostream* out) { *out << mistake.name; }

class BadIbnetdiscover : public ::testing::TestWithParam<DiscoveryMistake> {
 protected:
  static void ExpectRefusal(const std::string& small) {
    const DiscoveryMistake& mistake = GetParam();
    const std::string text =
        *mistake.from == '\0' ? mistake.to : Replaced(small, mistake.from, mistake.to);
    const std::string what = MessageOf([&] { ParseIbnetdiscover(text, "n.txt"); });
    EXPECT_EQ(what.rfind(mistake.place, 0), 0u) << what;
    EXPECT_NE(what.find(mistake.phrase), std::string::npos) << what;
    EXPECT_NE(what.find(". Expected: "), std::string::npos) << what;
  }
};
class BadBlocks : public BadIbnetdiscover {};
class BadPorts : public BadIbnetdiscover {};

TEST_P(BadBlocks, AreRefusedWithLineAndReason) { ExpectRefusal(SmallBlocks()); }
TEST_P(BadPorts, AreRefusedWithLineAndReason) { ExpectRefusal(kSmallPorts); }

const DiscoveryMistake kBlocks[] = {
    {"Empty", "", "", "n.txt: ", "empty"},
    {"OnlyComments", "", "# a\n\n #b\n", "n.txt: ", "empty"},
    {"OnlyAttributes", "", "vendid=0x2c9\ndevid=0xd2f0\n", "n.txt: ", "no node"},
    {"AnotherFile", "", "# x\n7 2 2 1 8 H100\n", "n.txt:2: ", "\"7 2 2 1 8 H100\""},
    {"AnotherFileOfControls", "", "\x1b[2J\n", "n.txt:1: ", "\\x1b[2J"},
    {"StrangeLine", "[2]\t", "what is this\n[2]\t", "n.txt:7: ", "what is this"},
    {"PortOutside", "Switch\t40 \"S-000000000000000b\"", "devid=0x1 ",
     "n.txt:13: ", "outside of a block"},
    {"NoPortCount", "Switch\t40", "Switch\tx", "n.txt:5: ", "the number of ports"},
    {"PortCountZero", "Switch\t40", "Switch\t0", "n.txt:5: ", "from 1 to 254"},
    {"PortCountHuge", "Switch\t40", "Switch\t1000000000", "n.txt:5: ", "from 1 to 254"},
    {"PortCountBeyondNumbers", "Switch\t40", "Switch\t99999999999999999999",
     "n.txt:5: ", "from 1 to 254"},
    {"PortCountNegative", "Switch\t40", "Switch\t-4", "n.txt:5: ", "from 1 to 254"},
    {"NameWithoutQuote", "40 \"S-000000000000000a\"", "40 S-0a", "n.txt:5: ", "a node's name"},
    {"NameOpen", "40 \"S-000000000000000a\"\t", "40 \"S-0a\t", "n.txt:5: ", "a node's name"},
    {"NameOfAnotherKind", "40 \"S-000000000000000a\"", "40 \"H-0a\"", "n.txt:5: ", "another kind"},
    {"NameOfNoKind", "40 \"S-000000000000000a\"", "40 \"X-0a\"", "n.txt:5: ", "a node's name"},
    {"GuidTooLong", "40 \"S-000000000000000a\"", "40 \"S-10000000000000000\"",
     "n.txt:5: ", "16 hexadecimal digits"},
    {"GuidEmpty", "40 \"S-000000000000000a\"", "40 \"S-\"", "n.txt:5: ", "hexadecimal digits"},
    {"DescriptionOpen", "# \"node1 HCA-1\"\n[1]", "# \"node1 HCA-1\n[1]",
     "n.txt:18: ", "without its end"},
    {"RemarkWithoutMark", "\t\t# \"node1 HCA-1\"\n[1]", " node1\n[1]", "n.txt:18: ", "\"node1\""},
    {"LidHuge", "port 0 lid 1 ", "port 0 lid 70000 ", "n.txt:5: ", "LID 70000"},
    {"LidOfMulticast", "port 0 lid 1 ", "port 0 lid 49152 ", "n.txt:5: ", "LID 49152"},
    {"LidNoNumber", "port 0 lid 1 ", "port 0 lid x ", "n.txt:5: ", "a LID"},
    {"LidCut", "port 0 lid 1 lmc 0", "port 0 lid", "n.txt:5: ", "a LID"},
    {"LmcHuge", "lid 3 lmc 0", "lid 3 lmc 200", "n.txt:19: ", "LMC 200"},
    {"LmcEight", "lid 3 lmc 0", "lid 3 lmc 8", "n.txt:19: ", "0 to 7"},
    {"NodeTwice", "\"S-000000000000000b\"\t\t#", "\"S-000000000000000a\"\t\t#",
     "n.txt:12: ", "on line 5"},
    {"PortTwice", "[22]\t", "[21]\t", "n.txt:9: ", "on line 8"},
    {"PortZero", "[22]\t", "[0]\t", "n.txt:9: ", "from 1 to 254"},
    {"PortBeyondCount", "[22]\t", "[41]\t", "n.txt:9: ", "from 1 to 40"},
    {"PortHuge", "[22]\t", "[1000000000]\t", "n.txt:9: ", "from 1 to 254"},
    {"PortOpen", "[22]\t", "[22\t", "n.txt:9: ", "] after the port"},
    {"ExternalPortOpen", "[22]\t", "[22][ext 4\t", "n.txt:9: ", "external port"},
    {"PortGuidOpen", "[1](c1) ", "[1](c1 ", "n.txt:6: ", ") after the GUID"},
    {"PeerPortMissing", "\"S-000000000000000b\"[31]", "\"S-000000000000000b\"",
     "n.txt:8: ", "the port at the other end"},
    {"PeerCut", "[1]\t\"H-00000000000000c0\"[1](c1) \t\t# \"node1 HCA-1\" lid 3 4xHDR", "[1]",
     "n.txt:6: ", "the line ends"},
    {"PeerMissing", "\"S-000000000000000b\"[31]", "\"S-000000000000000e\"[31]",
     "n.txt:8: ", "says nothing else"},
    {"PeerOfAnotherKind", "\"S-000000000000000b\"[31]", "\"H-000000000000000b\"[31]",
     "n.txt:8: ", "another kind"},
    {"PeerDoesNotTell", "\"S-000000000000000b\"[31]", "\"S-000000000000000b\"[33]",
     "n.txt:8: ", "does not tell it"},
    {"PeerTellsAnother", "\"S-000000000000000b\"[31]", "\"S-000000000000000b\"[32]",
     "n.txt:8: ", "another cable there on line 14"},
    {"LidsDiffer", "# \"node1 HCA-1\" lid 3", "# \"node1 HCA-1\" lid 4",
     "n.txt:6: ", "LID 4, which has LID 3 on line 19"},
    {"LidsOfSwitchDiffer", "\"MF0;leaf2:MQM8700/U1\" lid 2 4xHDR",
     "\"MF0;leaf2:MQM8700/U1\" lid 7 4xHDR", "n.txt:8: ", "LID 7, which has LID 2"},
    {"GuidsDiffer", "[1](c1) \t\t# \"node1", "[1](c7) \t\t# \"node1", "n.txt:6: ", "another GUID"},
};
const DiscoveryMistake kPorts[] = {
    {"Kind", "\nCA     3", "\nCX     3", "n.txt:9: ", "CA, SW or RT"},
    {"LidHuge", "\nCA     3", "\nCA 70000", "n.txt:9: ", "a LID"},
    {"LidOfMulticast", "\nCA     3", "\nCA 50000", "n.txt:9: ", "LID 50000"},
    {"PortHuge", "SW     1 22", "SW     1 255", "n.txt:4: ", "from 0 to 254"},
    {"PortZero", "SW     1 22", "SW     1 0", "n.txt:4: ", "port 0"},
    {"PortTwice", "SW     1 22", "SW     1 21", "n.txt:4: ", "on line 3"},
    {"NoGuid", "22 0x000000000000000a", "22 leaf1", "n.txt:4: ", "hexadecimal"},
    {"NoPeer", " - CA     3  1 0x00000000000000c1 ( 'leaf1' - 'node1' )", " -",
     "n.txt:1: ", "the node's name"},
    {"Cut", "0x00000000000000c1 ( 'leaf1' - 'node1' )", "0x00", "n.txt:1: ", "the line ends"},
    {"NamesCut", "( 'node3' - 'leaf2' )", "( 'node3' - 'le", "n.txt:12: ", "names of both"},
    {"LidsOfSwitch", "\nSW     1 22", "\nSW     6 22", "n.txt:4: ", "another LID, than on line 1"},
    {"KindsOfNode", "\nCA     3  1 0x00000000000000c1", "\nCA     3  1 0x000000000000000a",
     "n.txt:9: ", "another kind"},
    {"OneEnd", "0x000000000000000a 4x HDR - CA     4", "0x000000000000000a 4x HDR 'leaf1' #",
     "n.txt:10: ", "does not tell it"},
    {"PeerMissing", "CA     4  1 0x00000000000000c3 (", "CA     4  1 0x00000000000000d3 (",
     "n.txt:2: ", "nothing else"},
    {"BlockAmongPorts", "\nCA     3", "\nSwitch 3", "n.txt:9: ", "CA, SW or RT"},
};

const auto kName = [](const auto& mistake) { return std::string(mistake.param.name); };
INSTANTIATE_TEST_SUITE_P(All, BadBlocks, ::testing::ValuesIn(kBlocks), kName);
INSTANTIATE_TEST_SUITE_P(All, BadPorts, ::testing::ValuesIn(kPorts), kName);

TEST(BadIbnetdiscovers, EveryCutBeforeTheLastLineIsNoticed) {
  const std::string text = SmallBlocks();
  const std::size_t first = text.find("\n[1]"), last = text.rfind("\t\t# lid 5 lmc 0");
  for (std::size_t length = first + 2; length < last; ++length) {
    EXPECT_THROW(ParseIbnetdiscover(text.substr(0, length), "n.txt"), UserError) << length;
  }
}

TEST(BadIbnetdiscovers, EveryMissingLineOfACableIsNoticed) {
  const std::string text = SmallBlocks();
  std::size_t lines = 0;
  for (std::size_t at = text.find("\n["); at != std::string::npos; at = text.find("\n[", at + 1)) {
    std::string other = text;
    other.erase(at, text.find('\n', at + 1) - at);
    EXPECT_THROW(ParseIbnetdiscover(other, "n.txt"), UserError) << text.substr(at, 40);
    ++lines;
  }
  EXPECT_EQ(lines, 10u);
}

TEST(BadIbnetdiscovers, RubbishIsRefused) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (std::size_t i = 1 + random() % 200; i > 0; --i) text += static_cast<char>(random() % 256);
    EXPECT_THROW(ParseIbnetdiscover(text, "n.txt"), UserError);
  }
}

}  // namespace
}  // namespace heddle
