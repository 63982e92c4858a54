// SPDX-License-Identifier: GPL-2.0-only
/// Monitors compared with values computed by hand, and with the run's own totals.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

/// 400 Gbps in, 100 Gbps out, 1 us each, 20 packets: packet n arrives at 181,040 (n + 1) + 1 us;
/// packet 0 goes straight on at 1,181,040, packet k leaves at 1,181,040 + 724,160 k.
constexpr std::int64_t kMonitorsFastTx = 9052 * 20, kFirst = kMonitorsFastTx + kMicro,
                       kMonitorsPackets = 20;
const std::vector<FlowRequest> kFlow = {Flow(0, 1, kMonitorsPackets * 9000)};
Graph MonitorsFourToOne() { return Row({{400}, {100}}); }

/// Bytes that wait at the switch at time t, after all events at t.
std::int64_t Waiting(std::int64_t t) {
  if (t < kFirst) return 0;
  const std::int64_t arrived = std::min(kMonitorsPackets, (t - kMicro) / kMonitorsFastTx);
  const std::int64_t left = std::min(kMonitorsPackets, 1 + (t - kFirst) / kTx);
  return 9052 * (arrived - left);
}

TEST(QueueMonitor, SamplesAtItsIntervalsWhatChanged) {
  for (std::int64_t start : {std::int64_t{0}, 3 * kMicro}) {
    TransportOptions options = Unlimited();
    options.monitors.queues = true;
    options.monitors.queue_interval = NanoSeconds(700);
    options.monitors.start = PicoSeconds(start);
    const Observed outcome = Simulate(MonitorsFourToOne(), kFlow, options);
    std::vector<std::int64_t> times, bytes;
    std::int64_t seen = 0;
    for (std::int64_t t = start + 700'000; t < 40 * kMicro; t += 700'000) {
      if (Waiting(t) == seen) continue;
      seen = Waiting(t);
      times.push_back(t);
      bytes.push_back(seen);
    }
    const Table& table = Monitor(outcome, "monitors/queues");
    EXPECT_EQ(GetColumn<std::int64_t>(table, "time_ps"), times);
    EXPECT_EQ(GetColumn<std::int64_t>(table, "queued_bytes"), bytes);
    EXPECT_EQ(GetColumn<std::int64_t>(table, "port_bytes"), bytes);
    for (std::uint32_t node : GetColumn<std::uint32_t>(table, "node")) EXPECT_EQ(node, 2U);
    for (std::uint32_t port : GetColumn<std::uint32_t>(table, "port")) EXPECT_EQ(port, 1U);
    for (std::uint8_t queue : GetColumn<std::uint8_t>(table, "priority")) EXPECT_EQ(queue, 3);
  }
}

TEST(QueueMonitor, OnChangeHasEveryStep) {
  // Packets 1 to 19 enter and leave the queue: 38 rows, each at its arrival or departure.
  TransportOptions options = Unlimited();
  options.monitors.queues = true;
  options.monitors.on_change = true;
  const Observed outcome = Simulate(MonitorsFourToOne(), kFlow, options);
  std::vector<std::pair<std::int64_t, int>> steps;  // arrivals first at one instant
  for (std::int64_t n = 1; n < kMonitorsPackets; ++n) {
    steps.push_back({kFirst + n * kMonitorsFastTx, 0});
    steps.push_back({kFirst + n * kTx, 1});
  }
  std::sort(steps.begin(), steps.end());
  std::vector<std::int64_t> times, bytes;
  std::int64_t waiting = 0;
  for (const auto& [time, leaves] : steps) {
    waiting += leaves != 0 ? -9052 : 9052;
    times.push_back(time);
    bytes.push_back(waiting);
  }
  EXPECT_EQ(GetColumn<std::int64_t>(Monitor(outcome, "monitors/queues"), "time_ps"), times);
  EXPECT_EQ(GetColumn<std::int64_t>(Monitor(outcome, "monitors/queues"), "queued_bytes"), bytes);
}

