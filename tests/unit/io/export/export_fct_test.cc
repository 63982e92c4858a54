// SPDX-License-Identifier: GPL-2.0-only
#include "io/export/export_fct.h"

#include <sstream>

#include "io/result/graph_table.h"
#include "tests/support/io_test_util.h"

namespace heddle {
namespace {

using I64 = std::vector<std::int64_t>;
using U32 = std::vector<std::uint32_t>;
using U16 = std::vector<std::uint16_t>;

Table Flows() {
  return {"flows",
          "",
          {{"src", "1", "", U32{0, 1, 3, 2}},
           {"dst", "1", "", U32{2, 2, 1, 0}},
           {"source_port", "1", "", U16{10000, 10000, 10007, 10001}},
           {"destination_port", "1", "", U16{100, 100, 100, 100}},
           {"size_bytes", "byte", "", I64{4'000'000, 4'000'000, 1, 5}},
           {"start_ps", "ps", "", I64{1'000'999, 1'000'000, 0, 0}},
           {"fct_ps", "ps", "", I64{648'292'999, 647'968'000, 648'968'000, -1}}}};
}

constexpr Bytes kPayload{9000};

TEST(ExportFct, WritesSimaisColumnsInOrderOfCompletion) {
  // Over switch 6: two links of 400 Gbps and 500 ns; 445 packets are 4,023,140 bytes on the wire.
  // rtt = 2 * 1000 + 2 * 180 ns (9000 bytes each); 4,023,140 * 8 / 400 = 80,462.8 ns.
  const Graph graph = SmallGraph();
  std::ostringstream out;
  EXPECT_EQ(ExportFct(Flows(), PathMetrics(graph, kPayload), kPayload, out), 1u);
  EXPECT_EQ(out.str(),
            "0b000101 0b000201 10000 100 4000000 1000 647968 82822\n"
            "0b000301 0b000101 10007 100 1 0 648968 2361\n"
            "0b000001 0b000201 10000 100 4000000 1000 648292 82822\n");
}

TEST(ExportFct, MissingColumnIsNamed) {
  Table flows = Flows();
  flows.columns.pop_back();
  const Graph graph = SmallGraph();
  const PathMetrics metrics(graph, kPayload);
  std::ostringstream out;
  const auto message = [&] { return MessageOf([&] { ExportFct(flows, metrics, kPayload, out); }); };
  EXPECT_NE(message().find("table flows: no column fct_ps"), std::string::npos);
  flows = Flows();
  flows.columns[0].data = I64{1};
  EXPECT_NE(message().find("column src has another type"), std::string::npos);
}

TEST(GraphTable, GraphComesBackEqual) {
  const Graph graph = SmallGraph();
  const Graph back = GraphFromTables(ShapeTable(graph), LinkTable(graph));
  EXPECT_EQ(back.gpu_count(), 4u);
  EXPECT_EQ(back.nvswitch_count(), 2u);
  EXPECT_EQ(back.switch_count(), 1u);
  EXPECT_EQ(back.gpus_per_server(), 2u);
  EXPECT_EQ(back.gpu_type(), "H100");
  EXPECT_EQ(Digest(LinkTable(back)), Digest(LinkTable(graph)));
  EXPECT_EQ(back.ports(NodeId(6)).size(), graph.ports(NodeId(6)).size());
}

TEST(GraphTable, BadTablesAreRefused) {
  const Graph graph = SmallGraph();
  Table shape = ShapeTable(graph);
  Table links = LinkTable(graph);
  links.columns[0].data = U32(8, 99);
  MessageOf([&] { GraphFromTables(shape, links); });
  shape.columns[0].data = U32{4'000'000'000};
  MessageOf([&] { GraphFromTables(shape, links); });
  shape.columns[0].data = U32{};
  EXPECT_NE(MessageOf([&] { GraphFromTables(shape, links); }).find("0 rows"), std::string::npos);
  EXPECT_NE(MessageOf([&] { GraphFromTables(links, links); }).find("no column gpus"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
