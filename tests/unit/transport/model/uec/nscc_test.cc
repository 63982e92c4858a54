// SPDX-License-Identifier: GPL-2.0-only
/// NSCC's increases and decreases against traces by hand
/// (tests/unit/transport/model/uec/nscc_flow.h).
#include "transport/model/uec/nscc.h"

#include <gtest/gtest.h>

#include "tests/unit/transport/model/uec/nscc_flow.h"
#include "tests/unit/transport/model/uec/uec_test_util.h"

namespace heddle::testing {
namespace {

TEST(Nscc, StartsWithTheLargestWindow) {
  const UecOptions options = Reference();
  const Nscc control(options, ReferenceScale(options));
  Nscc::State state;
  control.Start(&state, MicroSeconds(12));
  EXPECT_EQ(state.window, kLargest);
  control.Start(&state, MicroSeconds(6));  // a pair that knows its own round trip
  EXPECT_EQ(state.window, 112'500);
  EXPECT_EQ(state.max_window, 112'500);
  EXPECT_EQ(NsccFlow().window(), kFirst);
}

TEST(Nscc, FairIncreaseWaitsForMoreThanEightPackets) {
  NsccFlow flow;
  flow.Ack(1, 8 * kPacket, 12);  // d = T counts as large
  EXPECT_EQ(flow.window(), kFirst);
  EXPECT_EQ(flow.state.fair, 20'000 * 8 * kPacket);
  flow.Ack(2, 1, 30);
  EXPECT_EQ(flow.window(), kFirst + 16'000);  // 20,000 * 32,513 / 40,640
  EXPECT_EQ(flow.changes.of(NsccCause::kFair), 16'000);
  EXPECT_EQ(flow.state.fair, 0);
  EXPECT_EQ(flow.state.received, 0);
}

TEST(Nscc, ProportionalIncreaseFollowsTheRoomBelowT) {
  NsccFlow flow;
  flow.Ack(1, 8 * kPacket, 6);  // half of T: 8000 a byte
  EXPECT_NEAR(static_cast<double>(flow.state.proportional), 8000.0 * 8 * kPacket, 1);
  flow.Ack(2, kPacket, 9);  // a quarter is left: 4000 a byte
  // (8000 * 32,512 + 4000 * 4064) / 40,640 = 6400 + 400
  EXPECT_NEAR(static_cast<double>(flow.window()), kFirst + 6800, 1);
  EXPECT_EQ(flow.changes.of(NsccCause::kProportional), flow.window() - kFirst);
  EXPECT_EQ(flow.changes.of(NsccCause::kFair), 0);
}

TEST(Nscc, FairAndProportionalShareOneAdjustment) {
  NsccFlow flow;
  flow.Ack(1, 8 * kPacket, 12);
  flow.Ack(2, kPacket, 6);  // 16,000 and 8000 * 4064 / 40,640 = 800
  EXPECT_EQ(flow.changes.of(NsccCause::kFair), 16'000);
  EXPECT_NEAR(static_cast<double>(flow.changes.of(NsccCause::kProportional)), 800, 1);
  EXPECT_EQ(flow.sum(), flow.window() - kFirst);
}

TEST(Nscc, MarkWithShortDelayChangesNothing) {
  NsccFlow flow;
  flow.Ack(1, 9 * kPacket, 11.9, true);
  EXPECT_EQ(flow.window(), kFirst);
  EXPECT_EQ(flow.state.fair + flow.state.proportional, 0);
  EXPECT_EQ(flow.state.received, 0);  // though the adjustment took place
}

TEST(Nscc, DecreaseFollowsTheAverageDelay) {
  NsccFlow flow(Settings{{"uec.delay_gain", "1"}});
  flow.Ack(13, 100, 24, true);  // 1 - 0.8 (24 - 12) / 24 = 0.6; and R has passed: + 600
  EXPECT_EQ(flow.changes.of(NsccCause::kDecrease), 24'384 - kFirst);
  EXPECT_EQ(flow.window(), 24'384 + 600);
}

TEST(Nscc, DecreaseAtMostOnceABaseRoundTrip) {
  NsccFlow flow(Settings{{"uec.delay_gain", "1"}, {"uec.eta", "0"}});
  flow.Ack(12, 100, 24, true);  // not more than base after the start
  EXPECT_EQ(flow.window(), kFirst);
  flow.Ack(13, 100, 24, true);
  EXPECT_EQ(flow.window(), 24'384);
  flow.Ack(25, 100, 24, true);
  EXPECT_EQ(flow.window(), 24'384);
  flow.Ack(25.1, 100, 24, true);
  EXPECT_EQ(flow.window(), 14'630);  // 14,630.4
}

TEST(Nscc, DecreaseTakesAtMostHalf) {
  NsccFlow flow(Settings{{"uec.delay_gain", "1"}, {"uec.eta", "0"}});
  flow.Ack(13, 100, 1200, true);  // 1 - 0.8 * 0.99 = 0.208
  EXPECT_EQ(flow.window(), kFirst / 2);
  NsccFlow bold(Settings{{"uec.delay_gain", "1"}, {"uec.eta", "0"}, {"uec.max_decrease", "0.9"}});
  bold.Ack(13, 100, 1200, true);
  EXPECT_EQ(bold.window(), 8453);  // 40,640 * 0.208 = 8453.12
}

TEST(Nscc, NoDecreaseWhileTheAverageIsShort) {
  NsccFlow flow(Settings{{"uec.eta", "0"}});
  flow.Ack(13, 100, 100, true);  // average 1.25 us
  EXPECT_EQ(flow.window(), kFirst);
  EXPECT_EQ(flow.state.average_delay, NanoSeconds(1250));
  flow.state.average_delay = MicroSeconds(12);
  flow.Ack(14, 100, 12, true);  // average T: still not above
  EXPECT_EQ(flow.window(), kFirst);
  flow.state.average_delay = MicroSeconds(24);
  flow.Ack(15, 100, 24, true);  // and that was no decrease
  EXPECT_EQ(flow.window(), 24'384);
}

TEST(Nscc, DecreaseStopsAtOnePacket) {
  NsccFlow flow(Settings{{"uec.delay_gain", "1"}, {"uec.eta", "0"}, {"uec.initial_window", "1"}});
  flow.Ack(13, 100, 1200, true);
  EXPECT_EQ(flow.window(), kPacket);
  EXPECT_EQ(flow.changes.of(NsccCause::kDecrease), 0);  // none, rather than one taken back
}

TEST(Nscc, AverageTakesLargeUnmarkedDelaysForAQuarterOfBase) {
  NsccFlow flow(Settings{{"uec.delay_gain", "0.5"}});
  flow.Ack(1, 1, 12);  // not above T: as it is
  EXPECT_EQ(flow.state.average_delay, MicroSeconds(6));
  flow.Ack(2, 1, 20);  // 3 us instead
  EXPECT_EQ(flow.state.average_delay, NanoSeconds(4500));
  flow.Ack(3, 1, 20, true);
  EXPECT_EQ(flow.state.average_delay, NanoSeconds(12'250));
}

TEST(Nscc, FastIncreaseAfterAWindowWithoutQueues) {
  NsccFlow flow;
  flow.Ack(1, kFirst, 0.9);  // exactly a window: not more; adjusted by 16,000 (1 - 0.9 / 12)
  EXPECT_EQ(flow.state.fast, 0);
  EXPECT_EQ(flow.changes.of(NsccCause::kFast), 0);
  const std::int64_t window = flow.window();
  EXPECT_GT(window, kFirst);
  flow.Ack(2, window - kFirst + 1, 0.9);
  EXPECT_EQ(flow.changes.of(NsccCause::kFast), (window - kFirst + 1) / 4);
  flow.Ack(3, 400, 0.9);  // and now with each ACK
  EXPECT_EQ(flow.window(), window + (window - kFirst + 1) / 4 + 100);
  flow.Ack(4, 400, 1);  // ends it: proportional again
  EXPECT_EQ(flow.state.fast, 0);
  EXPECT_EQ(flow.state.fast_bytes, 0);
  EXPECT_GT(flow.state.proportional, 0);
  flow.Ack(5, 400, 0.9);
  EXPECT_EQ(flow.state.fast, 0);  // the count begins anew
}

TEST(Nscc, FastIncreaseOutlivesAMarkButNotADecrease) {
  NsccFlow flow;
  flow.Ack(1, kFirst + 1, 0);
  ASSERT_EQ(flow.state.fast, 1);
  flow.Ack(2, 10, 5, true);
  EXPECT_EQ(flow.state.fast, 1);
  flow.Ack(3, 10, 12, true);  // the average is short: no decrease, but fast increase is over
  EXPECT_EQ(flow.state.fast, 0);
  EXPECT_EQ(flow.state.fast_bytes, 0);
}

TEST(Nscc, EtaOnceABaseRoundTrip) {
  NsccFlow flow;
  flow.Ack(11, 1, 11, true);
  EXPECT_EQ(flow.window(), kFirst);
  flow.Ack(12, 1, 11, true);  // neither 8 packets nor more than R
  EXPECT_EQ(flow.window(), kFirst);
  flow.Ack(12.1, 1, 11, true);
  EXPECT_EQ(flow.window(), kFirst + 600);
  flow.Ack(24.0, 1, 11, true);
  EXPECT_EQ(flow.window(), kFirst + 600);
  flow.Ack(24.1, 9 * kPacket, 11, true);  // R after the last period, by bytes
  EXPECT_EQ(flow.window(), kFirst + 1200);
  EXPECT_EQ(flow.changes.of(NsccCause::kEta), 1200);
}

TEST(Nscc, WindowStaysBelowTheLargest) {
  NsccFlow flow(Settings{{"uec.initial_window", "0"}});
  flow.Ack(1, kLargest + 1, 0);
  EXPECT_EQ(flow.window(), kLargest);
  EXPECT_EQ(flow.changes.of(NsccCause::kFast), 56'250);
  EXPECT_EQ(flow.sum(), 0);
  EXPECT_EQ(flow.changes.of(NsccCause::kLimit), -56'250);
}

TEST(Nscc, BaseRoundTripFallsAndTheLargestWindowWithIt) {
  NsccFlow flow(Settings{{"uec.initial_window", "0"}});
  flow.Ack(1, 100, -6);
  EXPECT_EQ(flow.state.base_rtt, MicroSeconds(6));
  EXPECT_EQ(flow.state.max_window, 112'500);
  EXPECT_EQ(flow.window(), 112'500);
  Nscc::Ack ack;
  ack.now = MicroSeconds(2);
  ack.round_trip = MicroSeconds(3);
  ack.lowers_base = false;  // a packet without payload
  flow.control.OnAck(&flow.state, ack, &flow.changes);
  EXPECT_EQ(flow.state.base_rtt, MicroSeconds(6));
}

TEST(Nscc, WithoutRoundTripTheAverageStandsIn) {
  NsccFlow flow;
  flow.state.average_delay = MicroSeconds(6);
  flow.AckWithoutSample(1, 100);
  EXPECT_NEAR(static_cast<double>(flow.state.proportional), 800'000, 1);
  EXPECT_EQ(flow.state.average_delay, MicroSeconds(6));
  NsccFlow spec(Settings{{"uec.spec_needs_sample", "true"}});
  spec.AckWithoutSample(13, 9 * kPacket);
  EXPECT_EQ(spec.window(), kFirst);
  EXPECT_EQ(spec.state.received, 9 * kPacket);  // counted all the same
  spec.Ack(13, 100, 5);
  EXPECT_GT(spec.window(), kFirst);
}

std::int64_t WindowWith(const Settings& settings) {
  NsccFlow flow(settings);
  flow.Ack(1, kFirst + 100, 0.5);
  flow.Ack(2, 4000, 0.5);
  for (int i = 3; i < 30; ++i) flow.Ack(i, 4000, 20, i % 3 == 0);
  flow.Ack(31, 4000, 30, true);
  for (int i = 32; i < 50; ++i) flow.Ack(i, 4000, 6);
  return flow.window();
}

TEST(Nscc, EachKnobTurns) {
  const Settings base = {{"uec.delay_gain", "0.5"}};
  const std::int64_t usual = WindowWith(base);
  for (const auto& knob : Settings{{"uec.gamma", "0.3"},
                                   {"uec.eta", "1"},
                                   {"uec.fair_increase", "1"},
                                   {"uec.proportional", "1"},
                                   {"uec.fast_scale", "1"},
                                   {"uec.fast_delay", "0.1"},
                                   {"uec.delay_gain", "0.1"},
                                   {"uec.adjust_packets", "2"},
                                   {"uec.target_delay", "10"}}) {
    Settings settings = base;
    settings.push_back(knob);
    EXPECT_NE(WindowWith(settings), usual) << knob.first;
  }
}

}  // namespace
}  // namespace heddle::testing
