// SPDX-License-Identifier: GPL-2.0-only
/// Whole collectives that share a link (flow.detail=streams), with times computed by hand. Every
/// collective sends 125,000 bytes from GPU 0 to GPU 1, 10 us at 100 Gbps, and takes 15 us alone.
#include <gtest/gtest.h>
#include <ns3/simulator.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "collectives/coordinator/flow_coordinator.h"
#include "core/base/check.h"
#include "tests/models/collectives/fixed_time_backend.h"
#include "tests/support/simulate_jobs.h"
#include "tests/support/small_fabric.h"
#include "transport/run/backends/stream_backend.h"

namespace heddle::testing {
namespace {

constexpr Time kAlone = MicroSeconds(15), kBusy = MicroSeconds(10);

struct OneLink final : CollectivePrices, CollectiveLoads {
  Time PriceOf(const CollectiveCall&) override { return kAlone; }
  std::string Describe() const override { return "transport        one link\n"; }
  CollectiveLoads* loads() override { return this; }
  Time BusyTimeOf(const CollectiveCall&) override { return kBusy; }
  void ForEachConnection(const CollectiveCall&, const Visit& visit) override {
    constexpr std::int64_t kBytes = 125'000;
    // In two parts, which add up.
    visit({NodeId(0), NodeId(1), 0, kBytes / 5, false});
    visit({NodeId(0), NodeId(1), 0, kBytes - kBytes / 5, false});
  }
};

/// Ends [us] of two jobs of one collective each, which are also on other GPUs; the second one
/// begins `later`.
std::vector<double> EndsOfTwo(const std::string& operation, Time later,
                              TransportOptions options = {}) {
  const Graph graph = Star({{100}, {100}, {100}, {100}});
  const std::string text = "MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 " + operation + " 1000 0\n";
  const std::vector<Job> jobs = {MakeJob(graph, text, {NodeId(0), NodeId(1)}),
                                 MakeJob(graph, text, {NodeId(2), NodeId(3)}, later)};
  FlowCoordinator coordinator(graph, jobs, CollectiveOptions(), /*timeline=*/false);
  const Domains domains = MakeDomains(graph, {Time{0}, 1});
  OneLink prices;
  FixedTime fixed(graph, domains, kAlone);
  BackendInput input{graph,     options,     domains.domain_of, domains.nodes,  fixed.ranks,
                     RankId(0), /*ranks=*/1, /*seed=*/1,        fixed.failures, &prices};
  StreamBackend backend(input);
  backend.Drive(&coordinator);
  backend.Run(EngineKind::kDomain, Communicator::Serial(), {});
  std::map<std::uint32_t, double> ends;
  for (const FinishRecord& finish : coordinator.context().finishes)
    ends[finish.gpu.value] = static_cast<double>(finish.end.ps) / 1e6;
  EXPECT_EQ(ends[0], ends[1]);
  EXPECT_EQ(ends[2], ends[3]);
  ns3::Simulator::Destroy();
  return {ends[0], ends[2]};
}

/// What follows of 5 us of latencies when 10 us of bytes took `taken`.
double TotalOf(double taken) {
  return (taken + 5 + std::sqrt((taken - 5) * (taken - 5) + 4 * 10 * 5)) / 2;
}

constexpr double kRounded = 2e-3;  // [us]: a job computes for a nanosecond first

TEST(Streams, TakeTheirPriceAlone) {
  const std::vector<double> ends = EndsOfTwo("ALLREDUCE", MicroSeconds(20));
  EXPECT_NEAR(ends[0], 15, kRounded);
  EXPECT_NEAR(ends[1], 35, kRounded);
}

TEST(Streams, ShareALinkEvenlyFromTheSameBegin) {
  const std::vector<double> ends = EndsOfTwo("ALLREDUCE", Time{0});
  EXPECT_NEAR(ends[0], TotalOf(20), kRounded);
  EXPECT_NEAR(ends[1], TotalOf(20), kRounded);
  EXPECT_NEAR(TotalOf(10), 15, 1e-9);
}

TEST(Streams, ShareALinkWhileBothAreThere) {
  // Alone for 5 us, together for 10, the second one alone for 5.
  const std::vector<double> ends = EndsOfTwo("ALLREDUCE", MicroSeconds(5));
  EXPECT_NEAR(ends[0], TotalOf(15), kRounded);
  EXPECT_NEAR(ends[1], 5 + TotalOf(15), kRounded);
}

TEST(Streams, KeepTheOneLatencyOfMessagesThatLeaveAtOnce) {
  const std::vector<double> ends = EndsOfTwo("ALLTOALL", Time{0});
  EXPECT_NEAR(ends[0], 25, kRounded);
  EXPECT_NEAR(ends[1], 25, kRounded);
}

TEST(Streams, RefuseWhatFluidsDoNotKnow) {
  TransportOptions options;
  options.controller.enabled = true;
  EXPECT_THROW(EndsOfTwo("ALLREDUCE", Time{0}, options), UserError);
}

}  // namespace
}  // namespace heddle::testing
