// SPDX-License-Identifier: GPL-2.0-only
/// A host's NIC in whole runs (docs/models/nic.md): several queue pairs for a flow, turns by
/// weight, window and pacing.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

Graph NicPair() { return Row({{100}, {100}}); }

TEST(QueuePairs, SplitAFlowIntoEqualParts) {
  // ceil(1,000,001 / 4) = 250,001 three times, 249,998 are left. The next flow of the pair takes
  // the next ports.
  TransportOptions options;
  options.nic.qps_per_connection = 4;
  const Observed outcome = Simulate(NicPair(), {Flow(0, 1, 1'000'001), Flow(0, 1, 2)}, options);
  EXPECT_EQ(GetColumn<std::int64_t>(outcome.flows, "size_bytes"),
            (std::vector<std::int64_t>{250'001, 250'001, 250'001, 249'998, 1, 1}));
  EXPECT_EQ(GetColumn<std::uint16_t>(outcome.flows, "source_port"),
            (std::vector<std::uint16_t>{10000, 10001, 10002, 10003, 10004, 10005}));
  EXPECT_EQ(GetColumn<std::uint32_t>(outcome.flows, "message"),
            (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1}));
  EXPECT_TRUE(AllFinished(outcome));
}

TEST(QueuePairs, DrawTheirPortsBySeed) {
  TransportOptions options;
  options.nic.qps_per_connection = 4;
  options.nic.source_ports = NicOptions::SourcePorts::kRandom;
  const auto ports = [&](std::uint64_t seed) {
    RunPlan plan;
    plan.seed = seed;
    const Observed o =
        Simulate(NicPair(), std::vector<FlowRequest>(250, Flow(0, 1, 4)), {options, plan});
    EXPECT_TRUE(AllFinished(o));
    return GetColumn<std::uint16_t>(o.flows, "source_port");
  };
  const std::vector<std::uint16_t> first = ports(1);
  EXPECT_EQ(ports(1), first);
  EXPECT_NE(ports(2), first);
  EXPECT_GE(*std::min_element(first.begin(), first.end()), 49152);
  // Of 1,000 draws from 16,384 ports 30 meet an earlier one in the mean, with a deviation of 5.4.
  const std::set<std::uint16_t> different(first.begin(), first.end());
  EXPECT_NEAR(static_cast<double>(first.size() - different.size()), 30, 22);
  // The mean of a uniform draw; 16,384 / sqrt(12 x 1,000) is its deviation.
  const double mean = std::accumulate(first.begin(), first.end(), 0.0) / 1000;
  EXPECT_NEAR(mean, 49152 + 8191.5, 4 * 150);
}

TEST(NicPorts, QueuePairsOfAMessageTakeTurns) {
  TransportOptions options = Unlimited();
  options.nic.ports = NicPorts::kRoundRobin;
  options.nic.qps_per_connection = 2;
  const Observed outcome = Simulate(TwoPorts(), {Flow(0, 1, 1'800'000)}, options);
  for (const std::size_t row : {0U, 1U}) {
    EXPECT_EQ(Received(outcome, row), 101 * kTx + 2 * kMicro);
    EXPECT_EQ(PortFigure(outcome, 0, static_cast<std::uint32_t>(row), "sent_packets"), 100);
    // ACKs come back by the port of their data.
    EXPECT_EQ(PortFigure(outcome, 1, static_cast<std::uint32_t>(row), "sent_packets"), 100);
  }
  EXPECT_EQ(outcome.books.idle_nic_share(), 0);
}

