// SPDX-License-Identifier: GPL-2.0-only
/// Ultra Ethernet in whole runs (docs/models/ultra-ethernet.md): times by hand, credit, trimming,
/// spraying, losses, and both transports on one fabric.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/options/enum_words.h"
#include "tests/support/leaf_spine.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

constexpr std::int64_t kPacket = 4150, kPayload = 4086, kControl = 64;

TransportOptions Ultra(const std::string& congestion = "nscc") {
  TransportOptions options;
  options.protocol = TransportOptions::Protocol::kUec;
  options.uec.congestion = *FindWord<UecOptions::Congestion>(congestion);
  return options;
}

std::int64_t UecLastFct(const Observed& o) {
  const auto& fct = GetColumn<std::int64_t>(o.flows, "fct_ps");
  return *std::max_element(fct.begin(), fct.end());
}

std::vector<FlowRequest> Incast(std::uint32_t senders, std::int64_t size) {
  std::vector<FlowRequest> flows;
  for (std::uint32_t i = 1; i <= senders; ++i) flows.push_back(Flow(i, 0, size));
  return flows;
}

TEST(UltraEthernet, TakesTheTimeComputedByHand) {
  // Two full packets over two hops, the ACK of the last one back.
  const Observed two = Simulate(Row({{100}, {100}}), {Flow(0, 1, 2 * kPayload)}, Ultra());
  EXPECT_EQ(Fct(two, 0), (3 * kPacket + 2 * kControl) * kPs + 4 * kMicro);
  EXPECT_EQ(Received(two, 0), 3 * kPacket * kPs + 2 * kMicro);
  // A short last packet.
  const Observed rest = Simulate(Row({{100}, {100}}), {Flow(0, 1, 100)}, Ultra());
  EXPECT_EQ(Fct(rest, 0), (2 * (100 + kControl) + 2 * kControl) * kPs + 4 * kMicro);
}

TEST(UltraEthernet, KeepsALinkFull) {
  const std::int64_t packets = 2000;
  for (const char* congestion : {"nscc", "rccc", "both", "none"}) {
    const Observed o =
        Simulate(Row({{100}, {100}}), {Flow(0, 1, packets * kPayload)}, Ultra(congestion));
    ASSERT_TRUE(AllFinished(o));
    // Credit comes at 0.99 of the rate.
    const double line = static_cast<double>(packets * kPacket * kPs);
    EXPECT_LT(static_cast<double>(Fct(o, 0)), line / 0.98) << congestion;
    EXPECT_EQ(o.books.resent_bytes, 0) << congestion;
    EXPECT_EQ(o.books.timeouts, 0) << congestion;
  }
}

TEST(UltraEthernet, CreditSharesTheReceiversLink) {
  constexpr std::int64_t kIncastSize = 1'000'000;
  const Observed o =
      Simulate(Star(std::vector<Cable>(9, Cable{100})), Incast(8, kIncastSize), Ultra("rccc"));
  ASSERT_TRUE(AllFinished(o));
  const double wire =
      8.0 * static_cast<double>((kIncastSize + kPayload - 1) / kPayload * kPacket) * kPs;
  // The first window comes unasked; all else at 0.99 of the rate.
  EXPECT_NEAR(static_cast<double>(UecLastFct(o)), wire / 0.99, 0.02 * wire);
}

TEST(UltraEthernet, EveryTrimmedPacketIsAnsweredByANack) {
  const Observed o =
      Simulate(Star(std::vector<Cable>(9, Cable{100})), Incast(8, 120 * kPayload), Ultra());
  ASSERT_TRUE(AllFinished(o));
  EXPECT_GT(o.books.trimmed_packets, 50);
  EXPECT_EQ(o.books.trimmed_packets, o.books.nacks);
  EXPECT_EQ(o.books.dropped_packets, 0);
  EXPECT_EQ(o.books.trimmed_bytes, o.books.trimmed_packets * (kPacket - kControl));
  EXPECT_EQ(o.books.injected_bytes, o.books.received_bytes + o.books.trimmed_bytes);
  EXPECT_EQ(o.books.pauses, 0);
}

TEST(UltraEthernet, WithoutTrimmingPacketsAreDropped) {
  TransportOptions options = Ultra("none");
  options.uec.trimming = false;
  const Observed o =
      Simulate(Star(std::vector<Cable>(9, Cable{100})), Incast(8, 1'000'000), options);
  ASSERT_TRUE(AllFinished(o));
  EXPECT_GT(o.books.dropped_packets, 0);
  EXPECT_EQ(o.books.trimmed_packets, 0);
  EXPECT_GT(o.books.timeouts, 0);
}

