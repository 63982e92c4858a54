// SPDX-License-Identifier: GPL-2.0-only
#include "io/input/failure_csv.h"

#include "tests/support/io_test_util.h"

namespace heddle {
namespace {

using What = FailureEvent::What;

std::vector<FailureEvent> ParseFailures(const std::string& text) {
  return ParseFailureCsv(text, "events.csv");
}

TEST(FailureCsv, ReadsEvents) {
  const auto events = ParseFailures(
      "time,event,a,b,rate\n"
      "5us,link_down,145,152,\n"
      "# back again\n\n"
      "1ms , link_up,\t145,152\r\n"
      "\"2ms\",\"link_rate\",145,152,\"50Gbps\",1\n"
      "3000000,node_down,152,,\n"
      "4e6,node_up,152");
  ASSERT_EQ(events.size(), 5u);
  EXPECT_EQ(events[0].time, MicroSeconds(5));
  EXPECT_EQ(events[0].what, What::kLinkDown);
  EXPECT_EQ(events[0].a, NodeId(145));
  EXPECT_EQ(events[0].b, NodeId(152));
  EXPECT_EQ(events[0].cable, FailureEvent::kAllCables);
  EXPECT_EQ(ToText(events[0].where), "events.csv:2");
  EXPECT_EQ(events[1].what, What::kLinkUp);
  EXPECT_EQ(events[1].time, MicroSeconds(1000));
  EXPECT_EQ(events[2].what, What::kLinkRate);
  EXPECT_EQ(events[2].rate.bps, 50'000'000'000);
  EXPECT_EQ(events[2].cable, 1u);
  EXPECT_EQ(events[3].what, What::kNodeDown);
  EXPECT_EQ(events[3].time, MicroSeconds(3000));  // a bare time is in ns
  EXPECT_EQ(events[3].a, NodeId(152));
  EXPECT_EQ(events[4].what, What::kNodeUp);
  EXPECT_EQ(events[4].time, MicroSeconds(4000));
}

TEST(FailureCsv, HeaderIsOptional) {
  for (const char* header :
       {"", "time,event,a\n", "time,event,a,b\n", "time, event, a, b, rate\r\n",
        "\"time\",event,a,b,rate,cable\n", "# time\n"}) {
    EXPECT_EQ(ParseFailures(std::string(header) + "1us,node_down,5").size(), 1u) << header;
  }
}

TEST(FailureCsv, MistakesNameTheLine) {
  const auto message = [](const std::string& row) {
    return MessageOf([&] { ParseFailures("1us,node_down,5\n" + row + "\n"); });
  };
  EXPECT_EQ(message("1us,node_down"),
            "events.csv:2: 2 columns. Expected: 3 to 6 columns, time,event,a,b,rate,cable");
  EXPECT_EQ(message("1us,link_rate,1,2,50Gbps,0,"),
            "events.csv:2: 7 columns. Expected: 3 to 6 columns, time,event,a,b,rate,cable");
  EXPECT_EQ(message("1us,link_flap,1,2"),
            "events.csv:2: event \"link_flap\". Expected: link_down, link_up, link_rate, node_down "
            "or node_up");
  for (const char* time :
       {"-1", "x", "", "1e40", "8640000.001s", "9154660e9", "nan", "5 lightyears", "-1us"}) {
    EXPECT_EQ(message(std::string(time) + ",node_down,1"),
              "events.csv:2: time \"" + std::string(time) +
                  "\". Expected: a time such as 5us, or a number of ns; zero or more, at most "
                  "100 days");
  }
  for (const char* node : {"", "-1", "1.5", "4294967295", "99999999999"}) {
    const std::string expected = "events.csv:2: node \"" + std::string(node) +
                                 "\". Expected: a number from 0, or a name such as leaf 5";
    EXPECT_EQ(message("1us,node_down," + std::string(node)), expected);
    EXPECT_EQ(message("1us,link_down,1," + std::string(node)), expected);
  }
  EXPECT_EQ(message("1us,link_down,1,2,50Gbps"),
            "events.csv:2: rate \"50Gbps\" at a link_down. Expected: an empty rate");
  EXPECT_EQ(message("1us,node_up,1,2"), "events.csv:2: b \"2\" at a node_up. Expected: an empty b");
  EXPECT_EQ(message("1us,node_up,1,,,0"),
            "events.csv:2: cable \"0\" at a node_up. Expected: an empty cable");
  EXPECT_EQ(message("1us,link_down,1,2,,x"),
            "events.csv:2: cable \"x\". Expected: a number from 0");
  for (const char* rate : {"", "0Gbps", "fast", "-1Gbps", "1bps", "999kbps", "1000001Gbps"}) {
    EXPECT_EQ(message("1us,link_rate,1,2," + std::string(rate)),
              "events.csv:2: rate \"" + std::string(rate) +
                  "\". Expected: a rate from 1Mbps to 1000000Gbps with its unit, such as 400Gbps");
  }
  EXPECT_NE(message("time,event,a,b,rate").find("events.csv:2: time \"time\""), std::string::npos);
}

TEST(FailureCsv, EmptyFileIsRefused) {
  for (const char* text : {"", "\n\n", "time,event,a,b,rate\n", "# nothing"}) {
    EXPECT_EQ(MessageOf([&] { ParseFailures(text); }),
              "events.csv: no event. Expected: at least one line time,event,a,b,rate,cable");
  }
}

TEST(FailureCsv, ReadsFiles) {
  const std::string path = TempPath("events.csv");
  WriteBytes(path, "1us,node_down,5");
  EXPECT_EQ(ReadFailureCsv(path).size(), 1u);
  const std::string message = MessageOf([&] { ReadFailureCsv(path + "x"); });
  EXPECT_NE(message.find(path + "x: cannot be read"), std::string::npos);
}

TEST(FailureCsv, DamagedTextOnlyGivesErrors) {
  ExpectOnlyErrors(
      "time,event,a,b,rate,cable\n5us,link_down,0,6,\n\"1e3\",link_rate,0,6,5Gbps,0\r\n",
      [](const std::string& text) {
        std::vector<FailureEvent> events = ParseFailures(text);
        FindNamedNodes(SmallGraph(), &events);
        ExpandFailures(SmallGraph(), events);
      });
}

TEST(FailureCsv, NodesHaveNames) {
  std::vector<FailureEvent> events =
      ParseFailures("1us,link_down,\"leaf 0\",spine 1\n2us,node_down,GPU 3\n");
  EXPECT_EQ(events[0].a_name, "leaf 0");
  EXPECT_EQ(events[0].b_name, "spine 1");
  EXPECT_EQ(events[1].a_name, "GPU 3");
  EXPECT_TRUE(events[1].b_name.empty());
}

TEST(LinkDown, IsSimaisKey) {
  EXPECT_FALSE(ParseLinkDown("0 0 0").has_value());
  EXPECT_FALSE(ParseLinkDown(" 0us\t0 0 ").has_value());
  const auto event = ParseLinkDown("1000 145 152");
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->time, MicroSeconds(1000));
  EXPECT_EQ(event->what, What::kLinkDown);
  EXPECT_EQ(event->a, NodeId(145));
  EXPECT_EQ(event->b, NodeId(152));
  EXPECT_EQ(event->cable, FailureEvent::kAllCables);
  EXPECT_EQ(ParseLinkDown("2ms 1 2")->time, MicroSeconds(2000));
}

TEST(LinkDown, MistakesAreExplained) {
  const auto message = [](const std::string& text) {
    return MessageOf([&] { ParseLinkDown(text); });
  };
  for (const char* text : {"", "0", "5 1", "5 1 2 3"}) {
    EXPECT_EQ(message(text), "LINK_DOWN: \"" + std::string(text) +
                                 "\". Expected: three words, time node node (0 0 0: none)");
  }
  EXPECT_EQ(message("5 1 x"), "LINK_DOWN: node \"x\". Expected: a number from 0");
  EXPECT_EQ(
      message("-5 1 2"),
      "LINK_DOWN: time \"-5\". Expected: a time such as 5us, or a number of us; zero or more, "
      "at most 100 days");
  EXPECT_EQ(
      message("0 1 2"),
      "LINK_DOWN: \"0 1 2\", a failure at time 0. Expected: a time above 0, or 0 0 0 for none");
}

}  // namespace
}  // namespace heddle
