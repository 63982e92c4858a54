// SPDX-License-Identifier: GPL-2.0-only
/// Flows whose every picosecond follows from store and forward, worked out here.
#include <gtest/gtest.h>

#include "tests/support/simulate.h"

namespace heddle::testing {
namespace {

constexpr std::int64_t kHeader = 52, kAck = 60;
constexpr std::int64_t kGbps = 1'000'000'000;

struct Hop {
  std::int64_t bps;
  std::int64_t delay_ps;
};

std::int64_t Wire(std::int64_t bytes, std::int64_t bps) {
  const std::int64_t bits = bytes * 8'000'000'000'000;
  return bits / bps + (bits % bps != 0 ? 1 : 0);
}

/// GPUs 0 and 1, switches 2, 3, ... in a row between them.
Graph Chain(const std::vector<Hop>& hops) {
  const auto switches = static_cast<std::uint32_t>(hops.size() - 1);
  Graph graph(2, 0, switches, 1, "X");
  for (std::uint32_t i = 0; i < hops.size(); ++i) {
    const NodeId a(i == 0 ? 0 : i + 1), b(i + 1 == hops.size() ? 1 : i + 2);
    graph.AddLink({a, b, BitRate{hops[i].bps}, PicoSeconds(hops[i].delay_ps), 0});
  }
  return graph;
}

FlowRequest FlowOf(std::uint32_t from, std::uint32_t to, std::int64_t size,
                   std::uint8_t priority = 3) {
  FlowRequest flow;
  flow.source = NodeId(from);
  flow.destination = NodeId(to);
  flow.size = Bytes{size};
  flow.priority = priority;
  return flow;
}

std::int64_t Received(const Observed& o, std::size_t row) {
  return GetColumn<std::int64_t>(o.flows, "received_ps").at(row);
}
std::int64_t FctOf(const Observed& o, std::size_t row) {
  return GetColumn<std::int64_t>(o.flows, "fct_ps").at(row);
}

TransportOptions LineRate() {
  TransportOptions options;
  options.congestion.mode = 0;
  return options;
}

TransportOptions NoWindow() {
  TransportOptions options = LineRate();
  options.has_window = false;
  return options;
}

struct Expected {
  std::int64_t received, fct;
};

/// Link i takes T_i for a full packet, t_i for the last, short one, a_i for an ACK; D is the sum of
/// delays.
///   N full packets alone (they queue before the slowest link):
///       D + sum T + (N - 1) max T
///   with a short one behind (it catches up at j):
///       D + max_j [sum_{i<=j} T_i + (N - 1) max_{i<=j} T_i + sum_{i>=j} t_i]
/// The last ACK takes D + sum a, unless it follows the one before too closely: then that one's
/// D + sum a, plus max a.
Expected ClosedForm(const std::vector<Hop>& hops, std::int64_t size, std::int64_t payload) {
  const std::int64_t full = size / payload, rest = size % payload;
  std::int64_t delay = 0, sum = 0, slowest = 0, acks = 0, slowest_ack = 0, last = 0;
  for (const Hop& hop : hops) {
    delay += hop.delay_ps;
    acks += Wire(kAck, hop.bps);
    slowest_ack = std::max(slowest_ack, Wire(kAck, hop.bps));
  }
  for (std::size_t j = 0; j < hops.size(); ++j) {
    sum += Wire(payload + kHeader, hops[j].bps);
    slowest = std::max(slowest, Wire(payload + kHeader, hops[j].bps));
    std::int64_t tail = 0;
    for (std::size_t i = j; i < hops.size(); ++i) tail += Wire(rest + kHeader, hops[i].bps);
    if (full == 0) {
      if (j == 0) last = tail;
    } else {
      last = std::max(last, sum + (full - 1) * slowest + tail);
    }
  }
  const std::int64_t of_full =
      sum + (full - 1) * slowest;  // arrival of the last full packet, without delays
  if (rest == 0) return {delay + of_full, 2 * delay + of_full + acks};
  std::int64_t fct = last + acks;
  if (full > 0) fct = std::max(fct, of_full + acks + slowest_ack);
  return {delay + last, 2 * delay + fct};
}

struct ChainCase {
  const char* name;
  std::vector<Hop> hops;
};

std::int64_t LongestAck(const std::vector<Hop>& hops) {
  std::int64_t longest = 0;
  for (const Hop& hop : hops) longest = std::max(longest, Wire(kAck, hop.bps));
  return longest;
}

class UncontendedFlow : public ::testing::TestWithParam<ChainCase> {};

TEST_P(UncontendedFlow, EqualsThePipelineFormulaToThePicosecond) {
  const Graph graph = Chain(GetParam().hops);
  for (std::int64_t size : {1LL, 8999LL, 9000LL, 9001LL, 18000LL, 1000000LL}) {
    for (std::uint32_t grain : {1U, 0U}) {
      RunPlan plan;
      plan.grain = grain;
      const Observed outcome = Simulate(graph, {FlowOf(0, 1, size)}, {NoWindow(), plan});
      const Expected expected = ClosedForm(GetParam().hops, size, 9000);
      EXPECT_EQ(Received(outcome, 0), expected.received) << size;
      EXPECT_EQ(FctOf(outcome, 0), expected.fct) << size;
      // The ideal knows no ACKs that queue behind others.
      const std::int64_t ideal = GetColumn<std::int64_t>(outcome.flows, "ideal_ps")[0];
      EXPECT_LE(ideal, expected.fct) << size;
      EXPECT_GE(ideal, expected.fct - LongestAck(GetParam().hops)) << size;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Chains, UncontendedFlow,
    ::testing::Values(
        ChainCase{"equal", {{100 * kGbps, 500000}, {100 * kGbps, 500000}}},
        ChainCase{"slow_middle",
                  {{400 * kGbps, 500000}, {100 * kGbps, 1000000}, {400 * kGbps, 70001}}},
        ChainCase{"slow_first",
                  {{25 * kGbps, 100000}, {400 * kGbps, 100000}, {200 * kGbps, 100000}}},
        ChainCase{"slow_last", {{400 * kGbps, 60000}, {200 * kGbps, 60000}, {10 * kGbps, 60000}}},
        ChainCase{"rounded_up", {{2880 * kGbps, 60000}, {2880 * kGbps, 60000}}},
        ChainCase{"odd_rates",
                  {{2880 * kGbps, 60007},
                   {7 * kGbps, 99991},
                   {333333333, 60000},
                   {2400 * kGbps, 1000000}}}),
    [](const auto& chain) { return std::string(chain.param.name); });

TEST(UncontendedFlow, ByHand) {
  // 9052 B at 100 Gbps: 724,160 ps; ACK: 4,800 ps. Two links of 500 ns.
  const Observed one =
      Simulate(Chain({{100 * kGbps, 500000}, {100 * kGbps, 500000}}), {FlowOf(0, 1, 9000)});
  EXPECT_EQ(Received(one, 0), 2 * 724160 + 1000000);
  EXPECT_EQ(FctOf(one, 0), 2 * 724160 + 2 * 4800 + 2000000);
  // 9052 * 8 / 2880 = 25.1444.. ns: 25,145 ps; 60 * 8 / 2880 = 166.66.. ps: 167 ps.
  const Observed two = Simulate(Chain({{2880 * kGbps, 500000}, {2880 * kGbps, 500000}}),
                                {FlowOf(0, 1, 18000)}, NoWindow());
  EXPECT_EQ(Received(two, 0), 3 * 25145 + 1000000);
  EXPECT_EQ(FctOf(two, 0), 3 * 25145 + 2 * 167 + 2000000);
}

TEST(Window, BindsAFlowByHand) {
  // Four links of 90 ns: rtt = 2 * 360 + 4 * 720 = 3600 ns, times 100 Gbps = 45,000 B: five packets
  // of 9000. An ACK is back 4 * (724.16 + 4.8) + 720 = 3635.84 ns after its packet was begun, five
  // packets take 3620.8: packet k starts at (k / 5) * 3635.84 + (k % 5) * 724.16 ns.
  const Graph graph = Chain(std::vector<Hop>(4, {100 * kGbps, 90000}));
  constexpr std::int64_t kTx = 724160, kRound = 3635840;
  for (std::int64_t packets : {4, 5, 6, 12, 100}) {
    const Observed bound = Simulate(graph, {FlowOf(0, 1, packets * 9000)});
    const std::int64_t last = packets - 1;
    EXPECT_EQ(FctOf(bound, 0), (last / 5) * kRound + (last % 5) * kTx + kRound) << packets;
    const Observed free = Simulate(graph, {FlowOf(0, 1, packets * 9000)}, NoWindow());
    EXPECT_EQ(FctOf(free, 0), last * kTx + kRound) << packets;
  }
}

TEST(Sharing, TwoFlowsAlternateAtTheEgress) {
  Graph graph(3, 0, 1, 1, "X");
  for (std::uint32_t gpu = 0; gpu < 3; ++gpu) {
    graph.AddLink({NodeId(gpu), NodeId(3), BitRate{100 * kGbps}, NanoSeconds(500), 0});
  }
  constexpr std::int64_t kTx = 724160, kPackets = 10, kDelay = 500000;
  const Observed outcome =
      Simulate(graph, {FlowOf(0, 2, 9000 * kPackets), FlowOf(1, 2, 9000 * kPackets)}, NoWindow());
  // Both reach the switch at the same times; the lower port goes first: slots 0, 2, .., 18 and 1,
  // 3, .., 19.
  const std::int64_t first_slot = kTx + kDelay;
  EXPECT_EQ(Received(outcome, 0), first_slot + (2 * kPackets - 1) * kTx + kDelay);
  EXPECT_EQ(Received(outcome, 1), first_slot + 2 * kPackets * kTx + kDelay);
  for (std::size_t i : {0U, 1U})
    EXPECT_EQ(FctOf(outcome, i), Received(outcome, i) + 2 * (4800 + kDelay));
}

TEST(Sharing, TwoFlowsOfOneNicTakeTurns) {
  // One NIC, two flows of 10 packets: begun in slots 0, 2, .. and 1, 3, ..
  const Graph graph = Chain({{100 * kGbps, 500000}, {100 * kGbps, 500000}});
  constexpr std::int64_t kTx = 724160;
  const Observed outcome = Simulate(graph, {FlowOf(0, 1, 90000), FlowOf(0, 1, 90000)}, NoWindow());
  EXPECT_EQ(Received(outcome, 0), 19 * kTx + kTx + 1000000);
  EXPECT_EQ(Received(outcome, 1), 20 * kTx + kTx + 1000000);
}

TEST(Priorities, ZeroIsStrictAndOthersTakeTurns) {
  // Senders 0, 1, 2 with priorities 0, 3, 5; the receiver 3 hangs on the switch's last port, so
  // what arrives when the port becomes free is queued first. Priority 0 holds the link for N slots,
  // then 3 and 5 alternate.
  Graph graph(4, 0, 1, 1, "X");
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
    graph.AddLink({NodeId(gpu), NodeId(4), BitRate{100 * kGbps}, NanoSeconds(500), 0});
  }
  constexpr std::int64_t kTx = 724160, kPackets = 8;
  const Observed outcome =
      Simulate(graph,
               {FlowOf(0, 3, 9000 * kPackets, 0), FlowOf(1, 3, 9000 * kPackets, 3),
                FlowOf(2, 3, 9000 * kPackets, 5)},
               NoWindow());
  const std::int64_t begin = kTx + 1000000;
  EXPECT_EQ(Received(outcome, 0), begin + kPackets * kTx);
  EXPECT_EQ(Received(outcome, 1), begin + (3 * kPackets - 1) * kTx);
  EXPECT_EQ(Received(outcome, 2), begin + 3 * kPackets * kTx);
}

TEST(Nic, AcksGoBeforeData) {
  // GPU 1's only packet reaches GPU 0 at 2 * 724,160 + 200,000 = 1,648,320 ps, while 0 sends its
  // packet 2. The ACK goes next, at 3 tx; at the switch it waits for packet 2. Packets 3 to 9 are
  // begun an ACK later.
  const Graph graph = Chain({{100 * kGbps, 100000}, {100 * kGbps, 100000}});
  constexpr std::int64_t kTx = 724160, kAckTime = 4800, kDelay = 100000;
  const Observed outcome = Simulate(graph, {FlowOf(0, 1, 90000), FlowOf(1, 0, 9000)}, NoWindow());
  EXPECT_EQ(Received(outcome, 0), 10 * kTx + kAckTime + kTx + 2 * kDelay);
  EXPECT_EQ(Received(outcome, 1), 2 * kTx + 2 * kDelay);
  EXPECT_EQ(FctOf(outcome, 1), 3 * kTx + kTx + kAckTime + 2 * kDelay);
}

}  // namespace
}  // namespace heddle::testing
