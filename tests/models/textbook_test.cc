// SPDX-License-Identifier: GPL-2.0-only
/// Statements of the papers on each congestion control, tested in whole runs.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

constexpr std::int64_t kMs = 1'000'000'000;  ///< in ps

/// Mean of the bottleneck's queue between two times, from samples at every change.
double MeanQueue(const Observed& o, std::uint32_t node, std::uint32_t port, std::int64_t from,
                 std::int64_t to) {
  const Table& t = Monitor(o, "monitors/queues");
  const auto& times = GetColumn<std::int64_t>(t, "time_ps");
  double area = 0;
  std::int64_t last = from, bytes = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (GetColumn<std::uint32_t>(t, "node")[i] != node ||
        GetColumn<std::uint32_t>(t, "port")[i] != port)
      continue;
    const std::int64_t time = std::min(std::max(times[i], from), to);
    area += static_cast<double>(bytes) * static_cast<double>(time - last);
    last = time;
    bytes = GetColumn<std::int64_t>(t, "port_bytes")[i];
  }
  area += static_cast<double>(bytes) * static_cast<double>(to - last);
  return area / static_cast<double>(to - from);
}

/// Bytes that GPU `gpu` has sent between two times.
std::int64_t SentBetween(const Observed& o, std::uint32_t gpu, std::int64_t from, std::int64_t to) {
  const Table& t = Monitor(o, "monitors/links");
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < GetColumn<std::int64_t>(t, "time_ps").size(); ++i) {
    const std::int64_t time = GetColumn<std::int64_t>(t, "time_ps")[i];
    if (GetColumn<std::uint32_t>(t, "node")[i] == gpu && time > from && time <= to)
      sum += GetColumn<std::int64_t>(t, "sent_bytes")[i];
  }
  return sum;
}

/// `senders` flows into the last GPU, all cables with the same rate and 1 us.
Observed Incast(std::int64_t mode, std::uint32_t senders, std::int64_t size,
                TransportOptions options) {
  options.congestion.mode = mode;
  std::vector<FlowRequest> flows;
  for (std::uint32_t i = 0; i < senders; ++i) flows.push_back(Flow(i, senders, size));
  return Simulate(Star(std::vector<Cable>(senders + 1, Cable{100, kMicro})), flows, options);
}

TEST(Dcqcn, TwoFlowsConvergeToAFairShare) {
  // Zhu et al., section 5 and figure 13: flows that start unequal converge. 10 Gbps, its
  // parameters: timers of 55 us, cuts at most each 50 us, g = 1/256, kmin 5 KB, kmax 200 KB, pmax 1
  // %. The second flow starts 3 ms later.
  TransportOptions options;
  options.payload = 1000;
  options.congestion.Of<Dcqcn>().alpha_interval = MicroSeconds(55);
  options.congestion.Of<Dcqcn>().decrease_interval = MicroSeconds(50);
  options.congestion.Of<Dcqcn>().increase_interval = MicroSeconds(55);
  options.congestion.Of<Dcqcn>().fast_recovery = 5;
  options.congestion.rates.additive_increase = BitRate{40'000'000};
  options.congestion.rates.hyper_increase = BitRate{40'000'000};
  options.congestion.rates.minimum = BitRate{10'000'000};
  options.has_window = false;
  options.ecn.kmin = RateMap::Parse("1 10Gbps 5", 1e6, "KB");
  options.ecn.kmax = RateMap::Parse("1 10Gbps 200", 1e6, "KB");
  options.ecn.pmax = RateMap::Parse("1 10Gbps 0.01", 1, "");
  options.monitors.links = true;
  options.monitors.link_interval = MicroSeconds(100);
  const Observed outcome =
      Simulate(Star(std::vector<Cable>(3, Cable{10, kMicro})),
               {Flow(0, 2, 40'000'000), Flow(1, 2, 40'000'000, 3, 3 * kMs)}, options);
  // Shares of the port between 20 and 40 ms. Both still send then (80 MB take 64 ms).
  const auto first = static_cast<double>(SentBetween(outcome, 0, 20 * kMs, 40 * kMs));
  const auto second = static_cast<double>(SentBetween(outcome, 1, 20 * kMs, 40 * kMs));
  EXPECT_GT(first / second, 0.8);
  EXPECT_LT(first / second, 1.25);
  EXPECT_GT(first + second, 0.9 * 20e-3 * 10e9 / 8) << "and the port is used";
  EXPECT_EQ(outcome.books.dropped_packets, 0);
}

