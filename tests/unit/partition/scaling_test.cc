// SPDX-License-Identifier: GPL-2.0-only
#include "partition/scaling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "core/base/check.h"
#include "partition/rank_traffic.h"
#include "tests/support/test_data.h"
#include "topology/shapes/generator.h"

namespace heddle {
namespace {

/// Two GPUs on one switch: domains 0 and 1 (servers) and 2.
Graph ScalingPair() {
  Graph graph(2, 0, 1, 1, "X");
  Connect(&graph, 0, 2);
  Connect(&graph, 1, 2);
  return graph;
}

/// Ten windows, two of them sampled: 100 and 300 events of 10 ns at GPU 0, 100 and 100 at GPU 1 (10
/// ns), 50 of 20 ns in the switch.
RunProfile PairProfile() {
  RunProfile profile;
  profile.lookahead = NanoSeconds(500);
  profile.windows = 10;
  profile.edge_ns = 0;
  profile.events = {2000, 1000, 500};
  profile.measured_events = {2000, 1000, 500};
  profile.measured_ns = {20000, 10000, 10000};
  profile.samples = {{Time{0}, {{0, 100}, {1, 100}, {2, 50}}},
                     {Time{500'000}, {{0, 300}, {1, 100}, {2, 50}}}};
  profile.streams = {{2, 0, 400}, {0, 2, 100}, {1, 2, 200}};
  return profile;
}

NetworkModel SimpleNetwork() {
  NetworkModel network;
  network.latency_seconds = 1e-6;
  network.bytes_per_second = 7.2e9;  // a message of 72 bytes takes 10 ns
  network.batch_seconds = 0.25e-6;
  network.message_seconds = 1e-9;
  return network;
}

TEST(Scaling, FollowsTheModel) {
  ScalingPlan plan;
  plan.ranks = 2;
  const Graph graph = ScalingPair();
  const Assignment assignment = AssignDomains(graph, MakeDomains(graph, {}), 2, "block", 1);
  ASSERT_EQ(assignment, (Assignment{RankId(0), RankId(1), RankId(1)}));
  const ScalingForecast found = Forecast(PairProfile(), graph, plan, SimpleNetwork());
  // Work by window: (1000, 2000) and (3000, 2000) ns; each sample represents five windows.
  EXPECT_NEAR(found.even_seconds, 5 * (3000 + 5000) * 1e-9 / 2, 1e-12);
  EXPECT_NEAR(found.critical_seconds(), 5 * (2000 + 3000) * 1e-9, 1e-12);
  EXPECT_NEAR(found.imbalance, 1, 1e-12);
  EXPECT_NEAR(found.window_imbalance, 1.25, 1e-12);
  // Between GPU 0 and the switch 400 and 100 messages in ten windows: both ranks handle 50 a
  // window, 40 of them in one direction.
  EXPECT_DOUBLE_EQ(found.messages, 500);
  EXPECT_NEAR(found.partners, 1, 1e-12) << "nothing is so rare that a window would be without";
  const double batches = 2 * 0.25e-6 * 10, copies = 50e-9 * 10, wire = 40 * 10e-9 * 10;
  EXPECT_NEAR(found.message_seconds, batches + copies + wire, 1e-12);
  EXPECT_NEAR(found.sync_seconds, 10 * 1e-6, 1e-12) << "the agreement travels in the batches";
  EXPECT_NEAR(found.seconds, 25e-6 + batches + copies + wire + 10e-6, 1e-12);
  EXPECT_NEAR(found.speedup, 40e-6 / found.seconds, 1e-12);
  EXPECT_NEAR(found.efficiency, found.speedup / 2, 1e-12);
}

TEST(Scaling, OneRankIsItself) {
  const ScalingForecast found = Forecast(PairProfile(), ScalingPair(), {}, SimpleNetwork());
  EXPECT_NEAR(found.seconds, 40e-6, 1e-12);
  EXPECT_NEAR(found.efficiency, 1, 1e-12);
  EXPECT_EQ(found.messages, 0);
}

/// A chain of switches, each with a GPU that sends 8 messages a window to its neighbour on the
/// left, and at some intervals others.
struct Chain {
  static constexpr std::uint32_t kGpus = 64;
  explicit Chain(double for_others) : graph(kGpus, 0, kGpus, 1, "X") {
    for (std::uint32_t i = 0; i < kGpus; ++i) Connect(&graph, i, kGpus + i);
    for (std::uint32_t i = 0; i + 1 < kGpus; ++i) Connect(&graph, kGpus + i, kGpus + i + 1);
    profile.lookahead = NanoSeconds(500);
    profile.windows = 1;
    profile.events.assign(MakeDomains(graph, {}).nodes.size(), 1);
    profile.measured_events = profile.measured_ns = profile.events;
    profile.samples = {{Time{0}, {{0, 1}}}};
    for (std::uint32_t i = 1; i < kGpus; ++i) profile.streams.push_back({i, i - 1, 8});
    for (std::uint32_t i = 0; for_others > 0 && i < kGpus; ++i)
      profile.streams.push_back({0, i, for_others});
  }
  ScalingForecast On(std::uint32_t ranks) const {
    ScalingPlan plan;
    plan.ranks = ranks;
    plan.grain = 1;
    NetworkModel network;
    network.message_seconds = 0;
    network.bytes_per_second = 1e18;
    return Forecast(profile, graph, plan, network);
  }
  Graph graph;
  RunProfile profile;
};

TEST(Scaling, WithFewPartnersBatchesGoToTheseOnly) {
  const Chain chain(0);
  const ScalingForecast few = chain.On(4);
  EXPECT_NEAR(few.message_seconds, 2 * 3 * 0.5e-6, 1e-12) << "with four ranks all are few enough";
  EXPECT_NEAR(few.sync_seconds, 2e-6, 1e-12);
  const ScalingForecast many = chain.On(64);
  EXPECT_NEAR(many.partners, 1, 0.001);
  EXPECT_NEAR(many.message_seconds, (2 + 2 * 6) * 0.5e-6, 1e-8)
      << "one sent, one got, and six steps of the agreement";
  EXPECT_NEAR(many.sync_seconds, 6 * 2e-6, 1e-12);
}

TEST(Scaling, WithManyPartnersBatchesGoToAll) {
  const ScalingForecast found = Chain(8).On(64);
  EXPECT_NEAR(found.partners, 63, 0.1);
  EXPECT_NEAR(found.message_seconds, 2 * 63 * 0.5e-6, 1e-9);
  EXPECT_NEAR(found.sync_seconds, 2e-6, 1e-12);
}

TEST(RankTraffic, CountsPartnersByChance) {
  RunProfile profile;
  profile.windows = 10;
  profile.streams = {{0, 1, 10}, {0, 2, 1}, {1, 2, 100}, {2, 3, 1000}};
  const RankTraffic traffic(profile, {0, 1, 2, 2}, 3);
  EXPECT_DOUBLE_EQ(traffic.messages(), 111);
  EXPECT_DOUBLE_EQ(traffic.out(0), 1.1);
  EXPECT_DOUBLE_EQ(traffic.in(2), 10.1);
  const Partners& mean = traffic.PartnersAt(1);
  EXPECT_NEAR(mean.out[0], 1 - std::exp(-1) + 1 - std::exp(-0.1), 1e-12);
  EXPECT_NEAR(mean.in[2], 1 - std::exp(-0.1) + 1 - std::exp(-10), 1e-12);
  EXPECT_NEAR(mean.most, 1 - std::exp(-10), 1e-12);
  EXPECT_NEAR(traffic.PartnersAt(1000).most, 2, 1e-9);
  EXPECT_NEAR(traffic.PartnersAt(0).most, 0, 1e-30);
}

/// A fabric of 32 servers; the first half has all the load.
struct HalfLoaded {
  HalfLoaded() {
    LeafSpineOptions options = FindTemplate("AlibabaHPN-DualPlane").defaults;
    options.gpus = 256;
    options.nics_per_leaf = 8;
    options.spine_switches = 16;
    graph = std::make_unique<Graph>(Generate("AlibabaHPN-DualPlane", options));
    const Domains domains = MakeDomains(*graph, {});
    profile.lookahead = NanoSeconds(500);
    profile.windows = 2;
    profile.samples.resize(2);
    for (std::uint32_t domain = 0; domain < domains.nodes.size(); ++domain) {
      const std::uint32_t events = domain < 16 ? 1000 : 1;
      profile.events.push_back(2.0 * events);
      for (auto& sample : profile.samples) sample.runs.push_back({domain, events});
    }
    profile.measured_events = profile.events;
    for (const double events : profile.events) profile.measured_ns.push_back(100 * events);
  }
  std::unique_ptr<Graph> graph;
  RunProfile profile;
};

class WeightedPartition : public ::testing::TestWithParam<std::string> {};

TEST_P(WeightedPartition, BalancesWhatWasMeasured) {
  const HalfLoaded half;
  ScalingPlan plan;
  plan.ranks = 4;
  plan.partitioner = GetParam();
  plan.measured_weights = false;
  const ScalingForecast by_rate = Forecast(half.profile, *half.graph, plan, {});
  plan.measured_weights = true;
  const ScalingForecast by_cost = Forecast(half.profile, *half.graph, plan, {});
  EXPECT_GT(by_rate.imbalance, 1.9);
  EXPECT_LT(by_cost.imbalance, 1.1);
  EXPECT_GT(by_cost.speedup, by_rate.speedup);
}

INSTANTIATE_TEST_SUITE_P(All, WeightedPartition, ::testing::Values("block", "metis"),
                         [](const auto& name) { return name.param; });

TEST(RunProfile, FinerDomainsThanThoseProfiledAreAnError) {
  HalfLoaded half;
  const std::size_t all = half.profile.events.size();
  half.profile.grain = 4;
  for (auto* values :
       {&half.profile.events, &half.profile.measured_events, &half.profile.measured_ns}) {
    values->resize((all + 3) / 4);
  }
  half.profile.samples = {{Time{0}, {{0, 1}}}};
  ScalingPlan plan;
  plan.ranks = 2;
  plan.grain = 8;
  EXPECT_NO_THROW(Forecast(half.profile, *half.graph, plan, {}));
  plan.grain = 2;
  EXPECT_THROW(Forecast(half.profile, *half.graph, plan, {}), UserError);
  half.profile.events.push_back(1);
  half.profile.events.push_back(1);
  EXPECT_THROW(DomainsOf(half.profile, *half.graph), UserError);
}

TEST(Scaling, AdviceTakesTheMostRanksThatAreEfficient) {
  std::vector<ScalingForecast> forecasts(3);
  forecasts[0].ranks = 2, forecasts[0].efficiency = 0.9, forecasts[0].seconds = 5;
  forecasts[1].ranks = 4, forecasts[1].efficiency = 0.75, forecasts[1].seconds = 3;
  forecasts[2].ranks = 8, forecasts[2].efficiency = 0.5, forecasts[2].seconds = 2;
  EXPECT_EQ(WorthIt(forecasts, 0.7)->ranks, 4u);
  EXPECT_EQ(WorthIt(forecasts, 0.95), nullptr);
  EXPECT_EQ(Fastest(forecasts)->ranks, 8u);
  EXPECT_EQ(Fastest({}), nullptr);
  EXPECT_EQ(RanksToTry(9), (std::vector<std::uint32_t>{2, 4, 8}));
  EXPECT_EQ(RanksToTry(5000).back(), 1024u);
}

TEST(DomainGrain, ManyRanksGetDomainsOfTheirOwn) {
  LeafSpineOptions options = FindTemplate("AlibabaHPN-DualPlane").defaults;
  const Graph graph = Generate("AlibabaHPN-DualPlane", options);
  DomainOptions cut;
  cut.grain = DomainOptions::kAutoGrain;
  const std::size_t on_one = MakeDomains(graph, cut).nodes.size();
  EXPECT_EQ(on_one, 380u) << "runs of six";
  for (const std::uint32_t ranks : {2, 8, 64, 1024}) {
    cut.ranks = ranks;
    EXPECT_GE(MakeDomains(graph, cut).nodes.size(), std::min<std::size_t>(16 * ranks, 2280))
        << ranks;
  }
}

}  // namespace
}  // namespace heddle
