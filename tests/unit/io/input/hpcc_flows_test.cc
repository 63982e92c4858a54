// SPDX-License-Identifier: GPL-2.0-only
#include "io/input/hpcc_flows.h"

#include <chrono>

#include "core/base/time_limits.h"
#include "tests/support/io_test_util.h"

namespace heddle {
namespace {

std::vector<FlowRequest> ParseHpcc(const std::string& text) {
  return ParseHpccFlows(text, "flows.txt", SmallGraph());
}

const std::string kOrNvSwitch = ", or an NVSwitch linked to the GPU at the other end";

TEST(HpccFlows, ReadsFlowsInAnyOrderOfTime) {
  const auto flows = ParseHpcc(
      "3\n0 2 3 100 4000000 0.00040100000000000004\n"
      "1 2 1 4791 1 1e-06\r\n\n 3\t0  7 65535 9000 2");
  ASSERT_EQ(flows.size(), 3u);
  EXPECT_EQ(flows[0].start, NanoSeconds(401'000));
  EXPECT_EQ(flows[0].source, NodeId(0));
  EXPECT_EQ(flows[0].destination, NodeId(2));
  EXPECT_EQ(flows[0].size.count, 4'000'000);
  EXPECT_EQ(flows[1].start, NanoSeconds(1000));
  EXPECT_EQ(flows[1].priority, 1);
  EXPECT_EQ(flows[1].destination_port, 4791);
  EXPECT_EQ(flows[2].priority, 7);
  EXPECT_EQ(flows[2].start.ps, 2'000'000'000'000);
}

TEST(HpccFlows, StartIsRoundedToTheNearestNanosecond) {
  const auto flows = ParseHpcc("3\n0 1 3 1 1 1.4e-9\n0 1 3 1 1 1.5e-9\n0 1 3 1 1 8640000\n");
  EXPECT_EQ(flows[0].start.ps, 1000);
  EXPECT_EQ(flows[1].start.ps, 2000);
  EXPECT_EQ(flows[2].start, kLatestInput);
}

TEST(HpccFlows, ExplanationBehindTheFlowsIsSkipped) {
  EXPECT_EQ(
      ParseHpcc("1\n0 1 3 100 5 0\n\nFirst line: flow #\nsrc dst pg dport size start\n").size(),
      1u);
}

TEST(HpccFlows, MistakesNameTheLine) {
  const auto message = [](const std::string& row) {
    return MessageOf([&] { ParseHpcc("1\n" + row + "\n"); });
  };
  EXPECT_EQ(message("9 1 3 100 5 0"),
            "flows.txt:2: source \"9\" is not a GPU. Expected: a GPU of the topology, 0 to 3" +
                kOrNvSwitch);
  EXPECT_EQ(
      message("0 5 3 100 5 0"),
      "flows.txt:2: GPU 0 and NVSwitch 5 are not linked. Expected: a GPU of the topology, 0 to 3" +
          kOrNvSwitch);
  EXPECT_EQ(message("1 1 3 100 5 0"),
            "flows.txt:2: GPU 1 sends to itself. Expected: a destination that differs from the "
            "source");
  EXPECT_EQ(message("0 1 8 100 5 0"),
            "flows.txt:2: pg (priority) \"8\". Expected: an integer from 0 to 7");
  EXPECT_EQ(message("0 1 0 100 5 0"),
            "flows.txt:2: pg (priority) \"0\", which carries control frames. Expected: a priority "
            "for data, 1 to 7 (SimAI uses 3)");
  EXPECT_EQ(message("0 1 3 65536 5 0"),
            "flows.txt:2: destination port \"65536\". Expected: an integer from 0 to 65535");
  EXPECT_EQ(message("0 1 3 100 0 0"),
            "flows.txt:2: size \"0\". Expected: an integer from 1 to 9223372036854775807");
  EXPECT_EQ(message("0 1 3 100 5 -1"),
            "flows.txt:2: time \"-1\". Expected: a number of s, zero or more, at most 100 days");
  EXPECT_EQ(message("0 1 3 100 5"),
            "flows.txt:2: 5 columns. Expected: 6 columns, src dst pg dport bytes start_s");
  EXPECT_EQ(message("0 1 3 100 5 0 0"),
            "flows.txt:2: 7 columns. Expected: 6 columns, src dst pg dport bytes start_s");
}

TEST(HpccFlows, CountMustAgree) {
  const std::string row = "0 1 3 100 5 0\n";
  EXPECT_EQ(MessageOf([&] { ParseHpcc("3\n" + row + row); }),
            "flows.txt: 2 flows. Expected: 3 flows, as the first line says");
  EXPECT_EQ(MessageOf([&] { ParseHpcc("1\n" + row + row + row); }),
            "flows.txt:3: 3 flows. Expected: 1 flows, as the first line says");
  EXPECT_EQ(MessageOf([&] { ParseHpcc("0\n"); }),
            "flows.txt:1: number of flows \"0\". Expected: an integer from 1 to 4000000000");
  EXPECT_EQ(MessageOf([&] { ParseHpcc(row); }),
            "flows.txt:1: number of flows \"0 1 3 100 5 0\". Expected: an integer from 1 to "
            "4000000000");
  EXPECT_EQ(MessageOf([&] { ParseHpcc("\n \n"); }),
            "flows.txt: an empty file. Expected: the number of flows on the first line");
}

TEST(HpccFlows, ReadsFiles) {
  const std::string path = TempPath("flows.txt");
  WriteBytes(path, "1\n0 1 3 100 5 0");
  EXPECT_EQ(ReadHpccFlows(path, SmallGraph()).size(), 1u);
  const std::string message = MessageOf([&] { ReadHpccFlows(path + "x", SmallGraph()); });
  EXPECT_NE(message.find(path + "x: cannot be read"), std::string::npos);
}

TEST(HpccFlows, DamagedTextOnlyGivesErrors) {
  ExpectOnlyErrors("2\n0 2 3 100 4000000 1e-06\n1 2 3 100 4000000 0.00040100000000000004\n",
                   [](const std::string& text) { ParseHpcc(text); });
}

TEST(HpccFlows, PrintsTheTimeOfAMillionLines) {
  std::string text = "1000000\n";
  for (int i = 0; i < 1'000'000; ++i) text += "0 2 3 100 4000000 0.00040100000000000004\n";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(ParseHpcc(text).size(), 1'000'000u);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  std::printf("expected below 0.5 s, took %.3f s\n", elapsed.count());
}

}  // namespace
}  // namespace heddle
