// SPDX-License-Identifier: GPL-2.0-only
/// TIMELY against traces computed by hand: a = 0.875, b = 0.8, T_low 50, T_high 500, T_min 20 us.
#include "transport/model/congestion/timely.h"

#include <gtest/gtest.h>

#include "tests/unit/transport/model/congestion/pace_test_util.h"

namespace heddle::testing {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

class TimelySender : public PacedSender<Timely> {
 public:
  explicit TimelySender(const Settings& settings = {}) : PacedSender(Congestion(settings)) {}
  /// An ACK that ends a window, with this round trip.
  void Rtt(std::int64_t ns) {
    AckSignals signals;
    signals.acknowledged = next_ + 1;
    signals.next = next_ += 10'000;
    signals.stamp = (signals.now - NanoSeconds(ns)).ps;
    Ack(signals);
  }
  void ExpectGbps(double gbps) const { EXPECT_NEAR(static_cast<double>(rate()), gbps * 1e9, 10); }

 private:
  std::int64_t next_ = 0;
};

TEST(Timely, FirstRoundTripIsOnlyRecorded) {
  TimelySender sender;
  sender.Rtt(1'000'000);
  EXPECT_EQ(sender.rate(), 100'000'000'000);
  EXPECT_EQ(sender.state.last_rtt, MicroSeconds(1000));
}

TEST(Timely, AboveHighFallsByTheExcess) {
  TimelySender sender;
  sender.Rtt(1'000'000);
  sender.Rtt(1'000'000);  // 1 - 0.8 (1 - 500 / 1000) = 0.6, whatever the gradient (here 0)
  sender.ExpectGbps(60);
}

TEST(Timely, GradientDecides) {
  TimelySender sender;
  sender.Rtt(100'000);
  // d = 0.875 * 8 us = 7 us, g = 0.35: R = 100 (1 - 0.28) = 72.
  sender.Rtt(108'000);
  sender.ExpectGbps(72);
  // d = 0.125 * 7 + 0.875 * (-1) = 0: not growing, R + 0.05.
  sender.Rtt(107'000);
  sender.ExpectGbps(72.05);
  // d = 0.875 * 40 = 35 us, g = 1.75: 1 - 1.4 is below 0, R falls to the minimum.
  sender.Rtt(147'000);
  EXPECT_EQ(sender.rate(), 100'000'000);
}

TEST(Timely, BelowLowAlwaysRises) {
  TimelySender sender;
  sender.Rtt(1'000'000);
  sender.Rtt(1'000'000);
  sender.Rtt(10'000);
  sender.Rtt(49'999);  // g is positive, but the round trip is short
  sender.ExpectGbps(60.1);
  sender.Rtt(50'000);  // d of (-990, 39.999, 0.001): -866.25, -73.28.., -9.16..: below 0, rises all
                       // the same
  sender.ExpectGbps(60.15);
  sender.Rtt(70'000);  // d = -1.145 + 17.5 = 16.355 us: falls
  EXPECT_LT(sender.rate(), 60'000'000'000);
}

TEST(Timely, HyperIncreaseAfterFiveRaises) {
  TimelySender sender;
  sender.Rtt(1'000'000);
  sender.Rtt(1'000'000);
  for (int i = 1; i <= 5; ++i) {
    sender.Rtt(20'000);
    sender.ExpectGbps(60 + 0.05 * i);
  }
  sender.Rtt(20'000);
  sender.ExpectGbps(60.25 + 0.1);
  sender.Rtt(1'000'000);  // a fall starts the count anew: 1 - 0.8 / 2
  sender.ExpectGbps(60.35 * 0.6);
  sender.Rtt(20'000);
  sender.ExpectGbps(60.35 * 0.6 + 0.05);
}

TEST(Timely, OnceAWindow) {
  TimelySender sender;
  sender.Rtt(1'000'000);
  AckSignals signals;
  signals.acknowledged = signals.next = 10'000;  // data of the same window
  signals.stamp = (signals.now - MicroSeconds(2000)).ps;
  sender.Ack(signals);
  EXPECT_EQ(sender.rate(), 100'000'000'000);
  EXPECT_EQ(sender.state.last_rtt, MicroSeconds(1000));
  signals.acknowledged = 10'001;
  signals.next = 10'001;
  sender.Ack(signals);
  sender.ExpectGbps(40);  // 1 - 0.8 (1 - 1/4)
}

TEST(Timely, RisesToTheLineRateOnly) {
  TimelySender sender;
  for (int i = 0; i < 10; ++i) sender.Rtt(20'000);
  EXPECT_EQ(sender.rate(), 100'000'000'000);
}

std::int64_t TimelyRateWith(const Settings& settings) {
  TimelySender sender(settings);
  for (const std::int64_t us : {100, 104, 600, 300, 40, 40, 40, 40, 40, 40, 45})
    sender.Rtt(us * 1000);
  return sender.rate();
}

TEST(Timely, EachKnobTurns) {
  const std::int64_t usual = TimelyRateWith({});
  for (const auto& [key, value] : Settings{{"timely.weight", "0.5"},
                                           {"timely.decrease", "0.5"},
                                           {"timely.low", "10"},
                                           {"timely.high", "700"},
                                           {"timely.minimum_rtt", "30"},
                                           {"timely.hyper_after", "2"},
                                           {"RATE_AI", "1Gbps"},
                                           {"RATE_HAI", "1Gbps"}}) {
    EXPECT_NE(TimelyRateWith({{key, value}}), usual) << key;
  }
  EXPECT_NE(CongestionError("timely.weight", "0"), "");
  EXPECT_NE(CongestionError("timely.minimum_rtt", "0").find("timely.minimum_rtt"),
            std::string::npos);
  EXPECT_NE(CongestionError("timely.decrease", "1.1"), "");
}

}  // namespace
}  // namespace heddle::testing
