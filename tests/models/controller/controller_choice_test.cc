// SPDX-License-Identifier: GPL-2.0-only
/// The source ports that the central controller chooses, which flows ask for one, and that packets
/// follow the chosen paths.
#include <map>
#include <set>

#include "tests/models/controller/controlled.h"
#include "tests/support/simulate_jobs.h"
#include "topology/paths/path_tracer.h"

namespace heddle::testing {
namespace {

std::vector<PortName> Traced(const Graph& graph, const Routes& routes, const Choice& choice,
                             std::uint32_t port) {
  std::vector<PortName> path;
  for (const Hop& hop :
       TracePath(graph, routes, NodeId(choice.source), NodeId(choice.destination),
                 static_cast<std::uint16_t>(port), FlowRequest().destination_port)) {
    if (!graph.is_gpu(hop.node)) path.emplace_back(hop.node.value, hop.port.value);
  }
  return path;
}

TEST(ControllerChoice, SimultaneousRequestsAreDecidedByGpuAndNumber) {
  // In the order of the input: GPU 3 first, and its later request before the earlier.
  const Observed outcome =
      Simulate(TwoLeaves(4).Build(),
               {Flow(3, 0, 9000, 3, 7 * kMicro), Flow(3, 1, 9000, 3, 6 * kMicro),
                Flow(1, 2, 9000, 3, 6 * kMicro), Flow(1, 3, 9000, 3, 6 * kMicro),
                Flow(0, 3, 9000, 3, 6 * kMicro)},
               Controlled());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
  for (const Choice& choice : Choices(outcome)) order.emplace_back(choice.source, choice.request);
  EXPECT_EQ(order, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                       {0, 0}, {1, 0}, {1, 1}, {3, 1}, {3, 0}}));
  EXPECT_EQ(WhatIsWrongWith(Choices(outcome)), "");
}

TEST(ControllerChoice, TheSecondSeedsExperiment) {
  // Its section 7.1: mostly ports 1 and 2; every spine carries one flow, and every flow takes as
  // long as alone (850 us).
  const Graph graph = SpecificationFabric();
  std::vector<FlowRequest> flows;
  for (std::uint32_t i = 0; i < 8; ++i)
    flows.push_back(Flow(i, i + 8, 1000 * 9000, 3, kSendLatency));
  const Observed outcome = Simulate(graph, flows, Controlled());
  const std::vector<Choice> choices = Choices(outcome);
  ASSERT_EQ(choices.size(), 8U);
  const std::uint32_t ports[] = {1, 1, 1, 1, 2, 4, 2, 1},
                      spines[] = {27, 20, 23, 24, 25, 22, 21, 26};
  const std::int64_t alone = 1003 * kTx + 4 * 500'000 + 4 * (kAckTx + 500'000);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(choices[i].source_port, ports[i]) << i;
    EXPECT_EQ(SourcePort(outcome, i), ports[i]) << i;
    EXPECT_EQ(SpineOf(choices[i]), spines[i]) << i;
    EXPECT_GE(Fct(outcome, i), alone) << i;
    EXPECT_LE(Fct(outcome, i), alone + 7 * kAckTx)
        << i << ": ACKs of others on its ACKs' spine at most";
  }
  EXPECT_EQ(WhatIsWrongWith(choices), "");
}