TEST(LinkMonitor, SamplesAddUpToWhatWasSent) {
  TransportOptions options = Unlimited();
  options.monitors.links = true;
  options.monitors.link_interval = MicroSeconds(1);
  const Observed outcome = Simulate(MonitorsFourToOne(), kFlow, options);
  const Table& table = Monitor(outcome, "monitors/links");
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> sums;
  for (std::size_t i = 0; i < GetColumn<std::int64_t>(table, "sent_bytes").size(); ++i) {
    sums[{GetColumn<std::uint32_t>(table, "node")[i],
          GetColumn<std::uint32_t>(table, "port")[i]}] +=
        GetColumn<std::int64_t>(table, "sent_bytes")[i];
    // The last interval ends with the run.
    const std::int64_t time = GetColumn<std::int64_t>(table, "time_ps")[i];
    const std::int64_t length = time % kMicro == 0 ? kMicro : time % kMicro;
    EXPECT_TRUE(length == kMicro || time == outcome.end.ps) << time;
    EXPECT_DOUBLE_EQ(GetColumn<double>(table, "throughput_gbps")[i],
                     static_cast<double>(GetColumn<std::int64_t>(table, "sent_bytes")[i]) * 8e3 /
                         static_cast<double>(length));
  }
  EXPECT_EQ(sums.size(), 4U);
  for (const auto& [place, bytes] : sums)
    EXPECT_EQ(bytes, PortFigure(outcome, place.first, place.second, "sent_bytes"));
  EXPECT_EQ((sums[{0, 0}]), kMonitorsPackets * 9052);
  // The first: GPU 0 begins a packet each 181,040 ps, 0 to 5 by 1 us; and the switch none.
  EXPECT_EQ(GetColumn<std::uint32_t>(table, "node")[0], 0U);
  EXPECT_EQ(GetColumn<std::int64_t>(table, "time_ps")[0], kMicro);
  EXPECT_EQ(GetColumn<std::int64_t>(table, "sent_bytes")[0], 6 * 9052);
}

/// Any packet that leaves another one in the queue is marked.
TransportOptions MarkAlways() {
  TransportOptions options;
  options.has_window = false;
  options.ecn.kmin = RateMap::Parse("2 100Gbps 0 400Gbps 0", 1, "KB");
  options.ecn.kmax = options.ecn.kmin;
  options.ecn.pmax = options.ecn.kmin;
  return options;
}

