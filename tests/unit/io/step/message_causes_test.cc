// SPDX-License-Identifier: GPL-2.0-only
/// Causes of the times of messages that are made by hand, on the fabric of
/// tests/unit/io/two_leaves.h.
#include "io/step/message_causes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/unit/io/step/made_messages.h"
#include "tests/unit/io/two_leaves.h"
#include "topology/graph/node_names.h"

namespace heddle {
namespace {

Table PortTable(const char* name, std::uint32_t node, std::uint32_t port, std::int64_t paused) {
  return {name,
          "",
          {{"node", "1", "", std::vector<std::uint32_t>{node}},
           {"port", "1", "", std::vector<std::uint32_t>{port}},
           {"paused_ps", "ps", "", std::vector<std::int64_t>{paused}}}};
}

/// The parts of the first flow; they must sum to its time.
std::vector<CausePart> PartsOf(const Graph& graph, const std::vector<MadeFlow>& rows,
                               MessageTables tables) {
  const PortLists paths = OverSpine8(graph, rows);
  const MessageCauses causes(graph, tables, &paths, {0});
  std::vector<CausePart> parts = causes.Of(0);
  std::int64_t sum = 0;
  for (const CausePart& part : parts) sum += part.ps;
  EXPECT_EQ(sum, rows[0].fct);
  return parts;
}

std::vector<CausePart> PartsOf(const std::vector<MadeFlow>& rows) {
  return PartsOf(TwoLeaves(), rows, CauseTables(rows));
}

std::int64_t TimeOf(const std::vector<CausePart>& parts, StepCause cause) {
  std::int64_t sum = 0;
  for (const CausePart& part : parts) sum += part.cause == cause ? part.ps : 0;
  return sum;
}

TEST(MessageCauses, AloneIsLineRate) {
  const auto parts = PartsOf({{0, 2, 0, kAlone}});
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].cause, StepCause::kLineRate);
}

/// Two flows of other ends share the link from leaf 6 to spine 8.
TEST(MessageCauses, CollisionOnALinkBetweenSwitches) {
  const Graph graph = TwoLeaves();
  const std::vector<MadeFlow> rows = {{0, 2, 0, 2 * kAlone}, {1, 3, 0, 2 * kAlone}};
  const auto parts = PartsOf(rows);
  EXPECT_EQ(TimeOf(parts, StepCause::kCollision), kAlone);
  const HopNumbers numbers(graph);
  EXPECT_EQ(parts.back().link, numbers.Of(NodeId(6), PortId(2)));
  EXPECT_EQ(NodeNames(graph).Link(NodeId(6), PortId(2)), "leaf 0 -> spine 0");
  const PortLists paths = OverSpine8(graph, rows);
  const MessageTables tables = CauseTables(rows);
  const MessageCauses causes(graph, tables, &paths, {0});
  const auto others = causes.BytesOn(parts.back().link, 0);
  ASSERT_EQ(others.size(), 1U);
  EXPECT_EQ(others[0].first, 1U);
  EXPECT_EQ(others[0].second, kSize) << "all of it: both were under way at the same times";
}

/// Two to one receiver from two GPUs share the way from leaf to leaf; if they shared only the last
/// link, that would be to blame.
TEST(MessageCauses, MessagesOfOneSenderAreItsOwn) {
  const auto parts = PartsOf({{0, 2, 0, 2 * kAlone}, {0, 3, 0, 2 * kAlone}});
  EXPECT_EQ(TimeOf(parts, StepCause::kOwnLink), kAlone);
  EXPECT_EQ(TimeOf(parts, StepCause::kCollision), 0);
}

/// What its sender sends anyway is not the collision's: of 2 more times alone one each.
TEST(MessageCauses, CollisionsCountBeyondTheSendersOwnMessages) {
  const auto parts = PartsOf({{0, 2, 0, 3 * kAlone}, {0, 3, 0, 3 * kAlone}, {1, 2, 0, 3 * kAlone}});
  EXPECT_EQ(TimeOf(parts, StepCause::kOwnLink), kAlone);
  EXPECT_EQ(TimeOf(parts, StepCause::kCollision), kAlone);
}

