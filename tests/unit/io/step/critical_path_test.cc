// SPDX-License-Identifier: GPL-2.0-only
/// Critical paths of time lines that are made by hand.
#include "io/step/critical_path.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {
namespace {

using Kind = PathPiece::Kind;

struct StepRow {
  std::uint32_t gpu;
  std::int64_t operation;  ///< -1: compute
  std::int64_t start, end;
};

/// Table "steps" of job 0; all GPUs are in group 0.
Table Steps(const std::vector<StepRow>& rows) {
  std::vector<std::uint32_t> job, gpu, layer;
  std::vector<std::string> phase;
  std::vector<std::int64_t> operation, group, start, end;
  for (const StepRow& row : rows) {
    job.push_back(0);
    gpu.push_back(row.gpu);
    layer.push_back(static_cast<std::uint32_t>(layer.size()));
    phase.emplace_back("fwd");
    operation.push_back(row.operation);
    group.push_back(row.operation < 0 ? -1 : 0);
    start.push_back(row.start);
    end.push_back(row.end);
  }
  return {"steps",
          "",
          {{"job", "1", "", job},
           {"gpu", "1", "", gpu},
           {"layer", "1", "", layer},
           {"phase", "1", "", phase},
           {"operation", "1", "", operation},
           {"group", "1", "", group},
           {"start_ps", "ps", "", start},
           {"end_ps", "ps", "", end}}};
}

struct FlowRow {
  std::uint32_t src, dst, operation;
  std::int64_t start, fct;
  std::int64_t received = -1;  ///< -1: as fct
};

Table Flows(const std::vector<FlowRow>& rows) {
  std::vector<std::uint16_t> job, channel;
  std::vector<std::uint32_t> src, dst, operation;
  std::vector<std::int64_t> start, fct, received;
  for (const FlowRow& row : rows) {
    job.push_back(0);
    channel.push_back(0);
    src.push_back(row.src);
    dst.push_back(row.dst);
    operation.push_back(row.operation);
    start.push_back(row.start);
    fct.push_back(row.fct);
    received.push_back(row.received < 0 ? row.fct : row.received);
  }
  return {"flows",
          "",
          {{"job", "1", "", job},
           {"channel", "1", "", channel},
           {"src", "1", "", src},
           {"dst", "1", "", dst},
           {"operation", "1", "", operation},
           {"start_ps", "ps", "", start},
           {"fct_ps", "ps", "", fct},
           {"received_ps", "ps", "", received}}};
}

struct Expected {
  Kind kind;
  std::int64_t from, to;
  std::uint32_t node;
};

/// The path, whose pieces must follow each other without a gap from 0 to `end`.
std::vector<PathPiece> MadePath(const std::vector<StepRow>& steps,
                                const std::vector<FlowRow>& flows, std::uint32_t gpu,
                                std::int64_t end) {
  const StepActivities activities(Steps(steps), 0, {"TP", "TP"});
  const Table table = Flows(flows);
  const MessageIndex messages(table, 0, false);
  std::vector<PathPiece> path =
      FindCriticalPath(activities, flows.empty() ? nullptr : &messages, gpu, 0, end);
  std::int64_t at = 0;
  for (const PathPiece& piece : path) {
    EXPECT_EQ(piece.from_ps, at);
    EXPECT_LT(piece.from_ps, piece.to_ps);
    at = piece.to_ps;
  }
  EXPECT_EQ(at, end);
  return path;
}

void ExpectPath(const std::vector<PathPiece>& path, const std::vector<Expected>& expected) {
  ASSERT_EQ(path.size(), expected.size());
  for (std::size_t i = 0; i < path.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(path[i].kind, expected[i].kind);
    EXPECT_EQ(path[i].from_ps, expected[i].from);
    EXPECT_EQ(path[i].to_ps, expected[i].to);
    EXPECT_EQ(path[i].node, expected[i].node);
  }
}

TEST(CriticalPath, OfAGpuThatOnlyComputes) {
  ExpectPath(MadePath({{0, -1, 0, 40}, {0, -1, 41, 90}}, {}, 0, 90),
             {{Kind::kCompute, 0, 40, 0}, {Kind::kOther, 40, 41, 0}, {Kind::kCompute, 41, 90, 0}});
}

/// A ring of three: 0 sends to 1 what 2 sent to 0.
TEST(CriticalPath, GoesBackFromMessageToMessage) {
  const std::vector<StepRow> steps = {{0, -1, 0, 10}, {1, -1, 0, 10}, {2, -1, 0, 10},
                                      {0, 0, 10, 60}, {1, 0, 10, 70}, {2, 0, 10, 60}};
  const std::vector<FlowRow> flows = {{2, 0, 0, 15, 20}, {0, 1, 0, 40, 30}, {1, 2, 0, 15, 20}};
  ExpectPath(MadePath(steps, flows, 1, 70), {{Kind::kCompute, 0, 10, 2},
                                             {Kind::kSoftware, 10, 15, 2},
                                             {Kind::kMessage, 15, 35, 2},
                                             {Kind::kSoftware, 35, 40, 0},
                                             {Kind::kMessage, 40, 70, 0}});
}

/// GPU 1 computes until 50, GPU 0 until 10 and then waits for it.
TEST(CriticalPath, NamesTheGpuForWhichItsGroupWaits) {
  const std::vector<StepRow> steps = {
      {0, -1, 0, 10}, {1, -1, 0, 50}, {0, 0, 10, 80}, {1, 0, 50, 75}};
  const std::vector<FlowRow> flows = {{1, 0, 0, 55, 25}, {0, 1, 0, 15, 20}};
  const std::vector<PathPiece> path = MadePath(steps, flows, 0, 80);
  ExpectPath(path, {{Kind::kCompute, 0, 10, 1},
                    {Kind::kCompute, 10, 50, 1},
                    {Kind::kSoftware, 50, 55, 1},
                    {Kind::kMessage, 55, 80, 1}});
  EXPECT_FALSE(path[0].alone);
  EXPECT_TRUE(path[1].alone);
}

/// Without rows of messages a collective is one piece, from when the last GPU came.
TEST(CriticalPath, OfCollectivesWithoutMessages) {
  const std::vector<StepRow> steps = {
      {0, -1, 0, 10}, {1, -1, 0, 50}, {0, 0, 10, 80}, {1, 0, 50, 75}};
  ExpectPath(
      MadePath(steps, {}, 0, 80),
      {{Kind::kCompute, 0, 10, 1}, {Kind::kCompute, 10, 50, 1}, {Kind::kCollective, 50, 80, 0}});
}

/// The second message of a connection begins when the first has left, at 50, though its sender
/// could have sent it at 12: the first is what it waited for.
TEST(CriticalPath, WaitsForEarlierMessagesOfAConnection) {
  const std::vector<StepRow> steps = {{0, 0, 10, 95}, {1, 0, 10, 95}};
  const std::vector<FlowRow> flows = {{0, 1, 0, 12, 42, 40}, {0, 1, 0, 50, 42, 40}};
  ExpectPath(MadePath(steps, flows, 1, 95), {{Kind::kOther, 0, 10, 0},
                                             {Kind::kSoftware, 10, 12, 0},
                                             {Kind::kMessage, 12, 50, 0},
                                             {Kind::kMessage, 50, 92, 0},
                                             {Kind::kSoftware, 92, 95, 1}});
}

/// A communicator works on one operation after the other: the second one's first message waits for
/// the end of the first one.
TEST(CriticalPath, WaitsForTheOperationBefore) {
  const std::vector<StepRow> steps = {{0, 0, 0, 40}, {1, 0, 0, 40}, {0, 1, 5, 90}, {1, 1, 5, 90}};
  const std::vector<FlowRow> flows = {
      {0, 1, 0, 2, 38}, {1, 0, 0, 2, 38}, {0, 1, 1, 44, 46}, {1, 0, 1, 44, 46}};
  const std::vector<PathPiece> path = MadePath(steps, flows, 0, 90);
  ASSERT_EQ(path.size(), 4U);
  EXPECT_EQ(path[0].kind, Kind::kSoftware);
  EXPECT_EQ(path[0].operation, 0);
  EXPECT_EQ(path[1].kind, Kind::kMessage);
  EXPECT_EQ(path[1].to_ps, 40);
  EXPECT_EQ(path[2].kind, Kind::kSoftware);
  EXPECT_EQ(path[3].operation, 1);
}

/// A GPU that comes when all it needs has arrived waits for nothing.
TEST(CriticalPath, OfAGpuThatComesLate) {
  const std::vector<StepRow> steps = {
      {0, -1, 0, 60}, {1, -1, 0, 10}, {0, 0, 60, 61}, {1, 0, 10, 40}};
  ExpectPath(MadePath(steps, {{1, 0, 0, 12, 28}}, 0, 61),
             {{Kind::kCompute, 0, 60, 0}, {Kind::kSoftware, 60, 61, 0}});
}

}  // namespace
}  // namespace heddle
