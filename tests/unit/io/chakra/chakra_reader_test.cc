// SPDX-License-Identifier: GPL-2.0-only
#include "io/chakra/chakra_reader.h"

#include "core/chakra/chakra_order.h"
#include "io/chakra/chakra_limits.h"
#include "tests/support/chakra/chakra_bytes.h"
#include "tests/support/chakra/chakra_text.h"
#include "tests/support/io_test_util.h"

namespace heddle {
namespace {

using testing::Attribute;
using testing::BytesField;
using testing::ChakraFilesOf;
using testing::Dependencies;
using testing::FixedField;
using testing::Framed;
using testing::NodeHead;
using testing::TraceBytes;
using testing::Varint;
using testing::WholeField;

ChakraTrace TraceOf(const std::vector<std::string>& nodes) {
  return ParseChakra(TraceBytes(nodes), "a.0.et");
}
ChakraNode NodeOf(const std::string& node) { return TraceOf({node}).ranks[0].nodes.at(0); }
ChakraTrace TraceOfText(const std::string& text) {
  return ParseChakra(ChakraFilesOf("ranks 1\n" + text)[0], "a.0.et");
}
std::string Refusal(const std::string& bytes) {
  return MessageOf([&] { ParseChakra(bytes, "a.0.et"); });
}
std::string RefusalOf(const std::vector<std::string>& nodes) { return Refusal(TraceBytes(nodes)); }

constexpr int kComp = 4, kRecv = 6, kColl = 7;

TEST(ChakraReader, ReadsEachKindOfNode) {
  const ChakraTrace trace = TraceOfText(
      "0: 1 comp 10 name gemm\n0: 2 comp 3 cpu ops 8 bytes 16\n0: 3 coll ALL_GATHER 100 dims 01\n"
      "0: 4 send 8 to 3 tag 7 after 1 3\n0: 5 recv 9 from 2 tag 500000001\n0: 6 load 64\n"
      "0: 7 store 65\n0: 8 meta\n");
  EXPECT_EQ(trace.version, "1.0.0");
  const std::vector<ChakraNode>& nodes = trace.ranks[0].nodes;
  ASSERT_EQ(nodes.size(), 8u);
  EXPECT_EQ(nodes[0].duration, MicroSeconds(10));
  EXPECT_EQ(trace.names[nodes[0].name], "gemm");
  EXPECT_FALSE(nodes[0].on_cpu);
  EXPECT_TRUE(nodes[1].is_compute() && nodes[1].on_cpu);
  EXPECT_EQ(nodes[1].operations, 8);
  EXPECT_EQ(nodes[1].bytes, 16);
  EXPECT_TRUE(nodes[2].is_collective());
  EXPECT_EQ(nodes[2].collective, ChakraCollective::kAllGather);
  EXPECT_EQ(nodes[2].dimensions, 2u);
  EXPECT_TRUE(nodes[3].is_send());
  EXPECT_EQ(nodes[3].peer, 3u);
  EXPECT_EQ(nodes[3].tag, 7u);
  EXPECT_EQ(nodes[3].waits, 2u);
  EXPECT_TRUE(nodes[4].is_receive());
  EXPECT_EQ(nodes[4].tag, 1u);  // modulo 5 * 10^8
  EXPECT_EQ(nodes[5].kind, ChakraNode::Kind::kMemory);
  EXPECT_EQ(nodes[6].bytes, 65);
  EXPECT_EQ(nodes[7].kind, ChakraNode::Kind::kNothing);
  for (const ChakraNode& node : nodes) {
    const bool lacks = node.is_compute() && !node.on_cpu;  // the roofline's figures
    EXPECT_EQ(node.missing != 0, lacks) << node.id;
  }
}

TEST(ChakraReader, AcceptsEveryTypeOfInteger) {
  const std::vector<std::string> values = {WholeField(7, 1000),     WholeField(9, 1000),
                                           WholeField(11, 1000),    WholeField(13, 1000),
                                           WholeField(15, 2000),    WholeField(17, 2000),
                                           FixedField(19, 1000, 4), FixedField(21, 1000, 8),
                                           FixedField(23, 1000, 4), FixedField(25, 1000, 8)};
  for (const std::string& value : values) {
    const ChakraTrace trace =
        TraceOf({NodeHead(0, kColl) + Attribute("comm_type", 0) + Attribute("comm_size", value)});
    EXPECT_EQ(trace.ranks[0].nodes[0].bytes, 1000);
    EXPECT_EQ(trace.odd.converted.count, 0u);
  }
}

TEST(ChakraReader, ConvertsTextsAndFloatingNumbersAndCountsThem) {
  const std::vector<std::string> values = {FixedField(3, 0x408f400000000000, 8),
                                           FixedField(5, 0x447a0000, 4), BytesField(29, "1000"),
                                           BytesField(31, "1000")};
  for (const std::string& value : values) {
    const ChakraTrace trace =
        TraceOf({NodeHead(0, kColl) + Attribute("comm_type", 0) + Attribute("comm_size", value)});
    EXPECT_EQ(trace.ranks[0].nodes[0].bytes, 1000);
    EXPECT_EQ(trace.odd.converted.count, 1u);
  }
  const auto refused = [](const std::string& value) {
    return RefusalOf({NodeHead(5, kColl) + Attribute("comm_size", value)});
  };
  EXPECT_EQ(refused(FixedField(3, 0x4004000000000000, 8)),
            "node 5 of a.0.et: comm_size 2.5. Expected: an integer from 0 to 9007199254740992");
  EXPECT_EQ(refused(BytesField(29, "one")),
            "node 5 of a.0.et: comm_size 'one'. Expected: an integer from 0 to 9007199254740992");
  EXPECT_EQ(refused(WholeField(9, ~std::uint64_t{0})),
            "node 5 of a.0.et: comm_size -1. Expected: an integer from 0 to 9007199254740992");
  EXPECT_EQ(refused(BytesField(28, BytesField(1, "\1"))).substr(0, 55),
            "node 5 of a.0.et: comm_size a value of another type. Ex");
}

TEST(ChakraReader, FlagsMayBeIntegers) {
  EXPECT_TRUE(NodeOf(NodeHead(0, kComp) + Attribute("is_cpu_op", 1)).on_cpu);
  EXPECT_FALSE(NodeOf(NodeHead(0, kComp) + Attribute("is_cpu_op", WholeField(27, 0))).on_cpu);
  EXPECT_EQ(RefusalOf({NodeHead(0, kComp) + Attribute("is_cpu_op", 2)}),
            "node 0 of a.0.et: is_cpu_op 2. Expected: an integer from 0 to 1");
}

TEST(ChakraReader, SortsNodesAndLinksDependenciesForwardAndBack) {
  const ChakraTrace trace =
      TraceOf({NodeHead(70, kComp) + Dependencies(5, {9}),
               NodeHead(1ULL << 60, kComp) + Dependencies(4, {70, 9}), NodeHead(9, kComp)});
  const ChakraRank& rank = trace.ranks[0];
  ASSERT_EQ(rank.nodes.size(), 3u);
  EXPECT_EQ(rank.nodes[0].id, 9u);
  EXPECT_EQ(rank.nodes[2].id, 1ULL << 60);
  EXPECT_EQ(rank.nodes[0].followers, 2u);
  EXPECT_EQ(rank.nodes[2].waits, 2u);
  EXPECT_EQ(rank.followers, (std::vector<std::uint32_t>{1, 2, 2}));
  EXPECT_EQ(OrderNodes(rank), (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(ChakraReader, AcceptsDependenciesThatAreNotPacked) {
  const ChakraTrace trace = TraceOf({NodeHead(1, kComp), NodeHead(2, kComp),
                                     NodeHead(3, kComp) + WholeField(5, 1) + WholeField(5, 2)});
  EXPECT_EQ(trace.ranks[0].nodes[2].waits, 2u);
}

TEST(ChakraReader, CountsDependenciesOnNodesThatAreNotThere) {
  const ChakraTrace trace = TraceOf({NodeHead(3, kComp) + Dependencies(5, {8, 3}),
                                     NodeHead(2, kComp) + Dependencies(4, {9, 10})});
  EXPECT_EQ(trace.odd.missing_data.count, 1u);
  EXPECT_EQ(trace.PlaceOf(trace.odd.missing_data.first), "node 3 of a.0.et");
  EXPECT_EQ(trace.odd.missing_control.count, 2u);
  EXPECT_EQ(trace.PlaceOf(trace.odd.missing_control.first), "node 2 of a.0.et");
  EXPECT_EQ(trace.odd.on_itself.count, 1u);
  EXPECT_EQ(OrderNodes(trace.ranks[0]).size(), 2u);
}

TEST(ChakraReader, MayLeaveOutControlDependencies) {
  ChakraTrace trace;
  ChakraReader reader(&trace, 1, false);
  const std::string bytes =
      ChakraFilesOf("ranks 1\n0: 1 comp 1\n0: 2 comp 1 after 1 control 1\n")[0];
  reader.ReadRank(OpenBytes(bytes, "a.0.et"), "a.0.et");
  EXPECT_EQ(trace.ranks[0].nodes[1].waits, 1u);
}

TEST(ChakraReader, TakesTheSideOfTheCpuForComputing) {
  const ChakraTrace trace =
      TraceOf({NodeHead(0, kColl) + Attribute("is_cpu_op", WholeField(27, 1)) + WholeField(7, 12),
               NodeHead(1, kRecv) + Attribute("is_cpu_op", WholeField(27, 1))});
  EXPECT_TRUE(trace.ranks[0].nodes[0].is_compute());
  EXPECT_EQ(trace.ranks[0].nodes[0].duration, MicroSeconds(12));
  EXPECT_EQ(trace.odd.cpu_collectives.count, 2u);
}

TEST(ChakraReader, CountsUnknownTypesByNumber) {
  const ChakraTrace trace = TraceOf({NodeHead(0, 8) + BytesField(11, "x") + Attribute("a", 1),
                                     NodeHead(1, 9), NodeHead(2, 9), NodeHead(3, 0)});
  ASSERT_EQ(trace.odd.unknown_types.size(), 3u);
  EXPECT_EQ(trace.odd.unknown_types.at(9).count, 2u);
  EXPECT_EQ(trace.odd.unknown_types.at(9).first.node, 1u);
  EXPECT_EQ(trace.ranks[0].nodes[0].kind, ChakraNode::Kind::kNothing);
}

TEST(ChakraReader, KnowsWhatARunWouldMiss) {
  const ChakraNode send = NodeOf(NodeHead(0, 5) + Attribute("comm_size", 4));
  EXPECT_EQ(send.missing, ChakraNode::kPeer | ChakraNode::kTag);
  EXPECT_EQ(NodeOf(NodeHead(0, kColl)).missing, ChakraNode::kType | ChakraNode::kSize);
  EXPECT_EQ(NodeOf(NodeHead(0, kColl) + Attribute("comm_type", 9)).missing, 0);  // a barrier
  EXPECT_EQ(NodeOf(NodeHead(0, 2)).missing, ChakraNode::kSize);
}

TEST(ChakraReader, RefusesTheSchemaBeforeOctober2023) {
  const std::string expected =
      "node 7 of a.0.et: it is of Chakra's schema before October 2023 (proto2), which had other "
      "fields. Expected: a trace of Chakra 0.0.4 or later, converted anew";
  EXPECT_EQ(RefusalOf({NodeHead(7, kComp) + BytesField(6, "[64]")}), expected);
  EXPECT_EQ(RefusalOf({NodeHead(7, kComp) + BytesField(11, BytesField(1, "comm_size"))}), expected);
}

TEST(ChakraReader, ReadsGroupsOfTheTrace) {
  const std::string values =
      R"(['[{"pg_name": "1", "ranks": [2, 0]}, {"pg_name": "7", "ranks": []}]'])";
  ChakraTrace trace;
  ChakraReader reader(&trace, 3, true);
  const std::string bytes =
      TraceBytes({NodeHead(0, kColl) + Attribute("pg_name", BytesField(29, "1")),
                  NodeHead(1, 1, "## process_group:init ##") + BytesField(8, BytesField(1, values)),
                  NodeHead(2, kColl) + Attribute("pg_name", BytesField(29, "7")),
                  NodeHead(3, kColl) + Attribute("pg_name", BytesField(29, "0")),
                  NodeHead(4, kColl) + Attribute("pg_name", BytesField(29, "")),
                  NodeHead(5, kColl) + Attribute("pg_name", BytesField(29, "x"))});
  reader.ReadRank(OpenBytes(bytes, "a.0.et"), "a.0.et");
  const std::vector<ChakraNode>& nodes = trace.ranks[0].nodes;
  EXPECT_EQ(trace.groups[nodes[0].group].ranks, (std::vector<std::uint32_t>{2, 0}));
  EXPECT_EQ(trace.groups[nodes[2].group].ranks, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(nodes[3].group, 0u);
  EXPECT_EQ(nodes[4].group, 0u);
  EXPECT_FALSE(trace.groups[nodes[5].group].known);
  // The next rank's file says something else.
  const std::string other =
      TraceBytes({NodeHead(6, 1, "## process_group:init ##") +
                  BytesField(8, BytesField(1, R"(['[{"pg_name": "1", "ranks": [0, 1]}]'])"))});
  EXPECT_EQ(MessageOf([&] { reader.ReadRank(OpenBytes(other, "a.1.et"), "a.1.et"); }),
            "node 6 of a.1.et: group 1 has other ranks than in another file or node before. "
            "Expected: groups with the same ranks in the files of all ranks");
}

TEST(ChakraReader, AFileOfGroupsCountsInsteadOfTheTraces) {
  ChakraTrace trace;
  ChakraReader reader(&trace, 3, true);
  reader.ReadGroups(R"({"1": [0, 1]})", "groups.json");
  const std::string bytes =
      TraceBytes({NodeHead(6, 1, "## process_group:init ##") +
                  BytesField(8, BytesField(1, R"(['[{"pg_name": "1", "ranks": [0, 2]}]'])"))});
  reader.ReadRank(OpenBytes(bytes, "a.0.et"), "a.0.et");
  EXPECT_EQ(trace.groups.at(1).ranks, (std::vector<std::uint32_t>{0, 1}));
}

TEST(ChakraReader, RefusesGroupsThatAreNone) {
  const auto refused = [](const std::string& text) {
    return MessageOf([&] {
      ChakraTrace trace;
      ChakraReader(&trace, 3, true).ReadGroups(text, "groups.json");
    });
  };
  EXPECT_EQ(refused("[1]"),
            "groups.json: no object of JSON. Expected: JSON such as {\"1\": [0, 1], \"2\": [2, "
            "3]}, names of groups and their ranks");
  EXPECT_EQ(refused(R"({"1": 3})"),
            "groups.json: group 1 has no list of ranks. Expected: a list such as [0, 1]");
  EXPECT_EQ(refused(R"({"1": [0, -1]})"),
            "groups.json: group 1 has a rank that is none. Expected: ranks below 1048576");
  EXPECT_EQ(refused(R"({"1": [4, 0, 4]})"),
            "groups.json: group 1 has rank 4 twice. Expected: each rank once");
}

TEST(ChakraReader, RefusesWhatIsNoTrace) {
  EXPECT_EQ(Refusal(""), "a.0.et: byte 0: an empty file. Expected: a trace of Chakra");
  EXPECT_EQ(Refusal(std::string(6, '\xff')),
            "a.0.et: byte 0: a length of more than five bytes. Expected: a trace of Chakra");
  EXPECT_EQ(Refusal("\x80"), "a.0.et: byte 0: a length that is cut off. Expected: a whole file");
  EXPECT_EQ(Refusal(Varint(kMaxChakraMessage + 1)),
            "a.0.et: byte 0: a message of 8388609 bytes. Expected: a trace of Chakra, whose "
            "messages have at most 8388608 bytes");
  EXPECT_EQ(
      Refusal(Varint(1000) + "abc"),
      "a.0.et: byte 0: a message of 1000 bytes, of which 3 are there. Expected: a whole file");
  EXPECT_EQ(Refusal(TraceBytes({}) + Framed("\x0f")),
            "a.0.et: byte 8: a node that is no message of protobuf. Expected: a trace of Chakra");
  EXPECT_EQ(Refusal(Framed("\x0f")),
            "a.0.et: byte 0: a first message that is no message of protobuf. Expected: a trace of "
            "Chakra");
}

TEST(ChakraReader, RefusesIdsThatComeTwice) {
  EXPECT_EQ(RefusalOf({NodeHead(4, kComp), NodeHead(2, kComp), NodeHead(4, kRecv)}),
            "a.0.et: two nodes of id 4. Expected: each id once");
}

TEST(ChakraReader, RefusesWhatIsOutOfRange) {
  EXPECT_EQ(RefusalOf({NodeHead(1, kComp) + WholeField(7, 8'640'000'000'001)}),
            "node 1 of a.0.et: duration_micros 8640000000001. Expected: at most 8640000000000 us");
  EXPECT_EQ(RefusalOf({NodeHead(1, kColl) + Attribute("comm_type", 10)}),
            "node 1 of a.0.et: comm_type 10. Expected: an integer from 0 to 9");
  EXPECT_EQ(RefusalOf({NodeHead(1, kRecv) + Attribute("comm_src", 1 << 20)}),
            "node 1 of a.0.et: comm_src 1048576. Expected: an integer from 0 to 1048575");
}

TEST(ChakraReader, AnOddVersionDoesNotMatter) {
  const ChakraTrace trace = ParseChakra(TraceBytes({NodeHead(0, kComp)}, "next week"), "a.0.et");
  EXPECT_EQ(trace.version, "next week");
}

TEST(ChakraReader, DamagedFilesAreErrorsOrTraces) {
  const std::string valid = ChakraFilesOf(
      "ranks 1\n0: 1 comp 10 name gemm\n0: 3 coll ALL_GATHER 100 dims 01 after 1\n0: 4 send 8 to 3 "
      "tag 7 after 1 3\n")[0];
  ExpectOnlyErrors(valid, [](const std::string& bytes) { ParseChakra(bytes, "a.0.et"); });
}

}  // namespace
}  // namespace heddle
