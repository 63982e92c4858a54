// SPDX-License-Identifier: GPL-2.0-only
#include "core/traffic/trace_driver.h"

#include <gtest/gtest.h>

#include <utility>

#include "core/checkpoint/state_archive.h"
#include "tests/support/message_of.h"
#include "tests/support/trace_posts.h"

namespace heddle::testing {
namespace {

FlowRequest Flow(std::uint32_t from, std::uint32_t to, Time start = {}, std::int64_t size = 1) {
  FlowRequest flow;
  flow.start = start;
  flow.source = NodeId(from);
  flow.destination = NodeId(to);
  flow.size = Bytes{size};
  return flow;
}

/// A transport that carries nothing, and wakes the agent when it is told to.
class Log final : public FlowPoster {
 public:
  void Post(const FlowPost& flow) override {
    EXPECT_LE(now, flow.asked);
    posts.push_back(flow);
  }
  void WakeAt(Time when) override {
    EXPECT_EQ(wake, Time::Max());
    EXPECT_GE(when, now);
    wake = when;
  }
  bool Wake(FlowAgent* agent) {
    if (wake == Time::Max()) return false;
    now = std::exchange(wake, Time::Max());
    ++wakes;
    agent->Woken();
    return true;
  }
  std::vector<FlowPost> posts;
  Time now, wake = Time::Max();
  int wakes = 0;
};

TEST(TraceDriver, NumbersBySourceAndPortsByPair) {
  const auto posts =
      PostsOf({Flow(1, 2), Flow(1, 3), Flow(2, 1), Flow(1, 2), Flow(1, 3), Flow(2, 1)});
  const std::vector<std::uint32_t> sources = {1, 1, 1, 1, 2, 2}, destinations = {2, 3, 2, 3, 1, 1};
  const std::vector<std::uint32_t> numbers = {0, 1, 2, 3, 0, 1};
  const std::vector<std::uint16_t> ports = {10000, 10000, 10001, 10001, 10000, 10001};
  ASSERT_EQ(posts.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(posts[i].source, NodeId(sources[i]));
    EXPECT_EQ(posts[i].destination, NodeId(destinations[i]));
    EXPECT_EQ(posts[i].numbers.number, numbers[i]);
    EXPECT_EQ(posts[i].numbers.message, numbers[i]);
    EXPECT_EQ(posts[i].numbers.source_port, ports[i]);
  }
}

TEST(TraceDriver, NumbersFollowTheFileWheneverFlowsStart) {
  const auto posts = PostsOf({Flow(0, 1, NanoSeconds(9)), Flow(0, 1, NanoSeconds(3))});
  ASSERT_EQ(posts.size(), 2U);
  EXPECT_EQ(posts[0].start, NanoSeconds(3));
  EXPECT_EQ(posts[0].numbers.number, 1U);
  EXPECT_EQ(posts[0].numbers.source_port, 10001);
  EXPECT_EQ(posts[1].numbers.number, 0U);
}

TEST(TraceDriver, PortIsASixteenBitCounter) {
  const auto posts = PostsOf(std::vector<FlowRequest>(65536 + 3, Flow(0, 1)));
  EXPECT_EQ(posts[65535 - 10000].numbers.source_port, 65535);
  EXPECT_EQ(posts[65536 - 10000].numbers.source_port, 0);
  EXPECT_EQ(posts[65536].numbers.source_port, 10000);
  EXPECT_EQ(posts[65536].numbers.number, 65536U);
}

TEST(TraceDriver, AMessageTakesTheNumbersOfItsFlows) {
  const std::vector<FlowRequest> flows = {Flow(1, 2, {}, 10), Flow(1, 2, {}, 2), Flow(1, 0, {}, 7)};
  const auto check = [&](const MessageSplit& split, const std::vector<std::uint32_t>& numbers,
                         const std::vector<std::uint16_t>& ports, std::int64_t count) {
    const auto posts = PostsOf(flows, split);
    ASSERT_EQ(posts.size(), 3u);
    for (std::uint32_t i = 0; i < 3; ++i) {
      EXPECT_EQ(posts[i].size, flows[i].size.count);
      EXPECT_EQ(posts[i].numbers.message, i);
      EXPECT_EQ(posts[i].numbers.number, numbers[i]);
      EXPECT_EQ(posts[i].numbers.source_port, ports[i]);
    }
    EXPECT_EQ(TraceDriver(flows, split).flow_count(), count);
  };
  check({4, false}, {0, 4, 6}, {10000, 10004, 10000}, 10);  // 3, 3, 3, 1; 1, 1; 2, 2, 2, 1
  check({4, true}, {0, 4, 8}, {10000, 10004, 10000}, 3);    // requests may use all four
}

TEST(TraceDriver, ThoseWithALatencyAskBeforeTheyStart) {
  std::vector<FlowRequest> flows = {Flow(0, 1, MicroSeconds(10)), Flow(0, 1, MicroSeconds(8)),
                                    Flow(0, 1, MicroSeconds(2))};
  flows[1].send_latency = false;
  const auto posts = PostsOf(flows, {}, MicroSeconds(6));
  EXPECT_EQ(posts[0].asked, Time{0});
  EXPECT_EQ(posts[1].asked, MicroSeconds(4));
  EXPECT_EQ(posts[1].start, MicroSeconds(10));
  EXPECT_EQ(posts[2].asked, MicroSeconds(8));
  EXPECT_EQ(posts[2].start, MicroSeconds(8));
}

/// Flows of two sources, some at the same time.
std::vector<FlowRequest> LongTrace() {
  std::vector<FlowRequest> flows;
  for (int i = 0; i < 1000; ++i) flows.push_back(Flow(i % 2, 2, NanoSeconds(i / 40 * 100)));
  return flows;
}

TEST(TraceDriver, PostsAFewAtATimeAndAllInTheEnd) {
  const std::vector<FlowRequest> flows = LongTrace();
  TraceDriver driver(flows);
  FlowAgent* agent = driver.AgentOf(DomainId(0), {NodeId(0), NodeId(1), NodeId(2)});
  Log log;
  agent->Begin(&log);
  EXPECT_EQ(log.posts.size(), 80U);  // the 64th is one of those at 100 ns
  EXPECT_EQ(log.wake, NanoSeconds(200) - PicoSeconds(1));
  while (log.Wake(agent)) continue;
  EXPECT_EQ(log.posts.size(), flows.size());
  EXPECT_EQ(log.wakes, 12);
  std::vector<FlowPost> left;
  agent->AddUnposted(&left);
  EXPECT_TRUE(left.empty());
}

TEST(TraceDriver, GoesOnFromWhereItWasSaved) {
  const std::vector<FlowRequest> flows = LongTrace();
  TraceDriver first(flows), second(flows);
  FlowAgent* saved = first.AgentOf(DomainId(0), {NodeId(0), NodeId(1)});
  FlowAgent* loaded = second.AgentOf(DomainId(0), {NodeId(0), NodeId(1)});
  Log log, again;
  saved->Begin(&log);
  log.Wake(saved);
  StateWriter writer;
  saved->Save(&writer);
  loaded->Begin(&again);
  StateReader reader(writer.bytes());
  loaded->Load(&reader);
  reader.ExpectEnd();
  std::vector<FlowPost> left;
  loaded->AddUnposted(&left);
  EXPECT_EQ(left.size(), flows.size() - log.posts.size());
  EXPECT_EQ(left.front().start, log.wake + PicoSeconds(1));

  StateWriter beyond;
  beyond << std::size_t{1001};
  StateReader damaged(beyond.bytes());
  EXPECT_NE(MessageOf([&] { loaded->Load(&damaged); }).find("more flows posted"),
            std::string::npos);
}

TEST(TraceDriver, HasNoAgentWhereNothingStarts) {
  const std::vector<FlowRequest> flows = {Flow(0, 5)}, none;
  TraceDriver driver(flows), idle(none);
  EXPECT_EQ(driver.AgentOf(DomainId(0), {NodeId(5), NodeId(900)}), nullptr);
  EXPECT_NE(driver.AgentOf(DomainId(1), {NodeId(0)}), nullptr);
  EXPECT_EQ(idle.AgentOf(DomainId(0), {NodeId(0)}), nullptr);
  EXPECT_EQ(idle.flow_count(), 0);
}

}  // namespace
}  // namespace heddle::testing
