// SPDX-License-Identifier: GPL-2.0-only
/// Many paths in whole runs (docs/models/balancing.md): what spraying gains, what it asks of
/// receivers, and that it costs nothing where there is nothing to choose.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/options/enum_words.h"
#include "tests/support/leaf_spine.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

const char* const kSchemes[] = {"random",   "round-robin",      "flowlet",
                                "adaptive", "adaptive-flowlet", "hash"};

TransportOptions Sprayed(const std::string& scheme, std::int64_t reorder) {
  TransportOptions options = Unlimited();
  options.balance.scheme = *FindWord<PortOptions::Scheme>(scheme);
  options.reliability.reorder = reorder;
  return options;
}

std::int64_t LastFct(const Observed& o) {
  const auto& fct = GetColumn<std::int64_t>(o.flows, "fct_ps");
  return *std::max_element(fct.begin(), fct.end());
}

/// 32 hosts at 4 leaves, as many spines as hosts of a leaf.
const LeafSpine kFull{4, 8, 8};
constexpr std::int64_t kSize = 9'000'000;

Observed BalancingPermuted(const TransportOptions& options) {
  return Simulate(kFull.Build(), Permutation(kFull.hosts(), Bytes{kSize}, 3), options);
}

TEST(Spraying, BringsAPermutationToLineRate) {
  // 1,000 packets at 100 Gbps: 724.16 us on the wire.
  const double line = 1000 * static_cast<double>(kTx);
  for (const char* scheme : {"round-robin", "adaptive"}) {
    const Observed outcome = BalancingPermuted(Sprayed(scheme, 512));
    EXPECT_TRUE(AllFinished(outcome));
    EXPECT_LT(static_cast<double>(LastFct(outcome)), line / 0.97) << scheme;
    EXPECT_GT(outcome.books.most_held, 0) << scheme;
    EXPECT_EQ(outcome.books.resent_bytes, 0) << scheme;
  }
  EXPECT_GT(static_cast<double>(LastFct(BalancingPermuted(Sprayed("hash", 0)))), 1.6 * line);
}

TEST(Spraying, GoBackNSuffers) {
  const Observed strict = BalancingPermuted(Sprayed("round-robin", 0)),
                 placed = BalancingPermuted(Sprayed("round-robin", 512));
  EXPECT_GT(strict.books.nacks, 10);
  EXPECT_GT(strict.books.resent_bytes, 0);
  EXPECT_GT(LastFct(strict), 2 * LastFct(placed));
}

