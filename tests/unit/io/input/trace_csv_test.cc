// SPDX-License-Identifier: GPL-2.0-only
#include "io/input/trace_csv.h"

#include <chrono>

#include "tests/support/io_test_util.h"

namespace heddle {
namespace {

std::vector<FlowRequest> ParseTrace(const std::string& text, Time latency = {}) {
  return ParseTraceCsv(text, "trace.csv", SmallGraph(), latency);
}

const std::string kTraceCsvOrNvSwitch = ", or an NVSwitch linked to the GPU at the other end";

TEST(TraceCsv, ReadsFlows) {
  const auto flows =
      ParseTrace("timestamp_ns,src,dst,size_bytes\n0,0,1,4096\n0.5 , 2,\t3 ,1\r\n", {7});
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0].start.ps, 7);
  EXPECT_EQ(flows[0].source, NodeId(0));
  EXPECT_EQ(flows[0].destination, NodeId(1));
  EXPECT_EQ(flows[0].size.count, 4096);
  EXPECT_EQ(flows[0].priority, 3);
  EXPECT_EQ(flows[0].destination_port, 100);
  EXPECT_EQ(flows[1].start.ps, 507);
}

TEST(TraceCsv, HeaderIsOptional) {
  EXPECT_EQ(ParseTrace("1,0,1,5").size(), 1u);
  EXPECT_EQ(ParseTrace("# timestamp_ns,src,dst,size_bytes\n\n1,0,1,5\n").size(), 1u);
  EXPECT_EQ(ParseTrace("timestamp_ns, src, dst, size_bytes\r\n1,0,1,5").size(), 1u);
}

TEST(TraceCsv, MistakesNameTheLine) {
  const auto message = [](const std::string& row) {
    return MessageOf([&] { ParseTrace("1,0,1,5\n" + row + "\n"); });
  };
  EXPECT_EQ(message("2,9,1,5"),
            "trace.csv:2: source \"9\" is not a GPU. Expected: a GPU of the topology, 0 to 3" +
                kTraceCsvOrNvSwitch);
  EXPECT_EQ(message("2,0,6,5"),
            "trace.csv:2: destination 6 is switch 6. Expected: a GPU of the topology, 0 to 3" +
                kTraceCsvOrNvSwitch);
  EXPECT_EQ(message("2,x,1,5"),
            "trace.csv:2: source \"x\" is not a GPU. Expected: a GPU of the topology, 0 to 3" +
                kTraceCsvOrNvSwitch);
  EXPECT_EQ(message("2,1,1,5"),
            "trace.csv:2: GPU 1 sends to itself. Expected: a destination that differs from the "
            "source");
  for (const char* size : {"0", "-4", "1.5", "", "99999999999999999999"}) {
    EXPECT_EQ(message(std::string("2,0,1,") + size),
              "trace.csv:2: size \"" + std::string(size) +
                  "\". Expected: an integer from 1 to 9223372036854775807");
  }
  for (const char* time : {"-1", "x", "", "1e40", "nan", "5ns"}) {
    EXPECT_EQ(message(std::string(time) + ",0,1,5"),
              "trace.csv:2: time \"" + std::string(time) +
                  "\". Expected: a number of ns, zero or more, at most 100 days");
  }
  EXPECT_EQ(message("2,0,1"),
            "trace.csv:2: 3 columns. Expected: 4 columns, timestamp_ns,src,dst,size_bytes");
  EXPECT_EQ(message("2,0,1,5,6"),
            "trace.csv:2: 5 columns. Expected: 4 columns, timestamp_ns,src,dst,size_bytes");
  EXPECT_EQ(message("0.999,0,1,5"),
            "trace.csv:2: time goes backwards: 999ps after 1ns. Expected: lines in the order of "
            "time");
  EXPECT_NE(message("timestamp_ns,src,dst,size_bytes").find("trace.csv:2: time"),
            std::string::npos);
  EXPECT_NE(
      MessageOf([] { ParseTrace("9223372036854775,0,1,5", {1000}); }).find("trace.csv:1: time"),
      std::string::npos);
}