TEST(MessageCauses, TimeoutsComeFirst) {
  const std::vector<MadeFlow> rows = {{0, 2, 0, 10 * kAlone}};
  MessageTables tables = CauseTables(rows);
  tables.recovery = {"recovery",
                     "",
                     {{"src", "1", "", std::vector<std::uint32_t>{0}},
                      {"number", "1", "", std::vector<std::uint32_t>{0}},
                      {"waited_ps", "ps", "", std::vector<std::int64_t>{8 * kAlone}}}};
  const auto parts = PartsOf(TwoLeaves(), rows, tables);
  EXPECT_EQ(TimeOf(parts, StepCause::kTimeouts), 8 * kAlone);
  EXPECT_EQ(TimeOf(parts, StepCause::kRate), kAlone);
}

/// A paused port of the path, whose pauses began at the link of leaf 7 to GPU 3.
TEST(MessageCauses, PausesNameTheirRoot) {
  const std::vector<MadeFlow> rows = {{0, 2, 0, 5 * kAlone}};
  MessageTables tables = CauseTables(rows);
  tables.ports = PortTable("ports", 8, 1, 1);
  tables.pause_causes = PortTable("pause_causes", 7, 1, 1);
  const auto parts = PartsOf(TwoLeaves(), rows, tables);
  EXPECT_EQ(TimeOf(parts, StepCause::kPauses), 4 * kAlone);
  EXPECT_EQ(parts.back().link, HopNumbers(TwoLeaves()).Of(NodeId(7), PortId(1)));
}

TEST(MessageCauses, NobodyInTheWayIsTheRate) {
  EXPECT_EQ(TimeOf(PartsOf({{0, 2, 0, 5 * kAlone}}), StepCause::kRate), 4 * kAlone);
}

/// Both spines' cables to leaf 6 have half of the rate of those to leaf 7: they are one tier.
TEST(MessageCauses, ALinkBelowItsTierIsSlow) {
  Graph graph(4, 2, 4, 2, "H100");
  const BitRate rate{100'000'000'000}, half{50'000'000'000};
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu)
    graph.AddLink({NodeId(gpu), NodeId(4 + gpu / 2), rate, {25'000}, 0});
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu)
    graph.AddLink({NodeId(gpu), NodeId(6 + gpu / 2), rate, {500'000}, 0});
  for (std::uint32_t leaf = 6; leaf < 8; ++leaf) {
    for (std::uint32_t spine = 8; spine < 10; ++spine)
      graph.AddLink({NodeId(leaf), NodeId(spine), leaf == 6 ? half : rate, {500'000}, 0});
  }
  std::vector<MadeFlow> rows = {{0, 2, 0, 2 * kAlone}};
  rows[0].ideal = 2 * kAlone;
  const auto parts = PartsOf(graph, rows, CauseTables(rows));
  EXPECT_EQ(TimeOf(parts, StepCause::kSlowLink), kAlone);
  EXPECT_EQ(parts[0].link, HopNumbers(graph).Of(NodeId(6), PortId(2)));
  EXPECT_EQ(TimeOf(parts, StepCause::kLineRate), kAlone);
}

TEST(MessageCauses, AcknowledgementsBehindOthersOnTheWayBack) {
  const Graph graph = TwoLeaves();
  const HopNumbers numbers(graph);
  // The first flow is alone on its way; its acknowledgements pass the link on which the second
  // sends.
  const std::vector<MadeFlow> rows = {{0, 2, 0, 3 * kAlone}, {2, 0, 0, 3 * kAlone, 3 * kSize}};
  const MessageTables tables = CauseTables(rows);
  PortLists paths;
  for (const HopIndex hop : {numbers.Of(NodeId(6), PortId(2)), numbers.Of(NodeId(8), PortId(1)),
                             numbers.Of(NodeId(7), PortId(0))})
    paths.Push(hop);
  paths.EndFlow();
  const HopIndex back = numbers.Of(NodeId(7), PortId(2));
  paths.Push(back);
  paths.EndFlow();
  const MessageCauses blamed(graph, tables, &paths, {0},
                             [&](std::size_t) { return std::vector<HopIndex>{back}; });
  std::vector<CausePart> parts = blamed.Of(0);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1].cause, StepCause::kAcks);
  EXPECT_EQ(parts[1].link, back);
  EXPECT_EQ(parts[1].ps, 2 * kAlone);
  // A way back that nobody else uses is not to blame.
  const MessageCauses idle(graph, tables, &paths, {0}, [&](std::size_t) {
    return std::vector<HopIndex>{numbers.Of(NodeId(7), PortId(3))};
  });
  parts = idle.Of(0);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1].cause, StepCause::kRate);
}

}  // namespace
}  // namespace heddle