TEST(CnpMonitor, CountsEveryEchoTheLastAckIncluded) {
  // All 20 packets are sent (3.6 us) before the first ACK is back. Packet k leaves others behind
  // for k = 1 to 18: 18 marks.
  TransportOptions options = MarkAlways();
  options.monitors.cnps = true;
  const Observed one = Simulate(MonitorsFourToOne(), kFlow, options);
  EXPECT_EQ(one.books.marked, 18);
  EXPECT_EQ(GetColumn<std::int64_t>(Monitor(one, "monitors/cnps"), "cnps").back(), 18);
  EXPECT_EQ(PortFigure(one, 2, 1, "ecn_marked"), 18);
  // GPU 1's only packet waits behind GPU 0's first and leaves its second behind: its only ACK, the
  // last, has the flag.
  const Observed last =
      Simulate(Star({{100}, {100}, {100}}), {Flow(0, 2, 90'000), Flow(1, 2, 9000)}, options);
  const Table& table = Monitor(last, "monitors/cnps");
  std::int64_t of_1 = 0, of_0 = 0;
  for (std::size_t i = 0; i < GetColumn<std::uint32_t>(table, "src").size(); ++i) {
    (GetColumn<std::uint32_t>(table, "src")[i] == 1 ? of_1 : of_0) =
        GetColumn<std::int64_t>(table, "cnps")[i];
  }
  EXPECT_EQ(of_1, 1);
  EXPECT_EQ(of_0 + of_1, last.books.marked);
}

TEST(RateMonitor, StartsAtLineRateAndHasOnlyChanges) {
  TransportOptions options = MarkAlways();
  options.monitors.rates = true;
  options.monitors.on_change = true;
  const Observed outcome =
      Simulate(Star({{100}, {100}, {100}}), {Flow(0, 2, 900'000), Flow(1, 2, 900'000)}, options);
  const Table& table = Monitor(outcome, "monitors/rates");
  std::map<std::uint32_t, std::int64_t> last;
  for (std::size_t i = 0; i < GetColumn<std::uint32_t>(table, "src").size(); ++i) {
    const std::uint32_t src = GetColumn<std::uint32_t>(table, "src")[i];
    const std::int64_t rate = GetColumn<std::int64_t>(table, "rate_bps")[i];
    if (last.count(src) == 0) {
      EXPECT_EQ(rate, 100 * kG);
      EXPECT_EQ(GetColumn<std::int64_t>(table, "time_ps")[i], 0);
    }
    EXPECT_NE(rate, last[src]);
    EXPECT_GE(rate, options.congestion.rates.minimum.bps);
    last[src] = rate;
  }
  EXPECT_EQ(last.size(), 2U);
  EXPECT_LT(last[0], 100 * kG);
}

/// All samples of a run with this interval.
std::vector<std::uint64_t> Samples(const Observed& outcome) {
  std::vector<std::uint64_t> digests;
  for (const Table& table : outcome.monitors) digests.push_back(Digest(table));
  return digests;
}

TEST(Monitors, TheLastIntervalEndsWithTheTraffic) {
  // One long interval: 100 packets of 9052 bytes over a link of 100 Gbps are 89 % of the time that
  // they and two cables of 1 us take, not of the 10 ms until a sample is due.
  TransportOptions options = Unlimited();
  options.monitors.links = true;
  options.monitors.link_interval = MicroSeconds(10'000);
  const Observed outcome = Simulate(Row({{}, {}}), {Flow(0, 1, 900'000)}, options);
  const Table& table = Monitor(outcome, "monitors/links");
  ASSERT_EQ(GetColumn<std::uint32_t>(table, "node")[0], 0U);
  EXPECT_EQ(GetColumn<std::int64_t>(table, "time_ps")[0], outcome.end.ps);
  EXPECT_NEAR(GetColumn<double>(table, "throughput_gbps")[0],
              100.0 * 100 * kTx / static_cast<double>(outcome.end.ps), 1e-9);
}

TEST(Monitors, AutomaticIntervalsGiveEnoughSamplesAtAnyLength) {
  for (const std::int64_t packets : {100, 2000}) {
    TransportOptions options = Unlimited();
    options.monitors.links = true;
    const Observed outcome = Simulate(Row({{}, {}}), {Flow(0, 1, packets * 9000)}, options);
    const auto& time = GetColumn<std::int64_t>(Monitor(outcome, "monitors/links"), "time_ps");
    std::vector<std::int64_t> times(time);
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    EXPECT_GE(times.size(), static_cast<std::size_t>(std::min<std::int64_t>(70, packets / 2)));
    EXPECT_LE(times.size(), 1000U);
    EXPECT_LE(times.back(), outcome.end.ps);
  }
}

TEST(Monitors, AFailureAfterTheTrafficIsNoPartOfTheRun) {
  const Graph graph = Star({{100}, {100}, {100}});
  const std::vector<FlowRequest> flows = {Flow(0, 2, 900'000), Flow(1, 2, 900'000)};
  TransportOptions options = MarkAlways();
  MonitorOptions& m = options.monitors;
  m.queues = m.links = m.rates = m.cnps = m.pfc = true;
  for (const Time interval : {SampleGrid::kAutomatic, MicroSeconds(7)}) {
    m.queue_interval = m.link_interval = m.pair_interval = interval;
    const Observed plain = Simulate(graph, flows, options);
    const std::int64_t second = 1'000'000'000'000;
    const Observed late = RunWith(graph, flows, options, Outage(1, second, 2 * second));
    EXPECT_EQ(late.end.ps, plain.end.ps);
    EXPECT_EQ(Samples(late), Samples(plain));
    EXPECT_EQ(Digest(late.flows), Digest(plain.flows));
    for (std::size_t i = 0; i < plain.statistics.size(); ++i)
      EXPECT_EQ(Digest(late.statistics[i]), Digest(plain.statistics[i])) << i;
    RunPlan every_window;
    every_window.check_every = 0;
    const Observed checked =
        Simulate(graph, flows, {options, every_window, Outage(1, second, 2 * second)});
    ASSERT_EQ(checked.end.ps, plain.end.ps);
    for (const Table& table : checked.monitors) {
      const auto& time = GetColumn<std::int64_t>(table, "time_ps");
      for (const std::int64_t at : time) EXPECT_LE(at, plain.end.ps);
    }
  }
}

TEST(Monitors, ChangeNothing) {
  const Graph graph = Star({{100}, {100}, {100}});
  const std::vector<FlowRequest> flows = {Flow(0, 2, 900'000), Flow(1, 2, 900'000)};
  TransportOptions options = MarkAlways();
  const Observed plain = Simulate(graph, flows, options);
  for (bool on_change : {false, true}) {
    MonitorOptions& m = options.monitors;
    m.queues = m.links = m.rates = m.cnps = m.pfc = true;
    m.on_change = on_change;
    m.queue_interval = m.link_interval = m.pair_interval = NanoSeconds(300);
    const Observed watched = Simulate(graph, flows, options);
    EXPECT_EQ(Digest(watched.flows), Digest(plain.flows));
    EXPECT_EQ(Digest(watched.ports), Digest(plain.ports));
    EXPECT_EQ(watched.end.ps, plain.end.ps);
    EXPECT_EQ(watched.monitors.size(), 5U);
  }
  EXPECT_TRUE(plain.monitors.empty());
}

}  // namespace
}  // namespace heddle::testing
