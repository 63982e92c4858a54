// SPDX-License-Identifier: GPL-2.0-only
/// Regression tests: a flow once stopped, or a run ended with an error, although the input was
/// valid.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/simulate.h"
#include "transport/model/nic/queue_pair.h"
#include "transport/run/fabric/fabric.h"

namespace heddle::testing {
namespace {

/// GPUs 0 and 1 on either side of switch 2: links 0 and 1.
Graph Pair(std::int64_t gbps = 100) {
  Graph graph(2, 0, 1, 1, "X");
  for (std::uint32_t gpu : {0U, 1U}) {
    graph.AddLink({NodeId(gpu), NodeId(2), BitRate{gbps * 1'000'000'000}, NanoSeconds(500), 0});
  }
  return graph;
}

FlowRequest Flow(std::int64_t bytes) {
  FlowRequest flow;
  flow.source = NodeId(0);
  flow.destination = NodeId(1);
  flow.size = Bytes{bytes};
  return flow;
}

Observed Deliver(const Graph& graph, std::int64_t bytes, const TransportOptions& options,
                 const std::vector<LinkEvent>& failures = {}) {
  return Simulate(graph, {Flow(bytes)}, {options, {}, failures});
}

std::int64_t Fct(const Observed& o) { return GetColumn<std::int64_t>(o.flows, "fct_ps").at(0); }

TEST(ParkedFlows, GoOnWhenTheirRouteComesBackLate) {
  // The link of the sender or receiver is down, also for far longer than the first timeout (4.19
  // ms); all data in flight is lost, and the window is full.
  for (std::uint32_t link : {0U, 1U}) {
    for (std::int64_t up_us : {1000, 20000, 300000}) {
      const Observed outcome =
          Deliver(Pair(), 2'000'000, {},
                  {{MicroSeconds(20), LinkId(link), LinkEvent::Kind::kDown, {}},
                   {MicroSeconds(up_us), LinkId(link), LinkEvent::Kind::kUp, {}}});
      EXPECT_EQ(outcome.books.flows_finished, 1) << link << " " << up_us;
      EXPECT_GT(Fct(outcome), MicroSeconds(up_us).ps);
      EXPECT_GT(outcome.books.dropped_packets, 0);
    }
  }
}

/// Timeouts shorter than the round trip repeat everything before the first ACK arrives: copies that
/// arrive after the flow is complete look like a new flow. The flow must end whichever ACK is lost.
TEST(Forgotten, FlowsThatAreReceivedTwiceStillEnd) {
  Graph graph(2, 0, 1, 1, "X");
  for (std::uint32_t gpu : {0U, 1U}) {
    graph.AddLink({NodeId(gpu), NodeId(2), BitRate{100'000'000'000}, NanoSeconds(500), 0.2});
  }
  TransportOptions options;
  options.reliability.timeout = MicroSeconds(1);
  options.reliability.retry_limit = 20;
  for (bool selective : {false, true}) {
    options.reliability.selective_repeat = selective;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      RunPlan plan;
      plan.seed = seed;
      const Observed outcome = Simulate(
          graph, {Flow(18'000 + 9'000 * static_cast<std::int64_t>(seed % 4))}, {options, plan});
      EXPECT_EQ(outcome.books.flows_finished, 1)
          << "seed " << seed << " selective " << selective << " state "
          << int{GetColumn<std::uint8_t>(outcome.flows, "state")[0]};
    }
  }
}

TEST(AckInterval, LongerThanTheWindowCostsNoTimeout) {
  // Window 36,000 B or so: without an ACK on the packet that fills it, the sender would wait for a
  // timeout each time.
  TransportOptions options;
  options.reliability.ack_interval = 1'000'000;
  const Observed outcome = Deliver(Pair(), 900'000, options);
  EXPECT_EQ(outcome.books.flows_finished, 1);
  EXPECT_EQ(outcome.books.timeouts, 0);
  EXPECT_LT(outcome.books.received_packets, 200);  // 100 of data, and fewer ACKs than one each
}

TEST(AckInterval, AFullWindowBindsOnlyIfAnAckIsSureToCome) {
  // 18,000 bytes in flight: the receiver is sure to acknowledge some of them if its interval is at
  // most that, or if the sender asked for it.
  QueuePair pair;
  pair.size = 90'000;
  pair.next = 18'000;
  pair.pace.limit = 18'001;
  EXPECT_FALSE(pair.window_full());
  EXPECT_TRUE(pair.ready(1));
  pair.pace.limit = 18'000;
  EXPECT_TRUE(pair.window_full());
  EXPECT_FALSE(pair.ready(1));
  EXPECT_FALSE(pair.ready(18'000));
  EXPECT_TRUE(pair.ready(18'001));
  pair.asked = 1;
  EXPECT_FALSE(pair.ready(18'001));
  pair.pace.limit = 0;
  EXPECT_TRUE(pair.ready(18'001));
}

TEST(BackToZero, MakesProgressWithAChunkBeyondTheWindow) {
  TransportOptions options;
  options.reliability.back_to_zero = true;
  options.reliability.chunk = 1'000'000;
  const Observed clean = Deliver(Pair(), 3'000'000, options);
  EXPECT_EQ(clean.books.flows_finished, 1);
  EXPECT_EQ(clean.books.timeouts, 0);
  EXPECT_EQ(clean.books.resent_bytes, 0);
}

TEST(Timeouts, TheLongestDoNotOverflow) {
  ReliabilityOptions options;
  options.timeout = MicroSeconds(100'000'000);
  for (int in_a_row = 0; in_a_row < 100; ++in_a_row) {
    EXPECT_GE(options.TimeoutAfter(in_a_row), options.timeout);
    EXPECT_LE(options.TimeoutAfter(in_a_row), MicroSeconds(100'000'000'000));
  }
  EXPECT_EQ(options.TimeoutAfter(3), options.timeout * 8);
}

/// The error message of building a fabric for a change of link 1's rate; empty if none. No event
/// runs.
std::string RefusalOf(const TransportOptions& options, std::int64_t gbps) {
  const Graph graph = Pair();
  const FabricLayout layout{
      {DomainId(0), DomainId(0), DomainId(0)}, {{NodeId(0), NodeId(1), NodeId(2)}}, {RankId(0)}};
  const LinkEvent change{MicroSeconds(50), LinkId(1), LinkEvent::Kind::kRate,
                         BitRate{gbps * 1'000'000'000}};
  try {
    Fabric(graph, options, layout, RankId(0), 1, 1, {change});
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Degraded, ARateThatTheMapsLackHasThresholdsByRule) {
  EXPECT_EQ(RefusalOf({}, 40), "");
  EXPECT_EQ(RefusalOf({}, 800), "");
}

TEST(Degraded, ARateWithoutThresholdsIsRefusedBeforeTheRun) {
  TransportOptions options;
  options.ecn.kmin = RateMap::Parse("400KB", 1e6, "KB");
  const std::string refusal = RefusalOf(options, 5);  // kmax by the rule: 80 KB
  EXPECT_NE(refusal.find("KMIN_MAP"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("5Gbps"), std::string::npos) << refusal;
}

TEST(Degraded, ABufferThatBecomesTooSmallIsRefusedBeforeTheRun) {
  TransportOptions options;
  options.congestion.mode = 0;
  options.buffer.buffer_mib = 1;
  EXPECT_NE(RefusalOf(options, 8000).find("BUFFER_SIZE"), std::string::npos);
  EXPECT_EQ(RefusalOf(options, 40), "");
}

TEST(LinkMonitor, TheFirstSampleCountsFromItsStart) {
  TransportOptions options;
  options.monitors.links = true;
  options.monitors.start = MicroSeconds(100);
  options.monitors.link_interval = MicroSeconds(10);
  const Observed outcome = Deliver(Pair(), 4'000'000, options);
  ASSERT_EQ(outcome.monitors.size(), 1U);
  const auto& gbps = GetColumn<double>(outcome.monitors[0], "throughput_gbps");
  const auto& time = GetColumn<std::int64_t>(outcome.monitors[0], "time_ps");
  ASSERT_FALSE(gbps.empty());
  EXPECT_EQ(*std::min_element(time.begin(), time.end()), MicroSeconds(110).ps);
  // A packet counts when its transmission starts: a sample may contain one packet more than fit
  // into 10 us.
  EXPECT_LE(*std::max_element(gbps.begin(), gbps.end()), 100 + 9052 * 8e-3 / 10);
}

}  // namespace
}  // namespace heddle::testing