TEST(NicPorts, FlowsOfAPairTakeTurns) {
  TransportOptions options = Unlimited();
  options.nic.ports = NicPorts::kRoundRobin;
  std::vector<FlowRequest> flows;
  for (int i = 0; i < 10; ++i) flows.push_back(Flow(0, 1, 90'000, 3, i * 100 * kMicro));
  const Observed outcome = Simulate(TwoPorts(), flows, options);
  for (std::uint32_t port = 0; port < 2; ++port)
    EXPECT_EQ(PortFigure(outcome, 0, port, "sent_packets"), 50);
  EXPECT_EQ(outcome.books.idle_nic_share(), 0.5);  // one flow at a time
}

TEST(NicPorts, TimeInUseIsThatOfQueuePairs) {
  // One port is used for the longer, the other one for the shorter of two flows.
  TransportOptions options = Unlimited();
  options.nic.ports = NicPorts::kRoundRobin;
  const Observed outcome =
      Simulate(TwoPorts(), {Flow(0, 1, 900'000), Flow(0, 1, 1'800'000)}, options);
  const std::int64_t shorter = Fct(outcome, 0) / 1000, longer = Fct(outcome, 1) / 1000;
  EXPECT_EQ(outcome.books.nic_ports_used_ns, shorter + longer);
  EXPECT_EQ(outcome.books.nic_ports_open_ns, 2 * longer);
  const Observed one = Simulate(NicPair(), {Flow(0, 1, 900'000)}, options);
  EXPECT_EQ(one.books.nic_ports_open_ns, 0);
  EXPECT_EQ(one.books.idle_nic_share(), 0);
}

TEST(QueuePairs, TakeTurnsByWeight) {
  // Priority 3 has weight 3, priority 5 weight 1, 40 packets each: AAAB AAAB .. 39 of A are sent in
  // 13 turns of 4 slots, the last in slot 52. B is alone then and ends in slot 79. Equal weights: A
  // in slot 78, B in slot 79.
  TransportOptions options = Unlimited();
  options.nic.weights[3] = 3;
  const std::vector<FlowRequest> flows = {Flow(0, 1, 360'000, 3), Flow(0, 1, 360'000, 5)};
  const auto received = [](std::int64_t slot) { return (slot + 2) * kTx + 2 * kMicro; };
  const Observed weighted = Simulate(NicPair(), flows, options);
  EXPECT_EQ(Received(weighted, 0), received(52));
  EXPECT_EQ(Received(weighted, 1), received(79));
  options.nic.weights[3] = 1;
  const Observed equal = Simulate(NicPair(), flows, options);
  EXPECT_EQ(Received(equal, 0), received(78));
  EXPECT_EQ(Received(equal, 1), received(79));
}

TEST(Acks, GoBeforeDataInTheNic) {
  // GPU 1's packet is at GPU 0 after 2 tx + 2 us, in the midst of packet 4 (4.76): its ACK goes at
  // 5 tx, before packet 5, and waits for packet 4 in the switch.
  const Observed outcome = Simulate(NicPair(), {Flow(0, 1, 90'000), Flow(1, 0, 9000)}, Unlimited());
  EXPECT_EQ(Fct(outcome, 1), 5 * kTx + kTx + kAckTx + 2 * kMicro);
  EXPECT_EQ(Received(outcome, 0), 10 * kTx + kAckTx + kTx + 2 * kMicro);
}

TEST(Pacing, FollowsTheRateOnlyIfBound) {
  // Two senders into one port that marks all packets: DCQCN's rates fall, and the port becomes idle
  // at times. Without RATE_BOUND, and without a window, the rates have no effect: the port sends 2
  // N packets back to back, as without congestion control.
  const Graph graph = Star({{100}, {100}, {100}});
  const std::vector<FlowRequest> flows = {Flow(0, 2, 1'800'000), Flow(1, 2, 1'800'000)};
  TransportOptions options = MarkAlways();
  const std::int64_t back_to_back = (1 + 2 * 200) * kTx + 2 * kMicro;
  const Observed bound = Simulate(graph, flows, options);
  EXPECT_GT(Received(bound, 1), 2 * back_to_back);
  EXPECT_GT(bound.books.marked, 0);
  options.rate_bound = false;
  const Observed free = Simulate(graph, flows, options);
  EXPECT_EQ(Received(free, 1), back_to_back);
  EXPECT_GT(free.books.marked, 0);
}

TEST(Window, FollowsTheRateOnlyIfVariable) {
  // The same without pacing but with a window. A window that follows the rate is min(R / line) of
  // the product; otherwise it is whole, and two of them fill the port: rtt = 4 us + 1.44 us, 68,000
  // bytes.
  const Graph graph = Star({{100}, {100}, {100}});
  const std::vector<FlowRequest> flows = {Flow(0, 2, 1'800'000), Flow(1, 2, 1'800'000)};
  TransportOptions options = MarkAlways();
  options.rate_bound = false;
  options.has_window = true;
  const std::int64_t back_to_back = (1 + 2 * 200) * kTx + 2 * kMicro;
  EXPECT_GT(Received(Simulate(graph, flows, options), 1), 2 * back_to_back);
  options.var_window = false;
  EXPECT_EQ(Received(Simulate(graph, flows, options), 1), back_to_back);
}

TEST(Window, OfThePairOrTheLargestOfAll) {
  // GPUs 0 and 1 are 2 * 10 ns apart, GPU 2 has a cable of 5 us: the largest product is 100 Gbps *
  // (2 * 5.01 us + 1.44 us) = 143,250 bytes, so at most 16 packets are in flight; the pair's is 100
  // Gbps * (40 + 1440 ns) = 18,500: at most 3. With a second flow into GPU 1 the near flow's window
  // fills a queue.
  const Graph graph = Star({{100, 10'000}, {100, 10'000}, {100, 10'000}, {100, 5 * kMicro}});
  TransportOptions options;
  options.congestion.mode = 0;
  const std::vector<FlowRequest> flows = {Flow(0, 1, 900'000), Flow(2, 1, 900'000)};
  options.pair_window = true;
  EXPECT_LE(PortFigure(Simulate(graph, flows, options), 4, 1, "max_queued_bytes"), 2 * 3 * 9052);
  options.pair_window = false;
  const std::int64_t large = PortFigure(Simulate(graph, flows, options), 4, 1, "max_queued_bytes");
  EXPECT_GT(large, 2 * 14 * 9052);
  EXPECT_LE(large, 2 * 16 * 9052);
}

}  // namespace
}  // namespace heddle::testing
