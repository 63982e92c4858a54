// SPDX-License-Identifier: GPL-2.0-only
/// Why collectives whose messages each start anew (collective.connections=message) may take several
/// times as long as over lasting connections, on the smallest fabric that shows it.
///
/// Eight GPUs, two at each of four switches that form a ring; one cable between switches is slow.
/// The two rings of an AllReduce share it, and messages queue before it: as one that started
/// earlier is still under way, the next ones of its channel start beside it, each at line rate with
/// a window of its own. The queue passes ECN's threshold. DCQCN halves a message's rate every 4 us
/// while its packets are marked, and raises it after 900 us, a hundred times as long as the message
/// takes alone. So a message that is cut stays slow until it ends, and a ring waits for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/options/enum_words.h"
#include "core/options/options.h"
#include "tests/support/results.h"
#include "tests/support/simulate_jobs.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

constexpr std::uint32_t kGpus = 8, kSwitches = 4;
constexpr std::int64_t kSlow = 200 * kG, kFast = 800 * kG, kHost = 400 * kG;

Graph OneSlowCable() {
  Graph graph(kGpus, 0, kSwitches, 2, "X");
  const Time delay = NanoSeconds(500);
  for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu)
    graph.AddLink({NodeId(gpu), NodeId(kGpus + gpu / 2), BitRate{kHost}, delay, 0});
  for (std::uint32_t s = 0; s < kSwitches; ++s) {
    graph.AddLink({NodeId(kGpus + s), NodeId(kGpus + (s + 1) % kSwitches),
                   BitRate{s == 0 ? kSlow : kFast}, delay, 0});
  }
  return graph;
}

/// An AllReduce over all GPUs in two rings, of 466,033 bytes a message: 9.3 us at line rate.
Observed AllReduce(const char* connections, const Settings& settings = {}) {
  const Graph graph = OneSlowCable();
  Scenario scenario;
  OptionSet set;
  scenario.options.Declare(&set);
  for (const auto& [key, value] : settings) set.Set(key, value);
  scenario.collectives.connections = *FindWord<CollectiveOptions::Connections>(connections);
  return SimulateJobs(graph,
                      {MakeJob(graph, "MICRO\n1\na -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 7456528 0\n")},
                      scenario);
}

double Micros(const char* connections, const Settings& settings = {}) {
  const Observed outcome = AllReduce(connections, settings);
  EXPECT_TRUE(AllFinished(outcome));
  return 1e6 * outcome.end.seconds();
}

/// Most messages of one connection that were under way at a time.
int MostUnderWay(const Table& flows) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t>,
           std::vector<std::pair<std::int64_t, int>>>
      changes;
  for (std::size_t row = 0; row < RowCount(flows); ++row) {
    auto& of_connection = changes[{GetColumn<std::uint32_t>(flows, "src")[row],
                                   GetColumn<std::uint32_t>(flows, "dst")[row],
                                   GetColumn<std::uint16_t>(flows, "channel")[row]}];
    const std::int64_t start = GetColumn<std::int64_t>(flows, "start_ps")[row];
    of_connection.emplace_back(start, 1);
    of_connection.emplace_back(start + GetColumn<std::int64_t>(flows, "fct_ps")[row], -1);
  }
  int most = 0;
  for (auto& [connection, of_connection] : changes) {
    std::sort(of_connection.begin(), of_connection.end());
    int now = 0;
    for (const auto& [time, change] : of_connection) most = std::max(most, now += change);
  }
  return most;
}

/// Lowest rate of each queue pair [Gbps], ascending; one that was never cut is not listed.
std::vector<double> LowestRates(const Observed& outcome) {
  const Table& rates = Monitor(outcome, "monitors/rates");
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t>, std::int64_t> lowest;
  for (std::size_t row = 0; row < RowCount(rates); ++row) {
    const std::int64_t rate = GetColumn<std::int64_t>(rates, "rate_bps")[row];
    auto& least = lowest
                      .emplace(std::tuple(GetColumn<std::uint32_t>(rates, "src")[row],
                                          GetColumn<std::uint32_t>(rates, "dst")[row],
                                          GetColumn<std::uint16_t>(rates, "source_port")[row]),
                               rate)
                      .first->second;
    least = std::min(least, rate);
  }
  std::vector<double> all;
  for (const auto& [pair, rate] : lowest) {
    if (rate < kHost) all.push_back(static_cast<double>(rate) / kG);
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::int64_t SlowestMessage(const Observed& outcome) {
  const auto& fct = GetColumn<std::int64_t>(outcome.flows, "fct_ps");
  return *std::max_element(fct.begin(), fct.end());
}

TEST(FreshStarts, TakeThreeTimesAsLongAsLastingConnections) {
  const double anew = Micros("message"), lasting = Micros("lasting");
  EXPECT_GT(anew, 2.5 * lasting);
  EXPECT_NEAR(lasting, 534, 6);
}

/// Each takes away one link of the chain of causes.
TEST(FreshStarts, TakeNoLongerWithoutRatesThatAreCutAndStayLow) {
  const double lasting = Micros("lasting");
  const Settings uncontrolled = {{"CC_MODE", "0"}};
  const Settings unmarked = {{"ecn.enabled", "false"}};
  const Settings uncut = {{"dcqcn.decrease_interval", "1s"}};
  for (const Settings& settings : {uncontrolled, unmarked, uncut})
    EXPECT_NEAR(Micros("message", settings), lasting, 0.01 * lasting) << settings[0].first;
  EXPECT_LT(Micros("message", {{"rate.minimum", "100Gbps"}}), 1.15 * lasting)
      << "cuts have a floor";
  EXPECT_LT(Micros("message", {{"dcqcn.increase_interval", "10us"}}), 1.3 * lasting)
      << "recovery is about as fast as a message";
  EXPECT_LT(Micros("message", {{"transport.window", "false"}}), 1.01 * lasting)
      << "a message has left before its first cut";
}

TEST(FreshStarts, OneMessageIsCutToLessThanAPercentBesideOthersOfItsConnection) {
  const Settings watched = {{"monitor.kinds", "rates"}, {"monitor.on_change", "true"}};
  const Observed anew = AllReduce("message", watched), lasting = AllReduce("lasting", watched);
  EXPECT_GE(MostUnderWay(anew.flows), 6);
  EXPECT_LE(MostUnderWay(lasting.flows), 2) << "one that leaves, one that has left";
  const std::vector<double> cut = LowestRates(anew), kept = LowestRates(lasting);
  EXPECT_GT(cut.size(), 10U);
  ASSERT_FALSE(cut.empty());
  EXPECT_LT(cut[0], 0.01 * 400);
  EXPECT_LE(kept.size(), 4U);
  for (const double rate : kept) EXPECT_GT(rate, 50);
  // The recovery tick comes 900 us after the last cut; the excess of the collective is this wait.
  EXPECT_GT(SlowestMessage(anew), 900 * kMicro);
  EXPECT_LT(SlowestMessage(lasting), 100 * kMicro);
  EXPECT_GT(SlowestMessage(anew), (anew.end - lasting.end).ps * 9 / 10);
}

}  // namespace
}  // namespace heddle::testing
