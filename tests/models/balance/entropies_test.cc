// SPDX-License-Identifier: GPL-2.0-only
/// Entropies in whole runs (docs/models/entropies.md): what spraying by NICs gains, what it asks of
/// receivers, which schemes leave slow and dead paths, and that it costs nothing where there is
/// nothing to choose.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/options/enum_words.h"
#include "tests/support/leaf_spine.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

const char* const kSpraying[] = {"oblivious", "bitmap", "reps", "mixed", "mrc"};
const char* const kEntropiesSchemes[] = {"flow",  "oblivious", "bitmap", "reps",
                                         "mixed", "plb",       "mrc"};

enum class Loss { kGoBack, kSelective };

TransportOptions By(const std::string& scheme, std::int64_t reorder, Loss loss = Loss::kGoBack) {
  TransportOptions options = Unlimited();
  options.entropy.scheme = *FindWord<EntropyOptions::Scheme>(scheme);
  options.reliability.reorder = reorder;
  options.reliability.selective_repeat = loss == Loss::kSelective;
  return options;
}

double EntropiesLastFct(const Observed& o) {
  const auto& fct = GetColumn<std::int64_t>(o.flows, "fct_ps");
  return static_cast<double>(*std::max_element(fct.begin(), fct.end()));
}

/// 32 hosts at 4 leaves, as many spines as hosts of a leaf.
const LeafSpine kEntropiesFull{4, 8, 8};
constexpr std::int64_t kEntropiesSize = 9'000'000;
/// 1,000 packets at 100 Gbps: 724.16 us on the wire.
constexpr double kLine = 1000 * static_cast<double>(kTx);

Observed EntropiesPermuted(const TransportOptions& options) {
  return Simulate(kEntropiesFull.Build(),
                  Permutation(kEntropiesFull.hosts(), Bytes{kEntropiesSize}, 3), options);
}

TEST(Entropies, BringAPermutationToLineRate) {
  const double hash = EntropiesLastFct(EntropiesPermuted(By("flow", 0)));
  for (const Loss loss : {Loss::kGoBack, Loss::kSelective}) {
    for (const char* scheme : kSpraying) {
      const Observed outcome = EntropiesPermuted(By(scheme, 512, loss));
      EXPECT_TRUE(AllFinished(outcome));
      EXPECT_LT(EntropiesLastFct(outcome), kLine / 0.9) << scheme;
      EXPECT_LT(EntropiesLastFct(outcome), 0.6 * hash) << scheme;
      EXPECT_GT(outcome.books.most_held, 0) << scheme;
      EXPECT_EQ(outcome.books.resent_bytes, 0) << scheme;
    }
  }
}

TEST(Entropies, GoBackNSuffers) {
  const Observed strict = EntropiesPermuted(By("oblivious", 0)),
                 placed = EntropiesPermuted(By("oblivious", 512));
  EXPECT_GT(strict.books.nacks, 10);
  EXPECT_GT(strict.books.resent_bytes, 0);
  EXPECT_GT(EntropiesLastFct(strict), 2 * EntropiesLastFct(placed));
}

TEST(Entropies, CostNothingWithoutAChoice) {
  // A bottleneck that marks, drops nothing, and has one way: every algorithm hears the same ACKs.
  for (const int mode : {0, 1, 3, 7, 8, 10}) {
    const auto alone = [mode](const std::string& scheme) {
      TransportOptions options = By(scheme, 64);
      options.has_window = true;
      options.congestion.mode = mode;
      return Fct(Simulate(Row({{400}, {100}, {100}}), {Flow(0, 1, 4'500'000)}, options), 0);
    };
    const std::int64_t flow = alone("flow");
    for (const char* scheme : kEntropiesSchemes)
      EXPECT_EQ(alone(scheme), flow) << scheme << " " << mode;
  }
}

TEST(Entropies, CostNothingOnPathsThatAreFree) {
  const auto alone = [](const std::string& scheme) {
    return static_cast<double>(
        Fct(Simulate(kEntropiesFull.Build(), {Flow(0, 31, kEntropiesSize)}, By(scheme, 64)), 0));
  };
  const double flow = alone("flow");
  for (const char* scheme : kEntropiesSchemes)
    EXPECT_NEAR(alone(scheme), flow, 0.001 * flow) << scheme;
}

TEST(Entropies, WorkWithWindowAndRateControl) {
  for (const Loss loss : {Loss::kGoBack, Loss::kSelective}) {
    const auto last = [loss](const std::string& scheme) {
      TransportOptions options;
      options.entropy.scheme = *FindWord<EntropyOptions::Scheme>(scheme);
      options.reliability.reorder = 512;
      options.reliability.selective_repeat = loss == Loss::kSelective;
      const Observed outcome = EntropiesPermuted(options);
      EXPECT_TRUE(AllFinished(outcome)) << scheme;
      EXPECT_EQ(outcome.books.timeouts, 0) << scheme;
      return EntropiesLastFct(outcome);
    };
    const double flow = last("flow");
    for (const char* scheme : kSpraying) EXPECT_LT(last(scheme), 0.8 * flow) << scheme;
  }
}

