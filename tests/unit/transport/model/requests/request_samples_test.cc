// SPDX-License-Identifier: GPL-2.0-only
/// From completions to weights and tokens: when, and by which option.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "core/base/check.h"
#include "tests/unit/transport/model/requests/connection.h"

namespace heddle::testing {
namespace {

TEST(RequestSamples, WeightsWaitForTheirInterval) {
  PostedConnection connection("cast-stripe", 2);
  connection.Sample(0, 10);
  connection.Sample(1, 30);
  connection.Post(1000, 40);  // not timed: does not start the timer
  connection.Post(kRequest, 100);
  EXPECT_FALSE(connection.state.has_weights());  // started, due at 150
  connection.Post(kRequest, 149);
  EXPECT_FALSE(connection.state.has_weights());
  // The weights come after the request that they are computed with.
  EXPECT_EQ(connection.Post(kRequest, 150), (Shares{{1, kRequest / 2}, {0, kRequest / 2}}));
  EXPECT_TRUE(connection.state.has_weights());
  connection.Sample(1, 10, 1000);  // the average of 30 and 10
  connection.Post(kRequest, 199);
  EXPECT_NEAR(connection.state.weight(0), 0.75, 1e-12);
  connection.Post(kRequest, 230);
  EXPECT_NEAR(connection.state.weight(0), 2.0 / 3, 1e-12);
  connection.Sample(1, 50, 1000);  // 30
  connection.Post(kRequest, 279);  // due at 280
  EXPECT_NEAR(connection.state.weight(0), 2.0 / 3, 1e-12);
  connection.Post(kRequest, 280);
  EXPECT_NEAR(connection.state.weight(0), 0.75, 1e-12);
}

TEST(RequestSamples, NoWeightsWithoutASampleOfEach) {
  PostedConnection connection("cast-stripe", 3);
  connection.Weigh({10, 10});
  EXPECT_FALSE(connection.state.has_weights());
  connection.Sample(2, 10);
  connection.Post(kRequest, 1050);  // the failed attempt cost the interval
  EXPECT_FALSE(connection.state.has_weights());
  connection.Post(kRequest, 1051);
  EXPECT_TRUE(connection.state.has_weights());
}

TEST(RequestSamples, UntimedSharesAreNoSamples) {
  PostedConnection connection("cast-stripe", 2);
  connection.scheduler.Completed(&connection.state,
                                 {{0, false, 1000}, Time{0}, MicroSeconds(9), kRate, Time{0}});
  EXPECT_EQ(connection.state.estimate(0), Time{0});
}

TEST(RequestSamples, AResetBeginsAllAveragesAnew) {
  PostedConnection connection("cast-stripe", 2, {{"cast.reset_interval", "2ms"}});
  connection.Sample(0, 10, 1000);  // the first one starts the interval: until 3000
  connection.Sample(1, 10, 1000);
  connection.Sample(0, 30, 2999);
  EXPECT_EQ(connection.state.estimate(0), MicroSeconds(20));
  connection.Sample(1, 50, 3000);  // reset, and alone in its average
  EXPECT_EQ(connection.state.estimate(1), MicroSeconds(50));
  EXPECT_EQ(connection.state.estimate(0), MicroSeconds(20));  // holds until its next sample
  connection.Sample(0, 60, 3001);
  EXPECT_EQ(connection.state.estimate(0), MicroSeconds(60));
  connection.Sample(0, 20, 4999);
  EXPECT_EQ(connection.state.estimate(0), MicroSeconds(40));
  connection.Sample(0, 70, 5000);  // again
  EXPECT_EQ(connection.state.estimate(0), MicroSeconds(70));
  // Minima last: M of queue pair 1 is 10, so 1 / 10 and 1 / (20 + 10).
  connection.Post(kRequest, 1);
  connection.Post(kRequest, 100);
  EXPECT_NEAR(connection.state.weight(1), 0.75, 1e-12);
}

TEST(RequestSamples, NeverResetWithoutAnInterval) {
  PostedConnection connection("cast-stripe", 2, {{"cast.reset_interval", "0"}});
  connection.Sample(0, 10, 1000);
  connection.Sample(0, 30, 9'000'000'000);
  EXPECT_EQ(connection.state.estimate(0), MicroSeconds(20));
}

Time EstimateWith(const Settings& settings, Time min_latency = {}) {
  PostedConnection connection("cast-stripe", 2, settings);
  connection.Sample(0, 8, 1000, min_latency);
  connection.Sample(0, 16, 1000, min_latency);
  return connection.state.estimate(0);
}

TEST(RequestSamples, EstimatorsByOption) {
  EXPECT_EQ(EstimateWith({}), MicroSeconds(12));
  EXPECT_EQ(EstimateWith({{"cast.weight", "0.25"}}), MicroSeconds(10));  // auto follows it
  EXPECT_EQ(EstimateWith({{"cast.weight", "0.25"}, {"cast.estimator", "weighted"}}),
            MicroSeconds(10));
  EXPECT_EQ(EstimateWith({{"cast.weight", "0.25"}, {"cast.estimator", "average"}}),
            MicroSeconds(12));
  EXPECT_EQ(EstimateWith({{"cast.estimator", "tcp"}}), MicroSeconds(9));
  EXPECT_THROW(RequestScheduler(OptionsOf({{"cast.estimator", "weighted"}}), 4), UserError);
}

TEST(RequestSamples, MetricsByOption) {
  EXPECT_EQ(EstimateWith({}, MicroSeconds(3)), MicroSeconds(12));
  EXPECT_EQ(EstimateWith({{"cast.metric", "paper"}}, MicroSeconds(3)), MicroSeconds(9));
  // 8 - 7.5 is raised to 1; with 16 - 7.5 the average is 4.75.
  EXPECT_EQ(EstimateWith({{"cast.metric", "paper"}}, NanoSeconds(7500)), NanoSeconds(4750));
  EXPECT_EQ(
      EstimateWith({{"cast.metric", "paper"}, {"cast.metric_floor", "9us"}}, NanoSeconds(7500)),
      MicroSeconds(9));
}

/// A round trip of 500 ns for 1000 ns of payload.
TEST(RequestSamples, AnImpossibleRoundTripIsTheSmallest) {
  PostedConnection connection("cast-stripe", 2);
  connection.scheduler.Completed(
      &connection.state, {{0, true, 1000}, NanoSeconds(100), NanoSeconds(600), kRate, Time{0}});
  EXPECT_EQ(connection.state.estimate(0), NanoSeconds(1));
}

TEST(RequestSamples, WeightsByOption) {
  PostedConnection filtered("cast-stripe", 2),
      inverse("cast-stripe", 2, {{"cast.weights", "inverse"}});
  for (PostedConnection* connection : {&filtered, &inverse}) {
    connection->Sample(0, 5);  // the minimum; the estimate becomes 10
    connection->Sample(0, 15);
    connection->Weigh({10, 40});
  }
  EXPECT_NEAR(filtered.state.weight(0), 35.0 / 40, 1e-12);  // 1 / 5 and 1 / 35
  EXPECT_NEAR(inverse.state.weight(0), 0.8, 1e-12);
}

TEST(RequestSamples, TokensByOption) {
  for (const char* update : {"clamp", "keep"}) {
    PostedConnection connection("cast-wrr", 2,
                                {{"cast.tokens", "8"}, {"cast.token_update", update}});
    connection.Weigh({10, 10});  // 4 and 4 tokens
    connection.Post(kRequest, 1002);
    connection.Sample(0, 50);         // 30: a quarter, 2 and 6 tokens
    connection.Post(kRequest, 1051);  // takes the second token, then weighs
    EXPECT_NEAR(connection.state.weight(0), 0.25, 1e-12);
    std::vector<std::uint32_t> taken;
    for (int i = 0; i < 6; ++i) taken.push_back(connection.Post(kRequest, 1052)[0].first);
    // Clamped, 2 and 3 are left, then a new round begins; kept, 3 and 3.
    EXPECT_EQ(taken, update[0] == 'c' ? (std::vector<std::uint32_t>{0, 1, 0, 1, 1, 0})
                                      : (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1}));
  }
}

}  // namespace
}  // namespace heddle::testing
