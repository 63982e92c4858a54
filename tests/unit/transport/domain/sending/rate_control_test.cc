// SPDX-License-Identifier: GPL-2.0-only
/// RateControl with DCQCN, over the state of a domain that does nothing by itself.
#include "transport/domain/sending/rate_control.h"

#include <gtest/gtest.h>

#include "tests/support/leaf_spine.h"
#include "tests/unit/transport/domain/fabric_domain/one_domain.h"

namespace heddle {
namespace {

constexpr std::int64_t kWindow = 100000;
constexpr BitRate kLine{100'000'000'000};

TransportOptions With(std::int64_t mode) {
  TransportOptions options;
  options.congestion.mode = mode;
  return options;
}

class RateControlTest : public ::testing::Test {
 protected:
  explicit RateControlTest(std::int64_t mode = 1)
      : fabric_(testing::LeafSpine{1, 3, 0}.Build(), With(mode)) {
    pair_.flow = {NodeId(0), 5};
    pair_.pace.window = kWindow;
    pair_.port = fabric_.PortAt(0, 0);
    rates_.Reserve(fabric_.context(), 0);
    rates_.Start(state_, 0, &pair_, pair_.port);
  }
  void Congestion() {
    Packet ack{};
    ack.echo = 1;
    rates_.OnAck(state_, 0, &pair_, ack, nullptr);
  }
  /// The timer events, which all are of this flow.
  std::vector<Event> Timers() const {
    std::vector<Event> timers;
    for (const Event& event : state_.queue().Sorted()) {
      if (EventOrder(event.order).kind() == FabricEvent::kRateTimer) timers.push_back(event);
    }
    return timers;
  }
  bool IsDue(const Event& timer) {
    return rates_.TimerIsDue(state_, 0, &pair_, timer.time, EventOrder(timer.order));
  }

  testing::OneDomain fabric_;
  DomainState& state_ = fabric_.state();
  QueuePair pair_;
  RateControl rates_;
};

TEST_F(RateControlTest, AFlowBeginsAtLineRate) {
  EXPECT_EQ(pair_.pace.line_rate, kLine);
  EXPECT_EQ(pair_.pace.rate, kLine);
  EXPECT_EQ(pair_.pace.limit, kWindow);
  EXPECT_TRUE(Timers().empty());
}

TEST_F(RateControlTest, CongestionLowersRateAndWindowAlike) {
  Congestion();
  for (int timer = 0; timer < 10 && pair_.pace.rate == kLine; ++timer) {
    state_.clock().now = pair_.rate_timer;
    rates_.OnTimer(state_, 0, &pair_);
  }
  ASSERT_LT(pair_.pace.rate.bps, kLine.bps);
  EXPECT_NEAR(static_cast<double>(pair_.pace.limit),
              static_cast<double>(kWindow) * static_cast<double>(pair_.pace.rate.bps) /
                  static_cast<double>(kLine.bps),
              1);
}

TEST_F(RateControlTest, ATimerBelongsToItsFlow) {
  Congestion();
  ASSERT_EQ(Timers().size(), 1u);
  const Event timer = Timers()[0];
  EXPECT_EQ(pair_.rate_timer, timer.time);
  EXPECT_TRUE(IsDue(timer));
  pair_.flow.number = 6;  // the slot is another's
  EXPECT_FALSE(IsDue(timer));
  pair_.flow = FlowId();
  EXPECT_FALSE(IsDue(timer));
}

TEST_F(RateControlTest, AnOvertakenTimerDoesNothing) {
  Congestion();
  Event timer = Timers()[0];
  timer.time = timer.time - PicoSeconds(1);
  EXPECT_FALSE(IsDue(timer));
}

TEST_F(RateControlTest, TimersFollowOneAnother) {
  Congestion();
  state_.clock().now = Timers()[0].time;
  rates_.OnTimer(state_, 0, &pair_);
  EXPECT_GT(pair_.rate_timer, state_.now());
  EXPECT_EQ(Timers().size(), 2u);
}

TEST_F(RateControlTest, RoomIsMadeForEachQueuePair) {
  EXPECT_TRUE(rates_.Has(0));
  EXPECT_FALSE(rates_.Has(100));
  rates_.Reserve(fabric_.context(), 100);
  EXPECT_TRUE(rates_.Has(100));
}

class NoRateControlTest : public RateControlTest {
 protected:
  NoRateControlTest() : RateControlTest(0) {}
};

TEST_F(NoRateControlTest, NothingIsKept) {
  EXPECT_EQ(pair_.pace.rate, kLine);
  EXPECT_FALSE(rates_.Has(0));
}

}  // namespace
}  // namespace heddle