TEST(UltraEthernet, SprayingBringsAPermutationToLineRate) {
  const LeafSpine full{4, 8, 8, BitRate{400 * kG}, MicroSeconds(1)};
  constexpr std::int64_t kPackets = 6000;
  const double line = static_cast<double>(kPackets * kPacket) * kPs / 4;
  for (const char* scheme : {"bitmap", "mixed", "reps"}) {
    TransportOptions options = Ultra();
    options.entropy.scheme = *FindWord<EntropyOptions::Scheme>(scheme);
    const Observed o =
        Simulate(full.Build(), Permutation(full.hosts(), Bytes{kPackets * kPayload}, 3), options);
    ASSERT_TRUE(AllFinished(o));
    EXPECT_LT(static_cast<double>(UecLastFct(o)), line / 0.97) << scheme;
    EXPECT_GT(o.books.most_held, 0) << scheme;
  }
  TransportOptions hash = Ultra();
  hash.entropy.scheme = EntropyOptions::Scheme::kFlow;
  EXPECT_GT(static_cast<double>(UecLastFct(Simulate(
                full.Build(), Permutation(full.hosts(), Bytes{kPackets * kPayload}, 3), hash))),
            1.5 * line);
}

TEST(UltraEthernet, FlowsInOrderTakeOnePath) {
  const LeafSpine full{4, 8, 8};
  TransportOptions options = Ultra();
  options.uec.mode = UecOptions::Mode::kRod;
  const Observed o = Simulate(full.Build(), Permutation(full.hosts(), Bytes{500'000}, 3), options);
  ASSERT_TRUE(AllFinished(o));
  EXPECT_EQ(o.books.most_held, 0);
}

TEST(UltraEthernet, BothTransportsShareALink) {
  TransportOptions options;
  options.protocol = TransportOptions::Protocol::kMixed;
  options.congestion.mode = 0;
  options.has_window = false;
  std::vector<FlowRequest> flows;
  for (std::uint32_t i = 1; i <= 8; ++i) flows.push_back(Flow(i, 0, 1'000'000, i % 2 == 0 ? 3 : 4));
  const Observed o = Simulate(Star(std::vector<Cable>(9, Cable{100})), flows, options);
  ASSERT_TRUE(AllFinished(o));
  EXPECT_GT(o.books.trimmed_packets, 0);
  EXPECT_EQ(o.books.dropped_packets, 0);
}

TEST(UltraEthernet, SurvivesLossesOnTheWire) {
  for (const char* congestion : {"nscc", "rccc", "both"}) {
    for (const bool sleek : {false, true}) {
      TransportOptions options = Ultra(congestion);
      options.uec.sleek = sleek;
      options.uec.trimming = !sleek;
      const Observed o = Simulate(Row({{100, kMicro, 0.01}, {100, kMicro, 0.01}}),
                                  {Flow(0, 1, 2'000'000), Flow(1, 0, 2'000'000)}, options);
      EXPECT_TRUE(AllFinished(o)) << congestion << sleek;
      EXPECT_GT(o.books.resent_bytes, 0);
    }
  }
}

TEST(UltraEthernet, GoesRoundADeadPath) {
  // 4 spines; the link of leaf 0 to spine 0 (link 8 + 0) dies, routes do not follow.
  const LeafSpine fabric{2, 4, 4};
  std::vector<FlowRequest> flows;
  for (std::uint32_t i = 0; i < 3; ++i) flows.push_back(Flow(i, 4 + i, 3'000'000));
  TransportOptions options = Ultra();
  options.convergence = MicroSeconds(100'000);
  const auto last = [&](const std::string& scheme) {
    options.entropy.scheme = *FindWord<EntropyOptions::Scheme>(scheme);
    const Observed o =
        RunWith(fabric.Build(), flows, options, Outage(8, 20 * kMicro, 90'000 * kMicro));
    EXPECT_TRUE(AllFinished(o)) << scheme;
    EXPECT_GT(o.books.timeouts, 0) << scheme;
    return UecLastFct(o);
  };
  EXPECT_LT(2 * last("reps"), last("oblivious"));
}

TEST(UltraEthernet, GivesUpWhatNeverArrives) {
  TransportOptions options = Ultra();
  options.convergence = MicroSeconds(10'000'000);
  options.uec.retries = 5;
  const Observed o = RunWith(Row({{100}, {100}}), {Flow(0, 1, 1'000'000)}, options,
                             Outage(1, 10 * kMicro, 9'000'000 * kMicro));
  EXPECT_EQ(State(o, 0), static_cast<int>(FlowState::kRetryLimit));
  // The receiver's timers of credit do not keep the run going.
  options.uec.congestion = UecOptions::Congestion::kRccc;
  options.uec.oversubscribed = UecOptions::Oversubscribed::kOn;
  const Observed credit = RunWith(Row({{100}, {100}}), {Flow(0, 1, 1'000'000)}, options,
                                  Outage(1, 20 * kMicro, 9'000'000 * kMicro));
  EXPECT_EQ(State(credit, 0), static_cast<int>(FlowState::kRetryLimit));
}

}  // namespace
}  // namespace heddle::testing
