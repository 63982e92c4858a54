// SPDX-License-Identifier: GPL-2.0-only
#include "io/export/export_monitors.h"

#include <sstream>

#include "io/export/export_fct.h"
#include "tests/support/io_test_util.h"

namespace heddle {
namespace {

using I64 = std::vector<std::int64_t>;
using U32 = std::vector<std::uint32_t>;
using U16 = std::vector<std::uint16_t>;
using U8 = std::vector<std::uint8_t>;

/// The text that `write` writes.
template <class Write>
std::string TextOf(Write write) {
  std::ostringstream out;
  write(out);
  return out.str();
}

Table Queues() {
  return {"monitors/queues",
          "",
          {{"time_ps", "ps", "", I64{1'000'999, 2'000'000'000'000}},
           {"node", "1", "", U32{6, 6}},
           {"port", "1", "", U32{0, 3}},
           {"priority", "1", "", U8{3, 7}},
           {"queued_bytes", "byte", "", I64{9052, 0}},
           {"port_bytes", "byte", "", I64{9112, 5'000'000'000}}}};
}

Table Pairs(const std::string& name, const std::string& value) {
  return {name,
          "",
          {{"time_ps", "ps", "", I64{0, 100'000'000}},
           {"src", "1", "", U32{0, 3}},
           {"dst", "1", "", U32{2, 1}},
           {"source_port", "1", "", U16{10000, 65535}},
           {"destination_port", "1", "", U16{100, 100}},
           {"size_bytes", "byte", "", I64{1, 5'000'000'000}},
           {value, "1", "", I64{400'000'000'000, 7}}}};
}

Table Pauses() {
  return {"pfc",
          "",
          {{"time_ps", "ps", "", I64{1999, 5000, 6001}},
           {"node", "1", "", U32{3, 5, 6}},
           {"port", "1", "", U32{1, 0, 2}},
           {"priority", "1", "", U8{3, 3, 3}},
           {"pause", "1", "", U8{1, 1, 0}}}};
}

TEST(ExportMonitors, QueuesHaveSimaisColumns) {
  EXPECT_EQ(TextOf([](std::ostream& out) { ExportQueues(Queues(), out); }),
            "time, sw_id, port_id, q_id, q_len, port_len\n"
            "1000, 6, 1, 3, 9052, 9112\n"
            "2000000000, 6, 4, 7, 0, 5000000000\n");
}

TEST(ExportMonitors, LinksHaveSimaisColumns) {
  const Table links{"monitors/links",
                    "",
                    {{"time_ps", "ps", "", I64{10'000'000'000}},
                     {"node", "1", "", U32{0}},
                     {"port", "1", "", U32{0}},
                     {"sent_bytes", "byte", "", I64{12'500}},
                     {"throughput_gbps", "Gbit/s", "", std::vector<double>{99.9999996}}}};
  EXPECT_EQ(TextOf([&](std::ostream& out) { ExportLinks(links, out); }),
            "time, node_id, port_id, bandwidth\n"
            "10000000, 0, 1, 100.000000\n");
}

TEST(ExportMonitors, RatesAndCnpsHaveSimaisColumns) {
  EXPECT_EQ(
      TextOf([](std::ostream& out) { ExportRates(Pairs("monitors/rates", "rate_bps"), out); }),
      "time, src, dst, sport, dport, size, curr_rate\n"
      "0, 0, 2, 10000, 100, 1, 400000000000\n"
      "100000, 3, 1, 65535, 100, 5000000000, 7\n");
  EXPECT_EQ(TextOf([](std::ostream& out) { ExportCnps(Pairs("monitors/cnps", "cnps"), out); }),
            "time, src, dst, sport, dport, size, cnp_number\n"
            "0, 0, 2, 10000, 100, 1, 400000000000\n"
            "100000, 3, 1, 65535, 100, 5000000000, 7\n");
}

TEST(ExportMonitors, PausesNameTheKindOfNode) {
  EXPECT_EQ(TextOf([](std::ostream& out) { ExportPauses(Pauses(), SmallGraph(), out); }),
            "1 3 0 2 1\n"
            "5 5 2 1 1\n"
            "6 6 1 3 0\n");
}

TEST(ExportMonitors, WeightsAreACsvFile) {
  const Table cast{"monitors/cast",
                   "",
                   {{"time_ps", "ps", "", I64{1'999, 60'000'000}},
                    {"src", "1", "", U32{0, 3}},
                    {"dst", "1", "", U32{2, 1}},
                    {"connection", "1", "", U32{16'777'216, 7}},
                    {"priority", "1", "", U8{3, 4}},
                    {"queue_pair", "1", "", U16{0, 1023}},
                    {"weight", "1", "", std::vector<double>{0.75, 0.1234567}},
                    {"estimate_ps", "ps", "", I64{10'500'000, 0}},
                    {"posted_bytes", "byte", "", I64{128, 5'000'000'000}}}};
  EXPECT_EQ(TextOf([&](std::ostream& out) { ExportCast(cast, out); }),
            "time_ns,src,dst,connection,priority,queue_pair,weight,estimate_ns,posted_bytes\n"
            "1,0,2,16777216,3,0,0.750000,10500,128\n"
            "60000,3,1,7,4,1023,0.123457,0,5000000000\n");
}

TEST(ExportMonitors, LongTablesAreWhole) {
  Table queues = Queues();
  queues.columns[0].data = I64(100'000, 1000);
  for (int i : {1, 2}) queues.columns[i].data = U32(100'000, 6);
  queues.columns[3].data = U8(100'000, 3);
  for (int i : {4, 5}) queues.columns[i].data = I64(100'000, 9052);
  const std::string line = "1, 6, 7, 3, 9052, 9052\n";
  const std::string text = TextOf([&](std::ostream& out) { ExportQueues(queues, out); });
  EXPECT_EQ(text.size(), 100'000 * line.size() + 44);
  EXPECT_EQ(text.substr(text.size() - line.size()), line);
}

TEST(ExportMonitors, BadTablesAreRefused) {
  std::ostringstream out;
  Table queues = Queues();
  queues.columns.pop_back();
  EXPECT_NE(MessageOf([&] {
              ExportQueues(queues, out);
            }).find("table monitors/queues: no column port_bytes"),
            std::string::npos);
  EXPECT_NE(MessageOf([&] { ExportRates(Pairs("monitors/cnps", "cnps"), out); }).find("rate_bps"),
            std::string::npos);
  Table pauses = Pauses();
  pauses.columns[1].data = U32{3, 7, 6};
  EXPECT_NE(
      MessageOf([&] { ExportPauses(pauses, SmallGraph(), out); }).find("row 1 is about node 7"),
      std::string::npos);
  EXPECT_EQ(out.str().find('7'), std::string::npos);
}

}  // namespace
}  // namespace heddle
