// SPDX-License-Identifier: GPL-2.0-only
/// Shares of queue pairs of connections that are made by hand.
#include "io/collisions/path_shares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "io/result/graph_table.h"
#include "io/result/result_writer.h"
#include "tests/support/io_test_util.h"
#include "tests/support/made_result.h"
#include "tests/unit/io/two_leaves.h"

namespace heddle {
namespace {

struct Row {
  std::uint32_t src, dst, message;
  std::uint16_t port, channel;
  std::int64_t size, start, fct;
};

/// Table "flows" of a job.
Table FlowRows(const std::vector<Row>& rows) {
  U32 src, dst, number, message, zero32;
  std::vector<std::uint16_t> ports, destination_ports, channel, zero16;
  I64 size, start, fct, ideal;
  U8 priority;
  for (const Row& row : rows) {
    src.push_back(row.src);
    dst.push_back(row.dst);
    number.push_back(static_cast<std::uint32_t>(number.size()));
    message.push_back(row.message);
    ports.push_back(row.port);
    channel.push_back(row.channel);
    destination_ports.push_back(100);
    size.push_back(row.size);
    start.push_back(row.start);
    fct.push_back(row.fct);
    ideal.push_back(1);
    priority.push_back(3);
    zero32.push_back(0);
    zero16.push_back(0);
  }
  return {"flows",
          "",
          {{"src", "1", "", src},
           {"dst", "1", "", dst},
           {"number", "1", "", number},
           {"message", "1", "", message},
           {"source_port", "1", "", ports},
           {"destination_port", "1", "", destination_ports},
           {"priority", "1", "", priority},
           {"size_bytes", "byte", "", size},
           {"start_ps", "ps", "", start},
           {"fct_ps", "ps", "", fct},
           {"ideal_ps", "ps", "", ideal},
           {"job", "1", "", zero16},
           {"operation", "1", "", zero32},
           {"channel", "1", "", channel},
           {"chunk", "1", "", zero32}}};
}

/// A result of TwoLeaves().
std::string WriteResult(const std::string& name, const std::vector<Table>& tables,
                        const char* queue_pairs = "4", const char* recorded = "all",
                        const char* sprayed = "", const char* connections = "lasting") {
  const std::string path = TempPath(name);
  ResultWriter writer(path, true);
  writer.Write(ShapeTable(TwoLeaves()));
  writer.Write(LinkTable(TwoLeaves()));
  for (const Table& table : tables) writer.Write(table);
  writer.WriteAttributes({{"option requests.scheduler", std::string("cast-stripe")},
                          {"option nic.qps_per_connection", std::string(queue_pairs)},
                          {"flows_recorded", std::string(recorded)},
                          {"sprayed_by", std::string(sprayed)},
                          {"option collective.connections", std::string(connections)}});
  writer.Close();
  return path;
}

/// Two messages of a lasting connection on the source ports 10000 to 10003, and one within a
/// server.
std::vector<Row> TwoMessages() {
  return {{0, 2, 0, 10000, 1, 400, 0, 100},    {0, 2, 0, 10001, 1, 100, 5, 100},
          {0, 2, 0, 10002, 1, 50, 0, 90},      {0, 2, 0, 10003, 1, 50, 0, 100},
          {0, 2, 1, 10000, 1, 300, 1000, 200}, {0, 2, 1, 10001, 1, 100, 1000, 150},
          {0, 1, 2, 10000, 1, 900, 0, 100},    {0, 1, 2, 10001, 1, 900, 0, 100}};
}

std::string ErrorOf(const std::string& path) {
  try {
    StudyPaths(path);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(PathShares, SumUpAConnectionOverItsMessages) {
  const PathStudy study = StudyPaths(WriteResult("paths.h5", {FlowRows(TwoMessages())}));
  EXPECT_EQ(study.scheduler, "cast-stripe");
  ASSERT_EQ(study.connections.size(), 1U);
  const ConnectionShares& one = study.connections[0];
  EXPECT_EQ(one.name, (ConnectionName{0, 2, 0, 1, 3}));
  EXPECT_EQ(one.messages, 2);
  EXPECT_EQ(one.time_ps, 105 + 200);
  ASSERT_EQ(one.pairs.size(), 4U);
  EXPECT_EQ(one.bytes, 1000);
  EXPECT_EQ(one.pairs[0].bytes, 700);
  EXPECT_EQ(one.pairs[1].bytes, 200);
  EXPECT_EQ(one.pairs[3].source_port, 10003);
  EXPECT_DOUBLE_EQ(one.most_share(), 0.7);
  EXPECT_DOUBLE_EQ(one.least_share(), 0.05);
  EXPECT_DOUBLE_EQ(one.most_gain(), 4) << "250 instead of 50 bytes";
  EXPECT_EQ(study.times.size(), 1U) << "nothing within a server";
}

/// From leaf 6 by a spine, 8 or 9, to leaf 7 and GPU 2.
TEST(PathShares, KnowThePaths) {
  const PathStudy study = StudyPaths(WriteResult("paths.h5", {FlowRows(TwoMessages())}));
  const ConnectionShares& one = study.connections.at(0);
  std::size_t first = 0;
  for (const PathShare& pair : one.pairs) {
    ASSERT_EQ(pair.path.size(), 3U);
    EXPECT_EQ(pair.path[0].node.value, 6U);
    EXPECT_EQ(pair.path[1].node.value, pair.path[0].port.value == 2 ? 8U : 9U);
    EXPECT_EQ(pair.path[2].node.value, 7U);
    first += pair.path[1].node.value == 8;
  }
  EXPECT_EQ(one.distinct_paths(), first == 0 || first == 4 ? 1U : 2U);
  const PathStudy sprayed = StudyPaths(
      WriteResult("sprayed.h5", {FlowRows(TwoMessages())}, "4", "all", "balance.ports=random"));
  EXPECT_TRUE(sprayed.connections.at(0).pairs.at(0).path.empty());
}

TEST(PathShares, AMessageWithPortsOfItsOwnIsAConnection) {
  std::vector<Row> rows = TwoMessages();
  rows[4].port = 10004;
  rows[5].port = 10005;
  const PathStudy study =
      StudyPaths(WriteResult("own.h5", {FlowRows(rows)}, "4", "all", "", "message"));
  ASSERT_EQ(study.connections.size(), 2U);
  EXPECT_EQ(study.connections[0].bytes, 600);
  EXPECT_EQ(study.connections[1].bytes, 400);
  EXPECT_EQ(study.connections[1].pairs.size(), 2U);
  EXPECT_EQ(study.connections[1].least_share(), 0) << "two queue pairs sent nothing";
  EXPECT_TRUE(std::isinf(study.connections[1].most_gain()));
  ASSERT_EQ(study.times.size(), 1U);
  EXPECT_EQ(study.times.begin()->second.bytes, 1000);
}

TEST(PathShares, ATimeIsOfFinishedMessages) {
  std::vector<Row> rows = TwoMessages();
  rows[5].fct = -1;
  EXPECT_EQ(StudyPaths(WriteResult("open.h5", {FlowRows(rows)})).connections.at(0).time_ps, -1);
}

Table Weights() {
  return {"monitors/cast",
          "",
          {{"time_ps", "ps", "", I64{10, 10, 20, 20}},
           {"src", "1", "", U32{0, 0, 0, 0}},
           {"dst", "1", "", U32{2, 2, 2, 2}},
           {"connection", "1", "", U32{7, 7, 7, 7}},
           {"priority", "1", "", U8{3, 3, 3, 3}},
           {"queue_pair", "1", "", std::vector<std::uint16_t>{0, 1, 0, 1}},
           {"weight", "1", "", F64{0.5, 0.5, 0.9, 0.1}},
           {"estimate_ps", "ps", "", I64{5, 5, 1, 9}},
           {"posted_bytes", "byte", "", I64{50, 50, 150, 60}}}};
}

/// Without rows of flows there are the weights still.
TEST(PathShares, ReadTheLastWeights) {
  const PathStudy study = StudyPaths(WriteResult("w.h5", {FlowRows({}), Weights()}, "2", "none"));
  EXPECT_FALSE(study.has_flows);
  EXPECT_TRUE(study.connections.empty());
  ASSERT_EQ(study.weighed.size(), 1U);
  const WeighedConnection& one = study.weighed[0];
  EXPECT_EQ(one.connection, 7U);
  EXPECT_EQ(one.updates, 2);
  ASSERT_EQ(one.pairs.size(), 2U);
  EXPECT_EQ(one.pairs[0].weight, 0.9);
  EXPECT_EQ(one.pairs[1].estimate_ps, 9);
  EXPECT_EQ(one.pairs[1].posted_bytes, 60);
}

TEST(PathShares, SayWhatRecordsThem) {
  EXPECT_NE(ErrorOf(WriteResult("none.h5", {FlowRows({})}, "4", "none"))
                .find("none.h5: the result has neither its flows nor weights of queue pairs. "
                      "Expected: a run with --record flows=all, or one of CAST"),
            std::string::npos);
  EXPECT_NE(ErrorOf(WriteResult("one.h5", {FlowRows(TwoMessages())}, "1"))
                .find("one queue pair, and so one path. Expected: "),
            std::string::npos);
  EXPECT_THROW(TimesOfConnections(WriteResult("none.h5", {FlowRows({})}, "4", "none")), UserError);
  EXPECT_EQ(TimesOfConnections(WriteResult("one.h5", {FlowRows(TwoMessages())}, "1")).size(), 1U);
}

}  // namespace
}  // namespace heddle
