// SPDX-License-Identifier: GPL-2.0-only
#include "io/htsim/htsim_flows.h"

#include "tests/support/io_test_util.h"

namespace heddle {
namespace {

std::vector<FlowRequest> Parse(const std::string& text, std::vector<std::string>* warnings,
                               const std::string& unit = "us") {
  return ParseHtsimFlows(text, "a.cm", SmallGraph(), unit, warnings);
}

std::string RefusedFlows(const std::string& text) {
  std::vector<std::string> warnings;
  return MessageOf([&] { Parse(text, &warnings); });
}

/// A file of one connection.
std::string One(const std::string& connection) {
  return "Nodes 4\nConnections 1\n" + connection + "\n";
}

TEST(HtsimFlows, ReadsConnectionsWithKeysInAnyOrder) {
  std::vector<std::string> warnings;
  const auto flows = Parse(
      "# three\nNodes 4\nConnections 3\nTriggers 1\n\n0->2 id 1 start 1.5 size 2000000 prio 3\r\n"
      "3->1 size 1 start 0 send_done_trigger 7\n# one more\n1->0\tid 9  start 20 msg addon size 5\n"
      "trigger id 7 oneshot\n",
      &warnings);
  EXPECT_TRUE(warnings.empty());
  ASSERT_EQ(flows.size(), 3u);
  EXPECT_EQ(flows[0].source, NodeId(0));
  EXPECT_EQ(flows[0].destination, NodeId(2));
  EXPECT_EQ(flows[0].start.ps, 1'500'000);
  EXPECT_EQ(flows[0].size.count, 2'000'000);
  EXPECT_FALSE(flows[0].send_latency);
  EXPECT_EQ(flows[1].source, NodeId(3));
  EXPECT_EQ(flows[1].start.ps, 0);
  EXPECT_EQ(flows[2].size.count, 5);
  EXPECT_EQ(flows[2].start.ps, 20'000'000);
}

TEST(HtsimFlows, StartsMayBePicoseconds) {
  std::vector<std::string> warnings;
  const auto flows = Parse(One("0->2 start 3637683 size 10 msg 4"), &warnings, "ps");
  EXPECT_EQ(flows[0].start.ps, 3'637'683);
  EXPECT_TRUE(warnings.empty());
}

TEST(HtsimFlows, ALateStartIsAWarning) {
  std::vector<std::string> warnings;
  Parse("Connections 2\n0->2 start 3637683 size 10\n2->0 start 5 size 10\n", &warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0],
            "a.cm: connections start as late as 3.637683s; starts are taken for us (--start-unit "
            "ps if they are not)");
}

TEST(HtsimFlows, OddLinesOfTheHeadAreWarnings) {
  std::vector<std::string> warnings;
  Parse("Nodes 8\nHosts 4\nConnections 1\n0->2 start 0 size 10\n", &warnings);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0], "a.cm:2: \"Hosts\" is not known, the line is skipped");
  EXPECT_EQ(warnings[1], "a.cm:1: Nodes 8, and the topology has 4 GPUs");
}

TEST(HtsimFlows, WhatIsNotReadIsRefused) {
  EXPECT_EQ(RefusedFlows(One("0->2 id 4 trigger 3 size 10")),
            "a.cm:3: a connection that waits for trigger 3; triggers are not read yet. Expected: "
            "connections with a start");
  EXPECT_EQ(RefusedFlows(One("0->2 start 0 size 0")),
            "a.cm:3: size 0, a connection without an end. Expected: at least 1 byte");
  EXPECT_EQ(RefusedFlows("Connections 2\n0->2 id 1 start 0 size 8\n0->2 id 1 start 0 size 8 msg\n"),
            "a.cm:3: id 1 again, first in line 2: messages of one connection. Expected: an id of "
            "its own for each line");
  EXPECT_EQ(RefusedFlows(One("failure switch_type AGG switch_id 0 link_id 1")),
            "a.cm:3: a failure, which is not read from a connection matrix. Expected: connections; "
            "--failures FILE lists failures");
}

TEST(HtsimFlows, MistakesNameTheLine) {
  EXPECT_EQ(RefusedFlows(One("0->2 size 10")), "a.cm:3: no start. Expected: start and a time");
  EXPECT_EQ(RefusedFlows(One("0->2 start 0")),
            "a.cm:3: no size. Expected: size and a number of bytes");
  EXPECT_EQ(RefusedFlows(One("0->2 start 0 sice 10")),
            "a.cm:3: \"sice\". Expected: id, start, size, trigger, send_done_trigger, "
            "recv_done_trigger, prio, msg or addon");
  EXPECT_EQ(RefusedFlows(One("0->9 start 0 size 10")).substr(0, 41),
            "a.cm:3: destination \"9\" is not a GPU. Exp");
  EXPECT_EQ(RefusedFlows(One("0->0 start 0 size 10")),
            "a.cm:3: GPU 0 sends to itself. Expected: a destination that differs from the source");
  EXPECT_EQ(RefusedFlows(One("0->2 start -1 size 10")),
            "a.cm:3: time \"-1\". Expected: a number of us, zero or more, at most 100 days");
  EXPECT_EQ(RefusedFlows("Connections 2\n0->2 start 0 size 10\n"),
            "a.cm:1: Connections 2, and 1 such line. Expected: Connections 1");
  EXPECT_EQ(RefusedFlows("0->2 start 0 size 10\ntrigger id 1 oneshot\nConnections 1\n"),
            "a.cm: Triggers 0, and 1 such line. Expected: Triggers 1");
  EXPECT_EQ(RefusedFlows("Nodes 4\nConnections 0\n"),
            "a.cm: no connection. Expected: lines such as '0->1 id 1 start 0 size 4096'");
  EXPECT_EQ(RefusedFlows(One("0->2 start 0 size 10") + "Nodez 4\n"),
            "a.cm:4: \"Nodez\". Expected: a connection such as '0->1 id 1 start 0 size 4096'");
  EXPECT_EQ(RefusedFlows("Nodes 4\nNodes 4\n"),
            "a.cm:2: Nodes again, first in line 1. Expected: one line with it");
}

TEST(HtsimFlows, DamagedTextGivesErrorsOnly) {
  ExpectOnlyErrors(
      "Nodes 4\nConnections 2\nTriggers 1\n0->2 id 1 start 0 size 10 msg 2 prio 3\n1->3 start 1.5 "
      "size 7 send_done_trigger 1\ntrigger id 1 barrier count 2\n",
      [](const std::string& text) {
        std::vector<std::string> warnings;
        Parse(text, &warnings);
      });
}

}  // namespace
}  // namespace heddle