TEST(Hpcc, QueuesAreNearlyEmptyWhereDcqcnsAreNot) {
  // Li et al., figures 10 and 11: eight into one. After the first round trips HPCC's queue is below
  // a bandwidth-delay product (68,000 bytes), DCQCN's hovers about its thresholds (kmin 400 KB).
  TransportOptions options;
  options.monitors.queues = true;
  options.monitors.on_change = true;
  const Observed hpcc = Incast(3, 8, 2'000'000, options);
  const Observed dcqcn = Incast(1, 8, 2'000'000, options);
  const double of_hpcc = MeanQueue(hpcc, 9, 8, 200 * kMicro, 1000 * kMicro);
  const double of_dcqcn = MeanQueue(dcqcn, 9, 8, 200 * kMicro, 1000 * kMicro);
  EXPECT_LT(of_hpcc, 68'000);
  EXPECT_GT(of_dcqcn, 5 * of_hpcc);
  EXPECT_TRUE(AllFinished(hpcc));
  // And the link is nearly full: 8 * 2 MB take 1.28 ms at line rate, headers (94 of 9094) and eta =
  // 0.95 included 1.37.
  for (std::size_t i = 0; i < 8; ++i) EXPECT_LT(Fct(hpcc, i), 1600 * kMicro);
}

TEST(Hpcc, ReadsTheRealRateOfAnyLink) {
  // A bottleneck of 333 Gbps behind a NIC of 400: telemetry carries the rate itself, not one of
  // SimAI's table of five. The sender converges to utilisation eta: 0.95 * 333 = 316.35 Gbps. No
  // window: SimAI's, computed for the slowest link but scaled by rate / 400, would be the tighter
  // limit.
  TransportOptions options;
  options.congestion.mode = 3;
  options.has_window = false;
  options.monitors.rates = true;
  options.monitors.pair_interval = MicroSeconds(100);
  const Observed outcome = Simulate(Row({{400}, {333}}), {Flow(0, 1, 40'000'000)}, options);
  const auto& rates = GetColumn<std::int64_t>(Monitor(outcome, "monitors/rates"), "rate_bps");
  ASSERT_GT(rates.size(), 4U);
  for (std::size_t i = rates.size() - 3; i < rates.size(); ++i)
    EXPECT_NEAR(static_cast<double>(rates[i]), 0.95 * 333e9, 0.03 * 333e9);
}

TEST(Timely, FollowsTheGradientOfTheRoundTrip) {
  // Mittal et al., algorithm 1: a constant round trip (gradient 0) never cuts the rate, one that
  // grows does, in proportion.
  TransportOptions options;
  // Default 50 us: above all round trips of this fabric.
  options.congestion.Of<Timely>().low = MicroSeconds(5);
  options.monitors.rates = true;
  options.monitors.on_change = true;
  const Observed alone = Incast(7, 1, 5'000'000, options);
  EXPECT_EQ(GetColumn<std::int64_t>(Monitor(alone, "monitors/rates"), "rate_bps"),
            std::vector<std::int64_t>{100 * kG});
  // Two flows: the queue grows by the window of the second one, and both rates fall; the rate at
  // the end is lower.
  const Observed two = Incast(7, 2, 5'000'000, options);
  const auto& rates = GetColumn<std::int64_t>(Monitor(two, "monitors/rates"), "rate_bps");
  EXPECT_LT(*std::min_element(rates.begin(), rates.end()), 80 * kG);
  // Divided by a larger round trip the same gradient cuts less.
  options.congestion.Of<Timely>().minimum_rtt = MicroSeconds(200);
  const Observed gentle = Incast(7, 2, 5'000'000, options);
  const auto& few = GetColumn<std::int64_t>(Monitor(gentle, "monitors/rates"), "rate_bps");
  EXPECT_GT(*std::min_element(few.begin(), few.end()),
            *std::min_element(rates.begin(), rates.end()));
}

TEST(Dctcp, KeepsTheQueueAboutItsThreshold) {
  // Alizadeh et al., figure 1: the queue saws about K = 200 KB, and the port never runs dry. g =
  // 1/16, two senders.
  TransportOptions options;
  options.payload = 1000;
  options.has_window = false;
  options.congestion.rates.gain = 1.0 / 16;
  options.ecn.kmin = RateMap::Parse("1 100Gbps 200", 1e6, "KB");
  options.ecn.kmax = options.ecn.kmin;
  options.ecn.pmax = RateMap::Parse("1 100Gbps 1", 1, "");
  options.congestion.Of<Dctcp>().additive_increase = BitRate{200'000'000};
  options.monitors.queues = true;
  options.monitors.on_change = true;
  const Observed outcome = Incast(8, 2, 20'000'000, options);
  const double mean = MeanQueue(outcome, 3, 2, 1500 * kMicro, 3000 * kMicro);
  EXPECT_GT(mean, 60'000);
  EXPECT_LT(mean, 300'000);
  EXPECT_TRUE(AllFinished(outcome));
  // 40 MB and headers (5 %) at line rate: 3.37 ms.
  for (std::size_t i : {0U, 1U}) EXPECT_LT(Fct(outcome, i), 4 * kMs);
}

}  // namespace
}  // namespace heddle::testing
