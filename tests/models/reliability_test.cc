// SPDX-License-Identifier: GPL-2.0-only
/// Reliable delivery: one packet is lost at a known place, and the consequences are computed by
/// hand from docs/models/reliability.md.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/leaf_spine.h"
#include "tests/support/small_fabric.h"
#include "topology/routes/ecmp_hash.h"

namespace heddle::testing {
namespace {

/// GPU 0 - switch 2 - GPU 1, 100 Gbps, 10 ns: so short that one packet at a time is on a cable.
/// Alone, packet n starts at n tx, leaves the switch at (n + 1) tx + D, arrives at (n + 2) tx + 2
/// D, and its ACK is back kBack later.
constexpr std::int64_t kD = 10'000, kBack = 2 * (kAckTx + kD);
constexpr std::int64_t kReliabilityRto = 4'194'304'000;
constexpr std::int64_t kReliabilityPackets = 20;
constexpr std::int64_t kAlone = (kReliabilityPackets + 1) * kTx + 2 * kD + kBack;

Graph Short() { return Row({{100, kD}, {100, kD}}); }

TransportOptions SlowRouting(bool selective = false) {
  TransportOptions options = Unlimited();
  // No rerouting: lost packets are not delivered by another way.
  options.convergence = MicroSeconds(1'000'000);
  options.reliability.selective_repeat = selective;
  return options;
}

/// The second cable fails for 1 ns while packet k alone is on it: 100 ns after it left the switch.
/// ACK k - 1 passed it from D to D + 4.8 + 10 ns after that.
std::vector<LinkEvent> Lose(std::int64_t k) {
  const std::int64_t at = (k + 1) * kTx + kD + 100'000;
  return Outage(1, at, at + 1000);
}

TEST(GoBackN, GoesOnFromTheLostPacket) {
  // Packet k + 1 arrives at (k + 3) tx + 2 D; the NACK is back 29.6 ns + D later, while packet k +
  // 3 is being sent. Packet k starts again at (k + 4) tx instead of k tx: everything is 4 tx late,
  // k to k + 3 are sent twice, k + 1 to k + 3 are out of order, and of their three NACKs only the
  // first is sent.
  for (std::int64_t k : {0, 5, 15}) {
    const Observed outcome =
        RunWith(Short(), {Flow(0, 1, kReliabilityPackets * 9000)}, SlowRouting(), Lose(k));
    EXPECT_EQ(Fct(outcome, 0), kAlone + 4 * kTx) << k;
    EXPECT_EQ(outcome.books.resent_bytes, 4 * 9000);
    EXPECT_EQ(outcome.books.out_of_order, 3);
    EXPECT_EQ(outcome.books.nacks, 1);
    EXPECT_EQ(outcome.books.timeouts, 0);
    EXPECT_EQ(outcome.books.dropped_packets, 1);
    EXPECT_EQ(GetColumn<std::string>(outcome.drops, "reason"),
              std::vector<std::string>{"link down"});
    EXPECT_EQ(GetColumn<std::uint32_t>(outcome.drops, "node"), std::vector<std::uint32_t>{1});
  }
}

TEST(GoBackN, WithoutSuppressionEachNackGoesBackAgain) {
  // NACKs 2 and 3 come one tx apart and each takes the sender back to k once more: k is sent three
  // times more, two of them duplicates, and all is 6 tx late.
  TransportOptions options = SlowRouting();
  options.reliability.nack_interval = Time{0};
  const Observed outcome =
      RunWith(Short(), {Flow(0, 1, kReliabilityPackets * 9000)}, options, Lose(5));
  EXPECT_EQ(outcome.books.nacks, 3);
  EXPECT_EQ(Fct(outcome, 0), kAlone + 6 * kTx);
  EXPECT_EQ(outcome.books.resent_bytes, 6 * 9000);
  EXPECT_EQ(outcome.books.duplicates, 2);
}

TEST(SelectiveRepeat, SendsTheLostPacketOnly) {
  // The same NACK, but only packet k comes between k + 3 and k + 4: one tx late.
  for (std::int64_t k : {0, 5, 15}) {
    const Observed outcome =
        RunWith(Short(), {Flow(0, 1, kReliabilityPackets * 9000)}, SlowRouting(true), Lose(k));
    EXPECT_EQ(Fct(outcome, 0), kAlone + kTx) << k;
    EXPECT_EQ(outcome.books.resent_bytes, 9000);
    EXPECT_EQ(outcome.books.out_of_order, 3);
    EXPECT_EQ(outcome.books.nacks, 3);
    EXPECT_EQ(outcome.books.duplicates, 0);
  }
}

TEST(Timeout, TheLostLastPacketComesOneTimeoutAfterTheLastProgress) {
  // The ACK of the packet before is back at (M - 2 + 2) tx + 2 D + back. Then the timeout, and the
  // way of one packet.
  constexpr std::int64_t kProgress = kReliabilityPackets * kTx + 2 * kD + kBack;
  constexpr std::int64_t kOnePacket = 2 * kTx + 2 * kD + kBack;
  for (bool selective : {false, true}) {
    const std::vector<FlowRequest> flow = {Flow(0, 1, kReliabilityPackets * 9000)};
    const Observed once =
        RunWith(Short(), flow, SlowRouting(selective), Lose(kReliabilityPackets - 1));
    EXPECT_EQ(Fct(once, 0), kProgress + kReliabilityRto + kOnePacket);
    EXPECT_EQ(once.books.timeouts, 1);
    EXPECT_EQ(once.books.resent_bytes, 9000);
    // Lost again on its second way: the next timeout is twice as long.
    std::vector<LinkEvent> twice = Lose(kReliabilityPackets - 1);
    const std::int64_t again = kProgress + kReliabilityRto + kTx + kD + 100'000;
    for (const LinkEvent& event : Outage(1, again, again + 1000)) twice.push_back(event);
    const Observed second = RunWith(Short(), flow, SlowRouting(selective), twice);
    EXPECT_EQ(Fct(second, 0), kProgress + 3 * kReliabilityRto + kOnePacket);
    EXPECT_EQ(second.books.timeouts, 2);
  }
}

TEST(Acks, TheIntervalCountsBytesAndTheLastByteIsAlwaysAcknowledged) {
  // 10 packets, an ACK every 36,000 bytes: after 4, 8, and the last.
  TransportOptions options = Unlimited();
  options.reliability.ack_interval = 36'000;
  const Observed outcome = Simulate(Short(), {Flow(0, 1, 90'000)}, options);
  EXPECT_EQ(PortFigure(outcome, 1, 0, "sent_packets"), 3);
  options.reliability.ack_interval = 1;
  EXPECT_EQ(PortFigure(Simulate(Short(), {Flow(0, 1, 90'000)}, options), 1, 0, "sent_packets"), 10);
}

TEST(Acks, SimAisRuleSendsAsManyAsSimAi) {
  // 112 packets. SimAI 1.6 takes 955 events instead of 991 with an interval of 100 kB, four less
  // for each ACK over two links: of the first eleven packets only the fourth and the eighth have
  // theirs.
  TransportOptions options = Unlimited();
  options.reliability.ack_interval = 100'000;
  options.reliability.simai_acks = true;
  EXPECT_EQ(PortFigure(Simulate(Short(), {Flow(0, 1, 1'000'000)}, options), 1, 0, "sent_packets"),
            112 - (991 - 955) / 4);
}

TEST(Acks, ATimeoutOpensAWindowThatSimAisRuleStalls) {
  // Three packets fill the window; ACKs come for four at the soonest. SimAI stalls; here the
  // timeout repeats the first packet, whose ACK covers all three.
  TransportOptions options = Unlimited();
  options.has_window = true;
  options.var_window = false;
  options.reliability.ack_interval = 100'000;
  const std::vector<FlowRequest> flow = {Flow(0, 1, 5 * 9000)};
  const Observed here = Simulate(Short(), flow, options);
  EXPECT_EQ(here.books.timeouts, 0);
  options.reliability.simai_acks = true;
  const Observed there = Simulate(Short(), flow, options);
  EXPECT_TRUE(AllFinished(there));
  EXPECT_GT(there.books.timeouts, 0);
}

TEST(Acks, AWindowThatShrinksBelowTheIntervalCostsNoTimeout) {
  // Eight flows into one port that marks all packets: DCQCN halves rates and windows (68,000 bytes
  // at first) while several packets are in flight, none of which asks for an ACK and which are
  // fewer than the interval. Nothing is lost, so no flow may wait for a timeout: there used to be
  // 10 to 12. No rate recovers in time to open a window.
  TransportOptions options = MarkAlways();
  options.has_window = true;
  options.congestion.Of<Dcqcn>().increase_interval = MicroSeconds(100'000);
  options.monitors.rates = true;
  options.monitors.on_change = true;
  std::vector<FlowRequest> flows;
  for (std::uint32_t i = 0; i < 8; ++i) flows.push_back(Flow(i, 8, 200 * 9000));
  for (std::int64_t packets : {4, 8, 16}) {
    options.reliability.ack_interval = packets * 9000;
    const Observed outcome =
        Simulate(Star(std::vector<Cable>(9, Cable{100, kMicro})), flows, options);
    EXPECT_TRUE(AllFinished(outcome));
    EXPECT_EQ(outcome.books.timeouts, 0) << packets;
    EXPECT_EQ(outcome.books.dropped_packets, 0);
    EXPECT_EQ(outcome.books.resent_bytes, 0);
    EXPECT_GT(outcome.books.marked, 0);
    const auto& rates = GetColumn<std::int64_t>(Monitor(outcome, "monitors/rates"), "rate_bps");
    EXPECT_LT(*std::min_element(rates.begin(), rates.end()), 30 * kG);
    EXPECT_LT(PortFigure(outcome, 8, 0, "sent_packets"), 8 * 200)
        << "the interval still saves ACKs";
  }
}

TEST(Acks, TheLostLastAckIsRepeatedForTheDuplicate) {
  // ACK M - 1 starts at (M + 1) tx + 2 D; nothing else is on its cable. The receiver has all; a
  // timeout after ACK M - 2 the last packet comes again and is acknowledged again, though the
  // receiver has forgotten the flow.
  const std::int64_t cut = (kReliabilityPackets + 1) * kTx + 2 * kD + 5000;
  for (bool selective : {false, true}) {
    const Observed outcome = RunWith(Short(), {Flow(0, 1, kReliabilityPackets * 9000)},
                                     SlowRouting(selective), Outage(1, cut, cut + 1000));
    EXPECT_EQ(Received(outcome, 0), (kReliabilityPackets + 1) * kTx + 2 * kD);
    EXPECT_EQ(Fct(outcome, 0), kReliabilityPackets * kTx + 2 * kD + kBack + kReliabilityRto +
                                   2 * kTx + 2 * kD + kBack);
    EXPECT_EQ(outcome.books.duplicates, 1);
    EXPECT_EQ(outcome.books.resent_bytes, 9000);
  }
}

TEST(Timeout, TheRetryLimitEndsTheFlowAndTheRun) {
  // Nothing gets through. Timeouts at 1, 3, 7 RTO; with a limit of 2 the third one gives up.
  for (bool selective : {false, true}) {
    TransportOptions options = Unlimited();
    options.reliability.error_rate = 0.999999;
    options.reliability.retry_limit = 2;
    options.reliability.selective_repeat = selective;
    const Observed outcome = Simulate(Short(), {Flow(0, 1, 9000)}, options);
    EXPECT_EQ(State(outcome, 0), 3);
    EXPECT_EQ(Fct(outcome, 0), -1);
    EXPECT_EQ(Received(outcome, 0), -1);
    EXPECT_EQ(outcome.books.timeouts, 3);
    EXPECT_EQ(outcome.end.ps, 7 * kReliabilityRto);
    EXPECT_EQ(outcome.books.dropped_packets, 3);
  }
}

TEST(Timeout, EndsAFlowThatNacksAloneKeepAlive) {
  // A switch that has room for short packets only drops the first one each time, and the short one
  // behind it asks for it each time.
  TransportOptions options;
  options.payload = 9000;
  options.ecn.enabled = false;
  options.pfc.enabled = false;
  options.buffer.reserve = 4096;
  options.buffer.threshold_shift = 16;
  options.reliability.nack_interval = MicroSeconds(1);
  const Observed o = Simulate(Row({{200, 25'000}, {100}}), {Flow(0, 1, 9001)}, options);
  EXPECT_EQ(State(o, 0), static_cast<int>(FlowState::kRetryLimit));
  EXPECT_GT(o.books.timeouts, 0);
}

TEST(BackToZero, TheReceiverGoesBackToTheChunk) {
  // Packets of 1000 bytes: 84,160 ps each. Packet 6 is lost; chunks of 4000: from byte 6000 back to
  // 4000, packet 4. The NACK is back while packet 9 is sent (49.6 ns after it began, as above),
  // packet 4 follows it: 2 + 4 packets late.
  constexpr std::int64_t kShort = 1052 * kPs, kCount = 40;
  constexpr std::int64_t kShortAlone = (kCount + 1) * kShort + 2 * kD + kBack;
  const std::int64_t at = 7 * kShort + kD + 40'000;
  TransportOptions options = SlowRouting();
  options.payload = 1000;
  options.reliability.back_to_zero = true;
  const std::vector<FlowRequest> flow = {Flow(0, 1, kCount * 1000)};
  EXPECT_EQ(Fct(Simulate(Short(), flow, options), 0), kShortAlone);
  const Observed chunk4000 = RunWith(Short(), flow, options, Outage(1, at, at + 1000));
  EXPECT_EQ(Fct(chunk4000, 0), kShortAlone + 6 * kShort);
  EXPECT_EQ(chunk4000.books.resent_bytes, 6 * 1000);
  options.reliability.chunk = 2000;  // byte 6000 begins a chunk
  EXPECT_EQ(Fct(RunWith(Short(), flow, options, Outage(1, at, at + 1000)), 0),
            kShortAlone + 4 * kShort);
  options.reliability.chunk = 100'000;  // everything again
  EXPECT_EQ(Fct(RunWith(Short(), flow, options, Outage(1, at, at + 1000)), 0),
            kShortAlone + 10 * kShort);
  options.reliability.back_to_zero = false;
  EXPECT_EQ(Fct(RunWith(Short(), flow, options, Outage(1, at, at + 1000)), 0),
            kShortAlone + 4 * kShort);
}

TEST(Losses, EveryFlowIsDeliveredAtEveryErrorRate) {
  LeafSpine fabric{4, 4, 2};
  for (bool selective : {false, true}) {
    for (double rate : {1e-4, 1e-3, 1e-2}) {
      TransportOptions options;
      options.reliability.error_rate = rate;
      options.reliability.selective_repeat = selective;
      const Observed outcome =
          Simulate(fabric.Build(), Permutation(fabric.hosts(), Bytes{3'000'000}, 3), options);
      EXPECT_TRUE(AllFinished(outcome)) << rate << " " << selective;
      // About 16 * 333 packets and as many ACKs over 2 or 4 links each.
      EXPECT_GT(outcome.books.dropped_packets, rate * 2 * 16 * 333);
      for (std::size_t i = 0; i < fabric.hosts(); ++i)
        EXPECT_GE(Fct(outcome, i), Received(outcome, i));
    }
  }
}

/// GPUs 0 and 1, each with a cable to switch 2 (port 0) and to switch 3 (port 1), the second with
/// losses. Equal-cost sets are listed by descending node id, so a hash that is even goes by switch
/// 3.
Graph TwoWays(double loss) {
  Graph graph(2, 0, 2, 1, "X");
  for (std::uint32_t gpu : {0U, 1U}) {
    graph.AddLink({NodeId(gpu), NodeId(2), BitRate{100 * kG}, PicoSeconds(kMicro), 0});
    graph.AddLink({NodeId(gpu), NodeId(3), BitRate{100 * kG}, PicoSeconds(kMicro), loss});
  }
  return graph;
}

/// A flow whose data goes by switch 3 if `data`, and its ACKs if `acks`.
FlowRequest FlowBy(bool data, bool acks, std::int64_t size) {
  FlowRequest flow = Flow(0, 1, size);
  for (std::uint16_t port = 100;; ++port) {
    const bool data_lossy =
        EcmpHash(MakeFlowKey(NodeId(0), NodeId(1), 10000, port), kNicHashSeed) % 2 == 0;
    const bool acks_lossy =
        EcmpHash(MakeFlowKey(NodeId(1), NodeId(0), port, 10000), kNicHashSeed) % 2 == 0;
    flow.destination_port = port;
    if (data_lossy == data && acks_lossy == acks) return flow;
  }
}

TEST(Losses, OfDataAndOfAcksEachAlone) {
  for (bool selective : {false, true}) {
    TransportOptions options = Unlimited();
    options.reliability.selective_repeat = selective;
    const Observed clean = Simulate(TwoWays(0.2), {FlowBy(false, false, 900'000)}, options);
    EXPECT_EQ(clean.books.dropped_packets, 0);
    const Observed acks = Simulate(TwoWays(0.2), {FlowBy(false, true, 900'000)}, options);
    EXPECT_TRUE(AllFinished(acks));
    EXPECT_GT(acks.books.dropped_packets, 0);
    EXPECT_EQ(acks.books.out_of_order, 0);
    EXPECT_EQ(acks.books.nacks, 0);
    EXPECT_EQ(Received(acks, 0), Received(clean, 0))
        << "cumulative ACKs: lost ones change nothing for the data";
    const Observed data = Simulate(TwoWays(0.05), {FlowBy(true, false, 900'000)}, options);
    EXPECT_TRUE(AllFinished(data));
    EXPECT_GT(data.books.nacks, 0);
    EXPECT_GE(data.books.resent_bytes, 9000 * data.books.dropped_packets);
    if (selective) {
      EXPECT_EQ(data.books.duplicates, 0) << "only what was lost is sent again, as no ACK is lost";
    }
  }
}

TEST(Losses, OfPauseFramesAreSurvived) {
  // 400 to 100 Gbps with losses on the cable that pauses and resumes travel: all is delivered, and
  // the buffer never overflows for the lack of a pause, as each is renewed twice in its time.
  TransportOptions options = Unlimited();
  options.buffer.buffer_mib = 2;
  options.reliability.selective_repeat = true;
  options.monitors.pfc = true;
  const Observed outcome =
      Simulate(Row({{400, kMicro, 0.02}, {100}}), {Flow(0, 1, 4'000'000)}, options);
  EXPECT_TRUE(AllFinished(outcome));
  EXPECT_GT(outcome.books.pauses, 0);
  for (const std::string& reason : GetColumn<std::string>(outcome.drops, "reason"))
    EXPECT_EQ(reason, "wire error");
}

}  // namespace
}  // namespace heddle::testing
