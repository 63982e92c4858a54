// SPDX-License-Identifier: GPL-2.0-only
/// NSCC's quick adaptation and its answers to losses, what it lets a sender do, and its state, by
/// hand (tests/unit/transport/model/uec/nscc_flow.h).
#include <gtest/gtest.h>

#include "tests/unit/transport/model/uec/nscc_flow.h"
#include "tests/unit/transport/model/uec/uec_test_util.h"
#include "transport/model/uec/nscc.h"

namespace heddle::testing {
namespace {

TEST(NsccLoss, NacksLowerTheBaseRoundTripUnlessToldNotTo) {
  for (const bool lowers : {true, false}) {
    NsccFlow flow(Settings{{"uec.nack_lowers_rtt", lowers ? "true" : "false"}});
    Nscc::Nack nack;
    nack.now = MicroSeconds(1);
    nack.bytes = 100;
    nack.round_trip = MicroSeconds(8);
    flow.control.OnNack(&flow.state, nack, &flow.changes);
    EXPECT_EQ(flow.state.base_rtt, MicroSeconds(lowers ? 8 : 12));
  }
}

TEST(NsccLoss, QuickAdaptSetsTheWindowToWhatArrived) {
  NsccFlow flow;
  flow.Ack(1, 5000, 5);  // begins the period that ends at 1 + 12 + 12 = 25 us
  EXPECT_EQ(flow.state.quick_adapt_end, MicroSeconds(25));
  EXPECT_EQ(flow.state.achieved, 0);
  flow.Ack(20, 6000, 49);
  flow.Ack(25, 1000, 49);  // not yet over
  EXPECT_EQ(flow.state.achieved, 7000);
  EXPECT_EQ(flow.changes.of(NsccCause::kQuickAdapt), 0);
  flow.state.fair = 123;
  flow.Ack(25.1, 1000, 49, false, 30'000);
  EXPECT_EQ(flow.window(), 8000);
  EXPECT_EQ(flow.state.fair, 0);
  EXPECT_EQ(flow.state.received, 0);
  EXPECT_EQ(flow.state.to_ignore, 30'000);
  EXPECT_EQ(flow.state.quick_adapt_end, NsccFlow::Us(49.1));
}

TEST(NsccLoss, QuickAdaptAtTheEndItselfWithTheSpecification) {
  NsccFlow flow(Settings{{"uec.spec_quick_adapt", "true"}});
  flow.Ack(1, 5000, 5);
  flow.Ack(25, 8000, 49);
  EXPECT_EQ(flow.window(), 8000);
}

TEST(NsccLoss, QuickAdaptIgnoresMarksOfTheOldWindow) {
  NsccFlow flow(Settings{{"uec.delay_gain", "1"}, {"uec.eta", "0"}});
  flow.Ack(1, 5000, 5);
  flow.Ack(26, 8000, 49, true, 10'000);
  ASSERT_EQ(flow.window(), 8000);
  flow.Ack(40, 9999, 24, true);  // 9999 of 10,000
  EXPECT_EQ(flow.window(), 8000);
  EXPECT_EQ(flow.state.received, 0);
  flow.Ack(41, 1, 24, true);  // all answered: decreases
  EXPECT_EQ(flow.window(), 4800);
  NsccFlow other(Settings{{"uec.eta", "0"}});
  other.Ack(1, 5000, 5);
  other.Ack(26, 8000, 49, true, 10'000);
  other.Ack(40, 100, 6);  // no mark: counts although not all is answered
  EXPECT_EQ(other.window(), 8000 + 100);
}

TEST(NsccLoss, QuickAdaptOnlyWhenLittleArrived) {
  NsccFlow flow;
  flow.Ack(1, 5000, 5);
  flow.Ack(26, 28'125, 49);  // 1/8 of the largest window
  EXPECT_EQ(flow.changes.of(NsccCause::kQuickAdapt), 0);
  EXPECT_EQ(flow.state.achieved, 0);  // a new period
  EXPECT_EQ(flow.state.quick_adapt_end, MicroSeconds(50));
  flow.Ack(51, 28'124, 48);  // delay 4 T: not above
  EXPECT_EQ(flow.changes.of(NsccCause::kQuickAdapt), 0);
  flow.Ack(76, 28'124, 48.1);
  EXPECT_EQ(flow.window(), 28'124);
  NsccFlow open(Settings{{"uec.quick_adapt_gate", "0"}});
  open.Ack(1, 5000, 5);
  open.Ack(26, 100'000, 49);
  EXPECT_EQ(open.window(), 100'000);
}

TEST(NsccLoss, QuickAdaptLeavesOnePacket) {
  NsccFlow flow;
  flow.Ack(1, 5000, 5);
  flow.Ack(26, 10, 49);
  EXPECT_EQ(flow.window(), kPacket);
}

TEST(NsccLoss, NackTakesThePacketOffTheWindow) {
  NsccFlow flow(Settings{{"uec.delay_gain", "0.5"}});
  flow.Nack(1);
  EXPECT_EQ(flow.window(), 9 * kPacket);
  EXPECT_EQ(flow.changes.of(NsccCause::kNack), -kPacket);
  EXPECT_EQ(flow.state.average_delay, MicroSeconds(6));  // a sample of R = 12 us
  EXPECT_EQ(flow.state.trigger, 1);
  EXPECT_EQ(flow.state.ignored, kPacket);
  for (int i = 0; i < 20; ++i) flow.Nack(2);
  EXPECT_EQ(flow.window(), kPacket);
  EXPECT_EQ(flow.sum(), kPacket - kFirst);
}

TEST(NsccLoss, NackCountsForItsDelayEvenAboveT) {
  NsccFlow flow(Settings{{"uec.delay_gain", "1"}, {"uec.target_delay", "10"}});
  flow.Nack(1);
  EXPECT_EQ(flow.state.average_delay, MicroSeconds(12));  // R, not base / 4
}

TEST(NsccLoss, NackMayAdaptInsteadOfTakingOff) {
  NsccFlow flow;
  flow.Ack(1, 5000, 5);
  flow.Ack(2, 9000, 5);
  const std::int64_t others = flow.sum();
  flow.Nack(26, false, 20'000);
  EXPECT_EQ(flow.window(), 9000);
  EXPECT_EQ(flow.changes.of(NsccCause::kNack), 0);
  EXPECT_EQ(flow.sum() - others, flow.changes.of(NsccCause::kQuickAdapt));
  flow.Nack(27);  // marked, as all NACKs: ignored
  EXPECT_EQ(flow.window(), 9000);
  EXPECT_EQ(flow.state.ignored, kPacket);
}

TEST(NsccLoss, NackTriggersAtTheNextAck) {
  NsccFlow flow(Settings{{"uec.eta", "0"}});
  flow.Nack(1);  // begins the period: 25 us
  flow.Ack(26, 7000, 0, true);
  EXPECT_EQ(flow.window(), 7000);
  EXPECT_EQ(flow.state.trigger, 0);
}

TEST(NsccLoss, LastHopTrimsAreTheReceiversAffairWithCredit) {
  NsccFlow both(Settings{{"uec.congestion", "both"}});
  both.Nack(1, true);
  EXPECT_EQ(both.window(), kFirst);
  both.Nack(1, false);
  EXPECT_EQ(both.window(), 9 * kPacket);
  NsccFlow alone;
  alone.Nack(1, true);
  EXPECT_EQ(alone.window(), 9 * kPacket);
}

TEST(NsccLoss, TimeoutTakesThePacketOffTheWindow) {
  NsccFlow flow;
  flow.control.OnTimeout(&flow.state, 1000, &flow.changes);
  EXPECT_EQ(flow.window(), kFirst - 1000);
  EXPECT_EQ(flow.changes.of(NsccCause::kTimeout), -1000);
  flow.control.OnTimeout(&flow.state, kFirst, &flow.changes);
  EXPECT_EQ(flow.window(), kPacket);
}

TEST(NsccLoss, MaySendWhatFits) {
  NsccFlow flow;
  EXPECT_TRUE(flow.control.MaySend(flow.state, kFirst - 100, 100));
  EXPECT_FALSE(flow.control.MaySend(flow.state, kFirst - 100, 101));
  EXPECT_TRUE(flow.control.MaySend(flow.state, -500, kFirst + 500));
  NsccFlow spec(Settings{{"uec.spec_full_mtu", "true"}});
  EXPECT_FALSE(spec.control.MaySend(spec.state, kFirst - 100, 100));
  EXPECT_TRUE(spec.control.MaySend(spec.state, kFirst - kPacket, 100));
  EXPECT_FALSE(spec.control.MaySend(spec.state, kFirst - kPacket + 1, 100));
}

TEST(NsccLoss, AsksForAckWhenTheWindowIsFull) {
  NsccFlow flow;
  EXPECT_TRUE(flow.control.AsksForAck(flow.state, kFirst - 100, 100));
  EXPECT_FALSE(flow.control.AsksForAck(flow.state, kFirst - 101, 100));
  NsccFlow spec(Settings{{"uec.spec_ack_request", "true"}});
  EXPECT_FALSE(spec.control.AsksForAck(spec.state, kFirst - kPacket, 100));
  EXPECT_TRUE(spec.control.AsksForAck(spec.state, kFirst - kPacket + 1, 100));
  spec.state.window = 16'383;
  EXPECT_TRUE(spec.control.AsksForAck(spec.state, 0, 100));
  spec.state.window = 16'384;
  EXPECT_FALSE(spec.control.AsksForAck(spec.state, 0, 100));
}

TEST(NsccLoss, NoneKeepsItsWindow) {
  NsccFlow flow(Settings{{"uec.congestion", "none"}});
  flow.Ack(13, 10 * kPacket, 0);
  flow.Nack(14);
  flow.control.OnTimeout(&flow.state, 100, &flow.changes);
  EXPECT_EQ(flow.window(), kFirst);
  EXPECT_EQ(flow.sum(), 0);
}

TEST(NsccLoss, StateGoesOnAfterSaving) {
  NsccFlow flow;
  flow.Ack(1, kFirst + 100, 0.5);
  flow.Nack(2, false, 700);
  flow.Ack(26, 5000, 49, true, 9000);
  NsccFlow copy;
  copy.state = Loaded<Nscc::State>(Saved(flow.state));
  copy.changes = Loaded<NsccChanges>(Saved(flow.changes));
  EXPECT_EQ(copy.sum(), flow.sum());
  for (int i = 27; i < 60; ++i) {
    flow.Ack(i, 3000, i % 20, i % 4 == 0, 5000);
    copy.Ack(i, 3000, i % 20, i % 4 == 0, 5000);
    ASSERT_EQ(copy.window(), flow.window());
  }
  EXPECT_EQ(Saved(copy.state), Saved(flow.state));
}

TEST(NsccLoss, DamagedStateIsRefusedOrHarmless) {
  NsccFlow flow;
  flow.Ack(1, kFirst + 100, 0.5);
  flow.Ack(26, 5000, 49, true, 9000);
  const int refused = Damaged(flow.state, [&](Nscc::State* state) {
    NsccFlow other;
    other.state = *state;
    other.Ack(60, 40'000, 3);
    other.Ack(90, 40'000, 30, true);
    other.Nack(91);
    EXPECT_GE(other.window(), kPacket);
  });
  EXPECT_GE(refused, 30);
  Nscc::State broken = flow.state;
  broken.window = 0;
  EXPECT_THROW(Loaded<Nscc::State>(Saved(broken)), UserError);
  broken = flow.state;
  broken.trigger = 2;
  EXPECT_THROW(Loaded<Nscc::State>(Saved(broken)), UserError);
}

}  // namespace
}  // namespace heddle::testing
