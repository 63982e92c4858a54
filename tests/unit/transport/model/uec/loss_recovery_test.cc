// SPDX-License-Identifier: GPL-2.0-only
/// Recovery from losses by what arrived above a hole, by hand: payload 4000, T = 12 us.
#include "transport/model/uec/loss_recovery.h"

#include <gtest/gtest.h>

#include "tests/unit/transport/model/uec/uec_test_util.h"

namespace heddle::testing {
namespace {

constexpr std::int64_t kMost = 400'000;

class Recovery : public ::testing::Test {
 protected:
  Recovery() {
    for (int i = 0; i < 100; ++i) packets_.Send(NanoSeconds(i), 4064, 0);
  }
  /// With a window of so many payloads. Returns the packets that it queued.
  std::int64_t Ack(std::int64_t held, std::int64_t window = 20) {
    return control_.OnAck(&state_, held, window * 4000, kMost, &packets_) / 4064;
  }

  UecOptions options_ = Reference({{"uec.sleek", "true"}});
  LossRecovery control_{options_, ReferenceScale(options_)};
  LossRecovery::State state_;
  PacketWindow packets_;
};

TEST_F(Recovery, BeginsWhenAWindowAndAHalfIsHeld) {
  packets_.Acknowledge(10, 40, 0x3FFFFFFF);
  EXPECT_EQ(Ack(29), 0);
  EXPECT_EQ(state_.active, 0);
  EXPECT_EQ(Ack(30), 20);  // 10 to 29: a window from the hole on
  EXPECT_EQ(state_.active, 1);
  EXPECT_EQ(state_.until, 100);
  EXPECT_EQ(packets_.NextQueued(), 10);
  EXPECT_EQ(packets_.queued_bytes(), 20 * 4064);
}

TEST_F(Recovery, ThresholdIsFivePacketsAtLeastAndTheLargestWindowAtMost) {
  EXPECT_EQ(Ack(4, 2), 0);
  EXPECT_EQ(Ack(5, 2), 2);
  LossRecovery::State other;
  EXPECT_EQ(control_.OnAck(&other, 99, 90 * 4000, kMost, &packets_), 0);
  EXPECT_EQ(other.active, 0);  // 400,000 bytes, not 540,000
  packets_.Resend(NanoSeconds(200), 0);
  packets_.Resend(NanoSeconds(200), 0);
  EXPECT_GT(control_.OnAck(&other, 100, 90 * 4000, kMost, &packets_), 0);
}

TEST_F(Recovery, EachPacketIsSentAgainOnce) {
  packets_.Acknowledge(10, 40, 0x3FFFFFFF);
  Ack(30);
  for (int i = 0; i < 20; ++i) packets_.Resend(NanoSeconds(200), 0);
  EXPECT_EQ(Ack(30), 0);
  packets_.Acknowledge(15, 0, 0);
  EXPECT_EQ(Ack(30), 5);  // 30 to 34: the window moved; 10 to 29 are on their way again
  EXPECT_EQ(packets_.NextQueued(), 30);
}

TEST_F(Recovery, LeavesOutWhatArrivedOrIsQueued) {
  packets_.Acknowledge(0, 2, 0b11);
  Ack(99, 6);  // 0, 1, 4, 5
  EXPECT_EQ(packets_.queued_bytes(), 4 * 4064);
  EXPECT_EQ(packets_.Find(2), nullptr);
}

TEST_F(Recovery, DoesNotBeginWhileSomethingIsQueued) {
  packets_.Lose(50);
  EXPECT_EQ(Ack(99), 0);
  EXPECT_EQ(state_.active, 0);
}

TEST_F(Recovery, EndsWhenAllSentBeforeItArrived) {
  Ack(40);
  for (int i = 0; i < 20; ++i) packets_.Resend(NanoSeconds(200), 0);
  packets_.Send(NanoSeconds(300), 4064, 0);
  packets_.Acknowledge(99, 0, 0);
  EXPECT_EQ(Ack(0), 1);  // 99
  EXPECT_EQ(state_.active, 1);
  packets_.Acknowledge(100, 0, 0);
  EXPECT_EQ(Ack(0), 0);
  EXPECT_EQ(state_.active, 0);
  EXPECT_EQ(packets_.outstanding(), 1);  // 100 was sent later
}

TEST_F(Recovery, AnswerToAProbeBeginsOneIfTheNetworkIsNotFull) {
  packets_.Acknowledge(95, 0, 0);
  control_.OnProbeAnswer(&state_, MicroSeconds(12), packets_);
  EXPECT_EQ(state_.active, 0);
  control_.OnProbeAnswer(&state_, NanoSeconds(11'999), packets_);
  EXPECT_EQ(state_.active, 1);
  EXPECT_EQ(Ack(0), 5);
}

TEST_F(Recovery, TimesOfProbes) {
  EXPECT_EQ(control_.ProbeDelay(MicroSeconds(8), true), MicroSeconds(20));
  EXPECT_EQ(control_.ProbeDelay(MicroSeconds(8), false), MicroSeconds(24));
  EXPECT_EQ(control_.ProbeInterval(MicroSeconds(8)), MicroSeconds(40));
}

TEST_F(Recovery, GoesOnAfterSaving) {
  Ack(40);
  const auto copy = Loaded<LossRecovery::State>(Saved(state_));
  EXPECT_EQ(copy.until, 100);
  EXPECT_EQ(copy.resent, 20);
  EXPECT_EQ(copy.active, 1);
  state_.active = 2;
  EXPECT_THROW(Loaded<LossRecovery::State>(Saved(state_)), UserError);
  state_ = {-1, 0, 0};
  EXPECT_THROW(Loaded<LossRecovery::State>(Saved(state_)), UserError);
}

}  // namespace
}  // namespace heddle::testing
