// SPDX-License-Identifier: GPL-2.0-only
/// HPCC against traces computed by hand. Rates are 64 and 128 Gbps, which a float holds exactly.
#include "transport/model/congestion/hpcc.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "tests/unit/transport/model/congestion/pace_test_util.h"

namespace heddle::testing {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;
constexpr std::int64_t kHpccGbps = 1'000'000'000;
constexpr std::int64_t kFar = 1'000'000;  ///< snd_nxt beyond every fast ACK

struct HopRecord {
  std::int64_t at_ns, sent, queued, gbps;
};

/// The line rate is 128 Gbps and T = 10 us, so W = 160,000 B.
class HpccSender : public PacedSender<Hpcc> {
 public:
  explicit HpccSender(const Settings& settings = {}, const Pace& start = PaceOf(128))
      : PacedSender(Congestion(settings), start) {}
  void Int(std::int64_t acknowledged, std::int64_t next, std::initializer_list<HopRecord> hops) {
    Telemetry telemetry;
    for (const HopRecord& h : hops) {
      telemetry.Push(NanoSeconds(h.at_ns), h.sent, h.queued, BitRate{h.gbps * kHpccGbps});
    }
    AckSignals signals;
    signals.acknowledged = acknowledged;
    signals.next = next;
    signals.tail = &telemetry;
    Ack(signals);
  }
  void ExpectGbps(double gbps) const { EXPECT_NEAR(static_cast<double>(rate()), gbps * 1e9, 10); }
};

TEST(Telemetry, KeepsFiveHops) {
  Telemetry telemetry;
  for (int i = 0; i < 7; ++i)
    telemetry.Push(NanoSeconds(i), 100 * i, std::int64_t{1} << (30 + i), BitRate{64 * kHpccGbps});
  EXPECT_EQ(telemetry.count, 5U);
  EXPECT_EQ(telemetry.hops[4].time_ps, 4000);
  EXPECT_EQ(telemetry.hops[4].sent_bytes, 400);
  EXPECT_EQ(telemetry.hops[0].queued_bytes, 1U << 30);
  EXPECT_EQ(telemetry.hops[2].queued_bytes, 0xFFFFFFFFU);  // 4 GiB does not fit
  EXPECT_EQ(telemetry.hops[0].rate_bps, 64e9F);
}

TEST(Hpcc, FirstRecordsAreOnlyStored) {
  HpccSender sender;
  sender.Int(1000, 9000, {{1000, 0, 50000, 128}});
  EXPECT_EQ(sender.rate(), 128 * kHpccGbps);
  EXPECT_EQ(sender.state.last_update, 9000);
}

TEST(Hpcc, TraceOfFullAndFastReactions) {
  HpccSender sender;
  sender.Int(1000, 9000, {{1000, 0, 16000, 128}});
  // 5 us: 80,000 B = 128 Gbps: U' = 1, queue min(16000, 8000) / 160000 = 0.05; U = 0.5 * 1 + 0.5 *
  // 1.05 = 1.025. Full: c = 1.025 / 0.95, R = R_c = 128 / c + 0.05 = 118.684146..
  sender.Int(10000, 20000, {{6000, 80000, 8000, 128}});
  const double first = 128 * 0.95 / 1.025 + 0.05;
  sender.ExpectGbps(first);
  EXPECT_EQ(sender.state.reference, sender.pace.rate);
  // 2.5 us: 20,000 B = 64 Gbps: U' = 0.5 + min(8000, 24000) / 160000 = 0.55; U = 0.75 * 1.025 +
  // 0.25 * 0.55 = 0.90625. Fast: R = R_c 0.95 / 0.90625 + 0.05 = 124.46..; R_c stays.
  sender.Int(11000, 21000, {{8500, 100000, 24000, 128}});
  sender.ExpectGbps(first * 0.95 / 0.90625 + 0.05);
  EXPECT_NE(sender.state.reference, sender.pace.rate);
  // tau = 20 us > T: U is the sample itself: 640,000 B in 20 us are 256 Gbps, U = 2 + 24000 /
  // 160000 = 2.15. Full again (20001 > 20000) and still from the R_c of the last full update.
  sender.Int(20001, 40000, {{28500, 740000, 24000, 128}});
  sender.ExpectGbps(first * 0.95 / 2.15 + 0.05);
  EXPECT_EQ(sender.state.last_update, 40000);
}

TEST(Hpcc, RateNeverLeavesItsBounds) {
  HpccSender idle;
  idle.Int(1, kFar, {{1000, 0, 0, 128}});
  idle.Int(2, kFar, {{100000, 0, 0, 128}});  // U = 0: 1 / c is infinite
  EXPECT_EQ(idle.rate(), 128 * kHpccGbps);
  HpccSender jammed(Settings{{"MIN_RATE", "2Gbps"}});
  jammed.Int(1, 2, {{1000, 0, 2'000'000'000, 128}});
  jammed.Int(3, 4, {{100000, 0, 2'000'000'000, 128}});  // U = 12500
  EXPECT_EQ(jammed.rate(), 2 * kHpccGbps);
}

TEST(Hpcc, AdditiveStepsUntilTheThreshold) {
  // U is 0.5 throughout (tau > T): with MI_THRESH 2 and R_c = 64 after a first cut: two steps of
  // AI, then 64.1 / c.
  HpccSender sender(Settings{{"MI_THRESH", "2"}, {"RATE_AI", "1Gbps"}});
  sender.Int(1, 2, {{0, 0, 0, 128}});
  sender.Int(3, 4, {{10000, 640000, 0, 128}});  // 512 Gbps: U = 4, c > 1: 128 * 0.95 / 4 + 1 = 31.4
  sender.ExpectGbps(31.4);
  sender.Int(5, 6, {{20000, 720000, 0, 128}});  // 64 Gbps
  sender.ExpectGbps(32.4);
  sender.Int(7, 8, {{30000, 800000, 0, 128}});
  sender.ExpectGbps(33.4);
  sender.Int(9, 10, {{40000, 880000, 0, 128}});
  sender.ExpectGbps(33.4 * 0.95 / 0.5 + 1);
  EXPECT_EQ(sender.state.stage, 0U);
}

TEST(Hpcc, FullestHopDecidesAndSlowLinksCountTheirOwnRate) {
  HpccSender sender;
  sender.Int(1, 2, {{0, 0, 0, 128}, {100, 0, 8000, 64}, {200, 0, 0, 128}});
  // Hop 2 over 10 us: 40,000 B are 32 Gbps of 64: 0.5; queue 8000 * (128 / 64) / 160000 = 0.1. The
  // others: 0.25.
  sender.Int(3, 4, {{10000, 40000, 0, 128}, {10100, 40000, 9000, 64}, {10200, 40000, 0, 128}});
  sender.ExpectGbps(128);  // 128 * 0.95 / 0.6 is more than the line rate
  EXPECT_NEAR(sender.state.utilisation, 0.6, 1e-12);
}

TEST(Hpcc, WithoutWindowTheQueueIsComparedWithRateTimesRtt) {
  Pace pace = PaceOf(128);
  pace.window = 0;
  HpccSender sender({}, pace);
  sender.Int(1, 2, {{0, 0, 16000, 128}});
  sender.Int(3, 4, {{10000, 160000, 16000, 128}});
  EXPECT_NEAR(sender.state.utilisation, 1.1, 1e-12);
  pace.window = 320'000;  // twice the product
  HpccSender wide({}, pace);
  wide.Int(1, 2, {{0, 0, 16000, 128}});
  wide.Int(3, 4, {{10000, 160000, 16000, 128}});
  EXPECT_NEAR(wide.state.utilisation, 1.05, 1e-12);
}

TEST(Hpcc, WithoutFastReactOnlyFullUpdatesCount) {
  HpccSender sender(Settings{{"FAST_REACT", "0"}});
  sender.Int(1, 100, {{0, 0, 0, 128}});
  sender.Int(50, 200, {{5000, 160000, 0, 128}});  // 256 Gbps, but not after snd_nxt = 100
  EXPECT_EQ(sender.rate(), 128 * kHpccGbps);
  sender.Int(101, 200, {{10000, 320000, 0, 128}});  // U = 2 over the 10 us since the stored records
  sender.ExpectGbps(64 * 0.95 + 0.05);
}

TEST(Hpcc, SampleFeedbackSkipsEmptyHopsInFastReactions) {
  for (const bool sample : {false, true}) {
    HpccSender sender(Settings{{"SAMPLE_FEEDBACK", sample ? "1" : "0"}});
    sender.Int(1, 100, {{0, 0, 0, 128}});
    sender.Int(50, 200, {{10000, 320000, 0, 128}});  // U = 2, queue empty
    sender.ExpectGbps(sample ? 128 : 64 * 0.95 + 0.05);
    sender.Int(101, 300, {{20000, 480000, 0, 128}});  // full: counted either way
    // Skipped records are not stored: 480,000 B in 20 us are U = 1.5; else 160,000 B in 10 us: U
    // = 1.
    sender.ExpectGbps(sample ? 128 * 0.95 / 1.5 + 0.05 : 128 * 0.95 + 0.05);
  }
}

TEST(Hpcc, RatePerHopSendsAtTheLowest) {
  HpccSender sender(Settings{{"MULTI_RATE", "1"}});
  sender.Int(1, 100, {{0, 0, 0, 128}, {100, 0, 0, 128}});
  // Hop 1: U = 2, R_c = 128 * 0.95 / 2 + 0.05 = 60.85; hop 2: U = 1.25, R_c = 97.28 + 0.05 = 97.33.
  sender.Int(101, 200, {{10000, 320000, 0, 128}, {10100, 200000, 0, 128}});
  sender.ExpectGbps(60.85);
  EXPECT_NEAR(static_cast<double>(sender.state.hops[1].reference.bps), 97.33e9, 10);
  // Hop 1 falls to U = 0.5: 60.85 * 0.95 / 0.5 + 0.05 = 115.665. Hop 2 stays at 1.25: 97.33 * 0.76
  // + 0.05 = 74.0208.
  sender.Int(201, 300, {{20000, 400000, 0, 128}, {20100, 400000, 0, 128}});
  sender.ExpectGbps(74.0208);
  // One rate for all hops would take the fullest hop's U from a common R_c instead: 60.85 * 0.76 +
  // 0.05.
  HpccSender single;
  single.Int(1, 100, {{0, 0, 0, 128}, {100, 0, 0, 128}});
  single.Int(101, 200, {{10000, 320000, 0, 128}, {10100, 200000, 0, 128}});
  single.Int(201, 300, {{20000, 400000, 0, 128}, {20100, 400000, 0, 128}});
  single.ExpectGbps(60.85 * 0.76 + 0.05);
}

TEST(Hpcc, AnotherPathIsStoredAnew) {
  HpccSender sender;
  sender.Int(1, 100, {{0, 0, 0, 128}});
  sender.Int(101, 200, {{10000, 320000, 0, 128}, {10100, 0, 0, 128}});  // one hop more
  EXPECT_EQ(sender.rate(), 128 * kHpccGbps);
  EXPECT_EQ(sender.state.last_update, 200);
  sender.Int(201, 300,
             {{20000, 100, 0, 128}, {20100, 320000, 0, 128}});  // as many, but a counter went back
  EXPECT_EQ(sender.rate(), 128 * kHpccGbps);
  sender.Int(301, 400, {{20000, 100, 0, 128}, {20100, 320000, 0, 128}});  // no time has passed
  EXPECT_EQ(sender.rate(), 128 * kHpccGbps);
  sender.Int(401, 500, {{30000, 320100, 0, 128}, {30100, 480000, 0, 128}});  // U = 2
  sender.ExpectGbps(64 * 0.95 + 0.05);
}

TEST(Hpcc, PathsWithoutRecordsStayAtLineRate) {
  HpccSender sender;
  sender.Int(1, 100, {});
  sender.Ack(AckSignals{});
  EXPECT_EQ(sender.state.last_update, 0);
  EXPECT_EQ(sender.rate(), 128 * kHpccGbps);
}

TEST(Hpcc, OptionsAreChecked) {
  EXPECT_EQ(Congestion({{"U_TARGET", "0.9"}}).Of<Hpcc>().target_utilisation, 0.9);
  EXPECT_NE(CongestionError("U_TARGET", "0").find("hpcc.target_utilisation (U_TARGET)"),
            std::string::npos);
  EXPECT_NE(CongestionError("U_TARGET", "1.5"), "");
  EXPECT_NE(CongestionError("MI_THRESH", "-1"), "");
  EXPECT_NE(CongestionError("FAST_REACT", "2"), "");
  // eta scales the multiplicative step: U = 2 from 128 Gbps.
  HpccSender sender(Settings{{"U_TARGET", "0.5"}});
  sender.Int(1, 100, {{0, 0, 0, 128}});
  sender.Int(101, 200, {{10000, 320000, 0, 128}});
  sender.ExpectGbps(32.05);
}

}  // namespace
}  // namespace heddle::testing
