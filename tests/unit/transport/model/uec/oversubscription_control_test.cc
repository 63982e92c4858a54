// SPDX-License-Identifier: GPL-2.0-only
/// The rate of credit by hand, in a network that is oversubscribed 2:1: at least 0.45.
#include "transport/model/uec/oversubscription_control.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/transport/model/uec/uec_test_util.h"

namespace heddle::testing {
namespace {

class CreditRate : public ::testing::Test {
 protected:
  /// An interval with these packets; `marked` of the whole ones.
  void Interval(int whole, int marked, int other_trims = 0, int last_hop_trims = 0) {
    for (int i = 0; i < whole; ++i) control_.OnPacket(&state_, i < marked);
    for (int i = 0; i < other_trims; ++i) control_.OnTrimmed(&state_, false);
    for (int i = 0; i < last_hop_trims; ++i) control_.OnTrimmed(&state_, true);
    control_.Update(&state_);
  }

  UecOptions options_ = Uec({{"uec.congestion", "rccc"}});
  OversubscriptionControl control_{UecScale(options_, MicroSeconds(8), Gbps(400), 2)};
  OversubscriptionControl::State state_{7, 3};
};

TEST_F(CreditRate, StartsAtOneAndStaysThere) {
  EXPECT_DOUBLE_EQ(state_.rate, 1);
  Interval(100, 0);
  Interval(0, 0);
  EXPECT_DOUBLE_EQ(state_.rate, 1);
}

TEST_F(CreditRate, RestsWhenNothingArrivesAndNothingWouldChange) {
  EXPECT_TRUE(OversubscriptionControl::Rests(state_));
  control_.OnPacket(&state_, true);
  EXPECT_FALSE(OversubscriptionControl::Rests(state_));
  control_.Update(&state_);  // g = .5, so r falls
  int intervals = 0;
  for (; !OversubscriptionControl::Rests(state_); ++intervals) Interval(0, 0);
  EXPECT_EQ(intervals, 19) << "until g, halved each time, is below a millionth";
  state_.rate = 0.99;
  EXPECT_FALSE(OversubscriptionControl::Rests(state_));
}

TEST_F(CreditRate, TrimsInTheCoreTakeTheirShare) {
  Interval(80, 0, 15, 5);
  EXPECT_DOUBLE_EQ(state_.rate, 0.85);
  Interval(0, 0, 1);  // all trimmed: down to the least
  EXPECT_DOUBLE_EQ(state_.rate, 0.45);
}

TEST_F(CreditRate, TrimsOnTheLastHopTakeNothing) {
  state_.rate = 0.8;
  Interval(80, 0, 0, 20);
  EXPECT_DOUBLE_EQ(state_.rate, 0.81);
}

TEST_F(CreditRate, MarksAreAveragedOverIntervals) {
  state_.rate = 0.99;
  Interval(10, 6, 0, 10);  // the share of the whole ones, .6: g = .3, not above: rises
  EXPECT_DOUBLE_EQ(state_.marked, 0.3);
  EXPECT_DOUBLE_EQ(state_.rate, 1);
  Interval(10, 6);  // g = .45
  EXPECT_DOUBLE_EQ(state_.rate, 1 - 0.15 / 2);
  Interval(10, 0);  // g = .225: rises
  EXPECT_DOUBLE_EQ(state_.rate, 0.925 + 0.01);
}

TEST_F(CreditRate, TrimsAndMarksBothTake) {
  Interval(10, 10, 10);  // 1 - .5, g = .5: times .9
  EXPECT_DOUBLE_EQ(state_.rate, 0.45);
}

TEST_F(CreditRate, IncreasesDoubleWithoutMarks) {
  state_.rate = 0.5;
  for (const double rate : {0.51, 0.53, 0.57, 0.65}) {
    Interval(10, 0);
    EXPECT_NEAR(state_.rate, rate, 1e-12);
  }
  Interval(10, 1);  // a mark: a single step, but the row goes on
  EXPECT_NEAR(state_.rate, 0.66, 1e-12);
  Interval(10, 0);
  EXPECT_NEAR(state_.rate, 0.98, 1e-12);
  Interval(99, 0, 1);  // ends it
  Interval(10, 0);
  EXPECT_NEAR(state_.rate, 0.98, 1e-12);
  for (int i = 0; i < 5000; ++i) Interval(1, 0);
  EXPECT_DOUBLE_EQ(state_.rate, 1);
}

TEST_F(CreditRate, IntervalsSpreadAroundOneAndAHalfRoundTrips) {
  Time least = Time::Max(), most{0};
  for (int i = 0; i < 1000; ++i) {
    const Time interval = control_.Interval(&state_);
    least = std::min(least, interval);
    most = std::max(most, interval);
  }
  EXPECT_GE(least, MicroSeconds(9));
  EXPECT_LT(least, NanoSeconds(9100));
  EXPECT_LT(most, MicroSeconds(15));
  EXPECT_GT(most, NanoSeconds(14'900));
}

TEST_F(CreditRate, EachNicDrawsItsOwn) {
  OversubscriptionControl::State other(7, 4), same(7, 3);
  const Time mine = control_.Interval(&state_);
  EXPECT_NE(control_.Interval(&other), mine);
  EXPECT_EQ(control_.Interval(&same), mine);
}

TEST_F(CreditRate, GoesOnAfterSaving) {
  Interval(10, 6, 1);
  control_.OnPacket(&state_, true);
  auto copy = Loaded<OversubscriptionControl::State>(Saved(state_));
  EXPECT_EQ(control_.Interval(&copy), control_.Interval(&state_));
  Interval(3, 0);
  control_.OnPacket(&copy, false);
  control_.OnPacket(&copy, false);
  control_.OnPacket(&copy, false);
  control_.Update(&copy);
  EXPECT_DOUBLE_EQ(copy.rate, state_.rate);
  EXPECT_EQ(Saved(copy), Saved(state_));
}

TEST_F(CreditRate, DamagedStateIsRefusedOrHarmless) {
  Interval(10, 6, 1);
  control_.OnPacket(&state_, true);
  const int refused = Damaged(state_, [&](OversubscriptionControl::State* state) {
    for (int i = 0; i < 3; ++i) control_.Update(state);
    EXPECT_GE(state->rate, 0.45);
    EXPECT_LE(state->rate, 1);
  });
  EXPECT_GE(refused, 20);
}

}  // namespace
}  // namespace heddle::testing