TEST(Spraying, CostsNothingWithoutAChoice) {
  const auto alone = [](const std::string& scheme) {
    return Fct(Simulate(Row({{100}, {100}, {100}}), {Flow(0, 1, 900'000)}, Sprayed(scheme, 64)), 0);
  };
  const std::int64_t hash = alone("hash");
  for (const char* scheme : kSchemes) EXPECT_EQ(alone(scheme), hash) << scheme;
}

TEST(Spraying, CostsNothingOnPathsThatAreFree) {
  const auto alone = [](const std::string& scheme) {
    return Fct(Simulate(kFull.Build(), {Flow(0, 31, kSize)}, Sprayed(scheme, 64)), 0);
  };
  const std::int64_t hash = alone("hash");
  for (const char* scheme : kSchemes)
    EXPECT_NEAR(static_cast<double>(alone(scheme)), static_cast<double>(hash),
                0.001 * static_cast<double>(hash))
        << scheme;
}

TEST(Spraying, OnlyTheSelectedLevelSprays) {
  // Leaves choose a spine; spines have one way down. Selected are the spines.
  TransportOptions options = Sprayed("random", 64);
  options.balance.levels = "2";
  const Observed none = BalancingPermuted(options), hash = BalancingPermuted(Sprayed("hash", 64));
  EXPECT_EQ(GetColumn<std::int64_t>(none.flows, "fct_ps"),
            GetColumn<std::int64_t>(hash.flows, "fct_ps"));
  options.balance.levels = "1";
  EXPECT_GT(BalancingPermuted(options).books.most_held, 0);
}

TEST(Adaptive, GoesRoundASlowPath) {
  // One of eight spines at a quarter of the rate. Round robin waits for it, adaptive does not.
  const auto last = [](const std::string& scheme) {
    Graph graph(16, 0, 2 + 8, 1, "X");
    for (std::uint32_t gpu = 0; gpu < 16; ++gpu)
      graph.AddLink({NodeId(gpu), NodeId(16 + gpu / 8), BitRate{100 * kG}, PicoSeconds(kMicro), 0});
    for (std::uint32_t spine = 0; spine < 8; ++spine) {
      for (std::uint32_t leaf = 0; leaf < 2; ++leaf)
        graph.AddLink({NodeId(16 + leaf), NodeId(18 + spine), BitRate{(spine == 0 ? 25 : 100) * kG},
                       PicoSeconds(kMicro), 0});
    }
    std::vector<FlowRequest> flows;
    for (std::uint32_t gpu = 0; gpu < 6; ++gpu) flows.push_back(Flow(gpu, 8 + gpu, kSize));
    TransportOptions options = Sprayed(scheme, 2048);
    options.pfc.enabled = false;
    return LastFct(Simulate(graph, flows, options));
  };
  // Six flows of eight ports' worth: an eighth of 600 Gbps is three times what the slow one takes.
  EXPECT_GT(last("round-robin"), 2 * last("adaptive"));
}

TEST(Weighted, FollowsTheRates) {
  // Two ways of 100 and 300 Gbps: a quarter of many flows takes the first.
  Graph graph(2, 0, 4, 1, "X");
  graph.AddLink({NodeId(0), NodeId(2), BitRate{400 * kG}, PicoSeconds(kMicro), 0});
  graph.AddLink({NodeId(1), NodeId(3), BitRate{400 * kG}, PicoSeconds(kMicro), 0});
  for (const std::uint32_t leaf : {2U, 3U}) {
    graph.AddLink({NodeId(leaf), NodeId(4), BitRate{100 * kG}, PicoSeconds(kMicro), 0});
    graph.AddLink({NodeId(leaf), NodeId(5), BitRate{300 * kG}, PicoSeconds(kMicro), 0});
  }
  std::vector<FlowRequest> flows(400, Flow(0, 1, 9000));
  TransportOptions options = Unlimited();
  const auto slow = [&](bool weighted) {
    options.balance.weighted = weighted;
    return PortFigure(Simulate(graph, flows, options), 2, 1, "sent_packets");
  };
  EXPECT_NEAR(static_cast<double>(slow(false)), 200, 40);
  EXPECT_NEAR(static_cast<double>(slow(true)), 100, 35);
}

TEST(Weighted, SparesASpineThatHasLostACable) {
  // Two spines with two cables to each of two leaves; one cable from spine 4 to the receivers' leaf
  // is lost. By weight the spine gets a third, which is what it can carry on.
  Graph graph(8, 0, 4, 1, "X");
  for (std::uint32_t gpu = 0; gpu < 8; ++gpu)
    graph.AddLink({NodeId(gpu), NodeId(8 + gpu / 4), BitRate{100 * kG}, PicoSeconds(kMicro), 0});
  for (const std::uint32_t leaf : {8U, 9U}) {
    for (const std::uint32_t spine : {10U, 10U, 11U, 11U})
      graph.AddLink({NodeId(leaf), NodeId(spine), BitRate{100 * kG}, PicoSeconds(kMicro), 0});
  }
  FailureEvent lost;
  lost.what = FailureEvent::What::kLinkDown;
  lost.a = NodeId(9);
  lost.b = NodeId(10);
  lost.cable = 0;
  std::vector<FlowRequest> flows;
  for (std::uint32_t gpu = 0; gpu < 3; ++gpu) flows.push_back(Flow(gpu, 4 + gpu, kSize, 3, kMicro));
  const auto run = [&](bool weighted) {
    TransportOptions options = Sprayed("random", 512);
    options.balance.weighted = weighted;
    Scenario scenario{options, RunPlan{}};
    scenario.failures = ExpandFailures(graph, {lost});
    return Simulate(graph, flows, scenario);
  };
  const Observed evenly = run(false), weighted = run(true);
  const auto to_spine = [](const Observed& o) {  // ports 4 and 5 of leaf 8 lead to spine 10
    return static_cast<double>(PortFigure(o, 8, 4, "sent_packets") +
                               PortFigure(o, 8, 5, "sent_packets"));
  };
  const double all = 3 * 1000;
  EXPECT_NEAR(to_spine(evenly), all / 2, 150);
  EXPECT_NEAR(to_spine(weighted), all / 3, 150);
  EXPECT_LT(1.2 * static_cast<double>(LastFct(weighted)), static_cast<double>(LastFct(evenly)));
}

}  // namespace
}  // namespace heddle::testing