/// 16 hosts at two leaves, eight spines; one has links of this rate. Link 16 is leaf 16's to it.
Graph OneSpineOf(std::int64_t gbps) {
  Graph graph(16, 0, 2 + 8, 1, "X");
  for (std::uint32_t gpu = 0; gpu < 16; ++gpu)
    graph.AddLink({NodeId(gpu), NodeId(16 + gpu / 8), BitRate{100 * kG}, PicoSeconds(kMicro), 0});
  for (std::uint32_t spine = 0; spine < 8; ++spine) {
    for (std::uint32_t leaf = 0; leaf < 2; ++leaf)
      graph.AddLink({NodeId(16 + leaf), NodeId(18 + spine), BitRate{(spine == 0 ? gbps : 100) * kG},
                     PicoSeconds(kMicro), 0});
  }
  return graph;
}
constexpr std::uint32_t kUplink = 16;
/// Six flows from one leaf to the other, which has eight uplinks.
std::vector<FlowRequest> Six() {
  std::vector<FlowRequest> flows;
  for (std::uint32_t gpu = 0; gpu < 6; ++gpu) flows.push_back(Flow(gpu, 8 + gpu, kEntropiesSize));
  return flows;
}

TEST(Entropies, SomeLeaveASlowPath) {
  const auto last = [](const std::string& scheme) {
    return EntropiesLastFct(Simulate(OneSpineOf(25), Six(), By(scheme, 2048)));
  };
  // An eighth of 600 Gbps is three times what the slow uplink takes.
  const double oblivious = last("oblivious");
  EXPECT_GT(oblivious, 2.5 * kLine);
  EXPECT_LT(last("bitmap"), 0.8 * oblivious);
  EXPECT_LT(last("mrc"), 0.97 * oblivious);
  EXPECT_LT(last("reps"), kLine / 0.9);
  EXPECT_LT(last("mixed"), kLine / 0.9);
  EXPECT_LT(last("plb"), 0.5 * last("flow"));
}

/// The uplink goes down at 50 us, and routes do not follow.
Observed Failing(const std::string& scheme, std::int64_t back = 0) {
  TransportOptions options = By(scheme, 64, Loss::kSelective);
  options.convergence = MicroSeconds(50'000'000);
  options.pfc.enabled = false;
  options.reliability.timeout = MicroSeconds(100);
  options.entropy.mrc_probe_interval = MicroSeconds(12);  // a round trip takes 9
  std::vector<LinkEvent> events = Outage(kUplink, 50 * kMicro, back);
  if (back == 0) events.pop_back();
  return RunWith(OneSpineOf(100), Six(), options, events);
}

TEST(Entropies, SomeLeaveADeadPath) {
  EXPECT_FALSE(AllFinished(Failing("flow")));
  const Observed oblivious = Failing("oblivious");
  EXPECT_GT(oblivious.books.dropped_packets, 500);
  const std::pair<const char*, std::int64_t> most[] = {
      {"bitmap", 2}, {"mrc", 2}, {"reps", 10}, {"mixed", 10}, {"plb", 2}};
  for (const auto& [scheme, fewer] : most) {
    const Observed outcome = Failing(scheme);
    EXPECT_TRUE(AllFinished(outcome)) << scheme;
    EXPECT_LT(outcome.books.dropped_packets * fewer, oblivious.books.dropped_packets) << scheme;
    EXPECT_LT(EntropiesLastFct(outcome), EntropiesLastFct(oblivious)) << scheme;
  }
}

TEST(Entropies, ProbesBringAPathBack) {
  const auto sent = [](const Observed& o) { return PortFigure(o, 16, 8, "sent_packets"); };
  const Observed gone = Failing("mrc"), back = Failing("mrc", 250 * kMicro);
  EXPECT_TRUE(AllFinished(back));
  EXPECT_LT(sent(gone), 150);
  EXPECT_GT(sent(back), sent(gone) + 100);
}

TEST(Entropies, ChooseNoNicPort) {
  // The queue pair keeps its NIC port and the receiver one for the ACKs.
  for (const NicPorts ports : {NicPorts::kHash, NicPorts::kRoundRobin}) {
    TransportOptions options = By("oblivious", 64);
    options.nic.ports = ports;
    const Observed outcome = Simulate(TwoPorts(), {Flow(0, 1, 900'000)}, options);
    for (const std::uint32_t gpu : {0U, 1U}) {
      const std::int64_t first = PortFigure(outcome, gpu, 0, "sent_packets");
      const std::int64_t second = PortFigure(outcome, gpu, 1, "sent_packets");
      EXPECT_EQ(std::min(first, second), 0) << ToText(ports);
      EXPECT_EQ(std::max(first, second), 100) << ToText(ports);
    }
    const bool in_turn = ports == NicPorts::kRoundRobin;
    if (!in_turn) continue;
    EXPECT_EQ(PortFigure(outcome, 0, 0, "sent_packets"), PortFigure(outcome, 1, 0, "sent_packets"));
  }
}

}  // namespace
}  // namespace heddle::testing