TEST(ControllerChoice, EveryFreePathIsThatOfTheLowestPort) {
  const LeafSpine shape{4, 3, 4, BitRate{100 * kG}, NanoSeconds(500)};
  const Graph graph = shape.Build();
  const Routes routes(graph);
  const Observed outcome = Simulate(graph, Bursts(12, 120, 300'000, 11), Controlled());
  const std::vector<Choice> choices = Choices(outcome);
  std::size_t free = 0, taken = 0;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const Choice& choice = choices[i];
    std::set<PortName> held;
    for (std::size_t j = 0; j < i; ++j) {
      if (choices[j].released <= choice.decided) continue;
      for (std::size_t hop = 0; hop + 1 < choices[j].path.size(); ++hop)
        held.insert(choices[j].path[hop]);
    }
    const auto is_free = [&](const std::vector<PortName>& path) {
      return std::none_of(path.begin(), path.end() - 1,
                          [&](const PortName& hop) { return held.count(hop) > 0; });
    };
    if (choice.outcome == 0) {
      ++free;
      EXPECT_EQ(Traced(graph, routes, choice, choice.source_port), choice.path) << "row " << i;
      EXPECT_TRUE(is_free(choice.path)) << "row " << i;
      EXPECT_EQ(choice.candidates, choice.source_port);
    } else {
      ++taken;
      EXPECT_EQ(choice.candidates, 65534U);
    }
    // Four spines: about 60 source ports reach all of them.
    const std::uint32_t end = choice.outcome == 0 ? choice.source_port : 60;
    for (std::uint32_t port = 1; port < end; ++port) {
      EXPECT_FALSE(is_free(Traced(graph, routes, choice, port))) << "row " << i << " port " << port;
    }
  }
  EXPECT_GT(free, 20U);
  EXPECT_GT(taken, 10U);
}

TEST(ControllerChoice, PacketsTakeThePathThatIsHeld) {
  // One flow at a time: ports of its path towards the receiver send each packet once; other ports
  // send only ACKs.
  const Graph graphs[] = {TwoLeaves(4).Build(), SpecificationFabric()};
  for (const Graph& graph : graphs) {
    for (std::uint32_t from = 0; from < graph.gpu_count() / 2; ++from) {
      for (std::uint32_t to = graph.gpu_count() / 2; to < graph.gpu_count(); to += 3) {
        const Observed outcome =
            Simulate(graph, {Flow(from, to, 40 * 9000, 3, kSendLatency)}, Controlled());
        const Choice choice = Choices(outcome).at(0);
        ASSERT_EQ(choice.path.size(), 3U);
        for (const PortName& hop : choice.path) {
          EXPECT_EQ(PortFigure(outcome, hop.first, hop.second, "sent_bytes"), 40 * 9052)
              << from << " to " << to;
        }
      }
    }
  }
}

TEST(ControllerChoice, TheDestinationPortCountsForTheHash) {
  std::set<std::uint32_t> spines;
  for (const std::uint16_t destination_port : {100, 4791, 5000, 6000, 65535}) {
    FlowRequest flow = Flow(0, 2, 40 * 9000, 3, kSendLatency);
    flow.destination_port = destination_port;
    const Observed outcome = Simulate(TwoLeaves(4).Build(), {flow}, Controlled());
    const Choice choice = Choices(outcome).at(0);
    EXPECT_EQ(choice.source_port, 1U);
    for (const PortName& hop : choice.path) {
      EXPECT_EQ(PortFigure(outcome, hop.first, hop.second, "sent_bytes"), 40 * 9052)
          << destination_port;
    }
    spines.insert(SpineOf(choice));
  }
  EXPECT_GT(spines.size(), 1U);
}

TEST(ControllerChoice, FallsBackToTheHostsOwnPort) {
  // Two spines: the third flow of GPU 0 finds its leaf's uplinks reserved, and gets the port that
  // it would have without a controller. Ports of a pair count from 10000: 10002 is the third flow
  // to GPU 2.
  std::vector<FlowRequest> flows(3, Flow(0, 2, 90'000, 3, kSendLatency));
  const Observed without = Simulate(TwoLeaves(2).Build(), flows, Unlimited());
  EXPECT_EQ(SourcePort(without, 2), 10002U);
  const Observed outcome = Simulate(TwoLeaves(2).Build(), flows, Controlled());
  const std::vector<Choice> choices = Choices(outcome);
  ASSERT_EQ(choices.size(), 3U);
  EXPECT_EQ(choices[0].outcome, 0);
  EXPECT_EQ(choices[1].outcome, 0);
  EXPECT_NE(SpineOf(choices[0]), SpineOf(choices[1]));
  EXPECT_EQ(choices[2].outcome, 1);
  EXPECT_EQ(choices[2].source_port, 0U);
  EXPECT_EQ(choices[2].candidates, 65534U);
  EXPECT_EQ(choices[2].released, -1);
  EXPECT_TRUE(choices[2].path.empty());
  EXPECT_EQ(SourcePort(outcome, 2), 10002U);
  EXPECT_EQ(Request(outcome, 2), 2U);
  EXPECT_EQ(WhatIsWrongWith(choices), "");
}

TEST(ControllerChoice, FallsBackToTheLeastLoadedPath) {
  // Seven flows over two spines: 4 and 3 of them on each.
  TransportOptions options = Controlled();
  options.controller.fallback = ControllerOptions::Fallback::kLeastLoaded;
  const Observed outcome =
      Simulate(TwoLeaves(2).Build(),
               std::vector<FlowRequest>(7, Flow(0, 2, 90'000, 3, kSendLatency)), options);
  const std::vector<Choice> choices = Choices(outcome);
  ASSERT_EQ(choices.size(), 7U);
  std::map<std::uint32_t, int> flows;
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(choices[i].outcome, i < 2 ? 0 : 2) << i;
    EXPECT_EQ(SourcePort(outcome, i), choices[i].source_port) << i;
    const int here = ++flows[SpineOf(choices[i])];
    EXPECT_EQ(here, static_cast<int>(i / 2 + 1)) << i;
  }
  EXPECT_EQ(WhatIsWrongWith(choices), "");
}

struct Share {
  const char* limit;
  std::size_t fit;  ///< flows of 100 Gbps on a link of 100 Gbps, or of 400 where `wide`
  bool wide;
};

TEST(ControllerChoice, LinksAreSharedAsFarAsTheLimitGoes) {
  const Share shares[] = {{"1", 1, false},       {"2", 2, false},      {"3", 3, true},
                          {"100Gbps", 1, false}, {"199Gbps", 1, true}, {"200Gbps", 2, true},
                          {"400Gbps", 4, false}, {"50Gbps", 1, false}, {"line", 1, false},
                          {"line", 4, true}};
  for (const Share& share : shares) {
    // GPU 0 and 1 at leaf 2 and 3, spines 4 and 5.
    Graph graph(2, 0, 4, 1, "X");
    const auto add = [&](std::uint32_t a, std::uint32_t b, std::int64_t gbps) {
      graph.AddLink({NodeId(a), NodeId(b), BitRate{gbps * kG}, PicoSeconds(kMicro), 0});
    };
    add(0, 2, 100);
    add(1, 3, 100);
    for (std::uint32_t leaf : {2U, 3U}) {
      for (std::uint32_t spine : {4U, 5U}) add(leaf, spine, share.wide ? 400 : 100);
    }
    TransportOptions options = Controlled();
    options.controller.share = ParseShareLimit(share.limit);
    const std::size_t fit = 2 * share.fit;
    const Observed outcome = Simulate(
        graph, std::vector<FlowRequest>(fit + 1, Flow(0, 1, 9000, 3, kSendLatency)), options);
    const std::vector<Choice> choices = Choices(outcome);
    for (std::size_t i = 0; i <= fit; ++i) {
      EXPECT_EQ(choices.at(i).outcome, i < fit ? 0 : 1)
          << share.limit << " " << share.wide << " row " << i;
    }
    EXPECT_EQ(WhatIsWrongWith(choices, share.fit), "") << share.limit;
  }
}

TEST(ControllerChoice, PairsWithoutAChoiceDoNotAsk) {
  // Within a server (0 to 1), at one leaf (8 GPUs a leaf: only the server's own here), and over two
  // switches.
  const Observed inside = Simulate(
      SpecificationFabric(), {Flow(0, 1, 9000, 3, kSendLatency), Flow(0, 8, 9000, 3, kSendLatency)},
      Controlled());
  EXPECT_EQ(Choices(inside).size(), 1U);
  EXPECT_EQ(Request(inside, 0), kNoRequest);
  EXPECT_EQ(SourcePort(inside, 0), 10000U);
  EXPECT_EQ(Request(inside, 1), 1U);
  const Observed leaf =
      Simulate(TwoLeaves(2).Build(), {Flow(0, 1, 9000), Flow(3, 2, 9000)}, Controlled());
  EXPECT_TRUE(Choices(leaf).empty());
  EXPECT_EQ(Start(leaf, 0), 0) << "nobody to wait for";
  EXPECT_EQ(Request(leaf, 1), kNoRequest);
}

TEST(ControllerChoice, FlowsOfNvSwitchesDoNotAsk) {
  const Graph graph = SpecificationFabric();
  const std::uint32_t nvswitch = graph.gpu_count();
  ASSERT_EQ(graph.kind(NodeId(nvswitch)), NodeKind::kNvSwitch);
  const Observed outcome =
      Simulate(graph, {Flow(0, nvswitch, 9000), Flow(nvswitch, 1, 9000)}, Controlled());
  EXPECT_TRUE(Choices(outcome).empty());
  EXPECT_EQ(Request(outcome, 0), kNoRequest);
  EXPECT_EQ(Request(outcome, 1), kNoRequest);
  EXPECT_TRUE(AllFinished(outcome));
}

TEST(ControllerChoice, WithoutAControllerThereIsNothingToSee) {
  const Observed outcome = Simulate(TwoLeaves(2).Build(), {Flow(0, 2, 9000)}, Unlimited());
  EXPECT_TRUE(outcome.controller.empty());
  for (const Column& column : outcome.flows.columns) EXPECT_NE(column.name, "request");
}

TEST(ControllerChoice, WhatAFlowHeldIsFreeForTheNext) {
  // One after the other on the same way: each gets port 1. Two at once: the second gets another
  // one.
  const std::int64_t apart = kSendLatency + LoneFct(10) + 20 * kMicro;
  std::vector<FlowRequest> flows;
  for (int i = 0; i < 4; ++i) flows.push_back(Flow(0, 2, 90'000, 3, kSendLatency + i * apart));
  flows.push_back(Flow(1, 3, 9000, 3, kSendLatency + 3 * apart + kMicro));
  const Observed outcome = Simulate(TwoLeaves(3).Build(), flows, Controlled());
  const std::vector<Choice> choices = Choices(outcome);
  ASSERT_EQ(choices.size(), 5U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(choices[i].source_port, 1U);
    EXPECT_EQ(choices[i].path, choices[0].path);
    EXPECT_EQ(Fct(outcome, i), LoneFct(10));
  }
  EXPECT_NE(choices[4].path[0], choices[0].path[0]);
  EXPECT_EQ(WhatIsWrongWith(choices), "");
}

TEST(ControllerChoice, QueuePairsOfAMessageEachHaveAWay) {
  const LeafSpine shape{2, 1, 4, BitRate{100 * kG}, NanoSeconds(500)};
  const Graph graph = shape.Build();
  const Job job = MakeJob(graph,
                          "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2\n1\n"
                          "layer -1 1 ALLREDUCE 400000 1 NONE 0 1 NONE 0 1\n");
  TransportOptions options = Controlled();
  options.nic.qps_per_connection = 4;
  const Observed outcome = SimulateJobs(graph, {job}, options);
  const std::vector<Choice> choices = Choices(outcome);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::uint32_t>> spines, starts;
  const auto& source = GetColumn<std::uint32_t>(outcome.flows, "src");
  const auto& message = GetColumn<std::uint32_t>(outcome.flows, "message");
  for (std::size_t i = 0; i < source.size(); ++i) {
    EXPECT_LT(Request(outcome, i), 1000U);
    const auto choice = std::find_if(choices.begin(), choices.end(), [&](const Choice& c) {
      return c.source == source[i] && c.request == Request(outcome, i);
    });
    ASSERT_NE(choice, choices.end());
    EXPECT_EQ(SourcePort(outcome, i),
              choice->outcome == 0 ? choice->source_port : SourcePort(outcome, i));
    if (choice->outcome == 0) spines[{source[i], message[i]}].insert(SpineOf(*choice));
    starts[{source[i], message[i]}].insert(static_cast<std::uint32_t>(Start(outcome, i) / 1000));
  }
  EXPECT_EQ((spines[{0, 0}].size()), 4U) << "the first message has all four spines for itself";
  for (const auto& [name, when] : starts)
    EXPECT_EQ(when.size(), 1U) << "queue pairs of GPU " << name.first << " message " << name.second;
  EXPECT_EQ(WhatIsWrongWith(choices), "");
}

}  // namespace
}  // namespace heddle::testing