/// As spreadsheets write it.
TEST(TraceCsv, AByteOrderMarkIsSkipped) {
  EXPECT_EQ(ParseTrace("\xef\xbb\xbf"
                       "timestamp_ns,src,dst,size_bytes\r\n0,0,1,5\r\n")
                .size(),
            1u);
  EXPECT_EQ(ParseTrace("\xef\xbb\xbf"
                       "0,0,1,5")
                .size(),
            1u);
}

TEST(TraceCsv, TimesEndAtAHundredDays) {
  EXPECT_EQ(ParseTrace("8640000e9,0,1,5").size(), 1u);
  EXPECT_EQ(MessageOf([] { ParseTrace("9154660e9,0,1,5"); }),
            "trace.csv:1: time \"9154660e9\". Expected: a number of ns, zero or more, at most 100 "
            "days");
}

TEST(TraceCsv, AnNvSwitchIsAnEndForItsOwnGpus) {
  const auto flows = ParseTrace("0,0,4,64\n0,4,1,64\n0,5,3,64\n");
  ASSERT_EQ(flows.size(), 3u);
  EXPECT_EQ(flows[0].destination, NodeId(4));
  EXPECT_EQ(flows[1].source, NodeId(4));
  const auto message = [](const std::string& row) { return MessageOf([&] { ParseTrace(row); }); };
  const std::string expected = ". Expected: a GPU of the topology, 0 to 3" + kTraceCsvOrNvSwitch;
  EXPECT_EQ(message("0,2,4,64"), "trace.csv:1: GPU 2 and NVSwitch 4 are not linked" + expected);
  EXPECT_EQ(message("0,5,1,64"), "trace.csv:1: GPU 1 and NVSwitch 5 are not linked" + expected);
  EXPECT_EQ(message("0,4,5,64"), "trace.csv:1: NVSwitch 4 sends to NVSwitch 5" + expected);
  EXPECT_EQ(message("0,6,4,64"), "trace.csv:1: source 6 is switch 6" + expected);
  EXPECT_EQ(
      message("0,4,4,64"),
      "trace.csv:1: NVSwitch 4 sends to itself. Expected: a destination that differs from the "
      "source");
}

TEST(TraceCsv, EmptyTraceIsRefused) {
  for (const char* text : {"", "\n\n", "timestamp_ns,src,dst,size_bytes\n", "# nothing"}) {
    EXPECT_EQ(MessageOf([&] { ParseTrace(text); }),
              "trace.csv: no flow. Expected: at least one line timestamp_ns,src,dst,size_bytes");
  }
}

TEST(TraceCsv, WritesWhatItReads) {
  const std::string text = "# timestamp_ns,src,dst,size_bytes\n0,0,1,4096\n0.500,2,3,1\n7,3,0,12\n";
  EXPECT_EQ(WriteTraceCsv(ParseTrace(text), ""), text);
  EXPECT_EQ(WriteTraceCsv(ParseTrace(text), "made by hand"), "# made by hand\n" + text);
  EXPECT_EQ(WriteTraceCsv(ParseTrace(WriteTraceCsv(ParseTrace(text), "made by hand")), ""), text);
}

TEST(TraceCsv, ReadsFiles) {
  const std::string path = TempPath("trace.csv");
  WriteBytes(path, "1,0,1,5");
  EXPECT_EQ(ReadTraceCsv(path, SmallGraph(), {}).size(), 1u);
  const std::string message = MessageOf([&] { ReadTraceCsv(path + "x", SmallGraph(), {}); });
  EXPECT_NE(message.find(path + "x: cannot be read"), std::string::npos);
}

TEST(TraceCsv, DamagedTextOnlyGivesErrors) {
  ExpectOnlyErrors("timestamp_ns,src,dst,size_bytes\n0,0,1,4096\n0.5,2,3,1\r\n1e3,3,2,77\n",
                   [](const std::string& text) { ParseTrace(text); });
}

TEST(TraceCsv, PrintsTheTimeOfAMillionLines) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += std::to_string(i * 10) + ",0,1,1000000\n";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(ParseTrace(text).size(), 1'000'000u);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  std::printf("expected below 0.5 s, took %.3f s\n", elapsed.count());
}

}  // namespace
}  // namespace heddle
