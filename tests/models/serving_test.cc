// SPDX-License-Identifier: GPL-2.0-only
/// Instances that serve requests over small fabrics, with times by hand: by packets and as fluids.
#include <gtest/gtest.h>
#include <ns3/simulator.h>

#include "core/options/options.h"
#include "core/serving/serving_messages.h"
#include "partition/partition.h"
#include "tests/support/serving/simulate_serving.h"
#include "tests/support/serving/small_plan.h"
#include "tests/support/small_fabric.h"
#include "topology/graph/nvlink_groups.h"
#include "transport/run/backends/flow_backend.h"

namespace heddle::testing {
namespace {

constexpr InstanceRole kPrompts = InstanceRole::kPrefill, kAnswers = InstanceRole::kDecode;

TransportOptions Received() {
  TransportOptions options;
  OptionSet keys;
  options.Declare(&keys);
  keys.Set("flow.completion", "received", {"test", 0});
  return options;
}

/// Time of a message of one packet over two links, from its hand-over.
Time Message(const TransportOptions& options, std::int64_t bytes) {
  return options.send_latency + Time{2 * kMicro + 2 * (bytes + 52) * kPs};
}

std::vector<RequestTimes> TimesOf(const ServingPlan& plan, const ServingRequests& requests,
                                  const ServingDriver& driver) {
  TokenGaps gaps;
  return JoinRecords(plan, requests, driver.records(), &gaps);
}

std::vector<RequestTimes> ServeByFluids(const Graph& graph, const ServingPlan& plan,
                                        const ServingRequests& requests) {
  const TransportOptions options = Received();
  const Domains domains = MakeDomains(graph, {Time{0}, 1});
  const std::vector<RankId> ranks(domains.nodes.size(), RankId(0));
  const std::vector<LinkEvent> failures;
  FlowBackend backend(
      {graph, options, domains.domain_of, domains.nodes, ranks, RankId(0), 1, 1, failures});
  ServingDriver driver(plan, requests, options.send_latency, NvLinkGroups(graph));
  backend.Drive(&driver);
  backend.Run(EngineKind::kDomain, Communicator::Serial(), {});
  ns3::Simulator::Destroy();
  driver.CheckBlocks();
  EXPECT_EQ(driver.open(), 0U);
  return TimesOf(plan, requests, driver);
}

std::vector<RequestTimes> ServeByPackets(const Graph& graph, const ServingPlan& plan,
                                         const ServingRequests& requests) {
  const TransportOptions options = Received();
  ServingDriver driver(plan, requests, options.send_latency, NvLinkGroups(graph));
  SimulateDriven(graph, &driver, options);
  EXPECT_EQ(driver.open(), 0U);
  return TimesOf(plan, requests, driver);
}

// TTFT = prefill + offer + grant + KV + first step of the decode instance, to the picosecond.
TEST(Serving, OneRequestAlone) {
  const Graph graph = Row({{100}, {100}});
  const ServingPlan plan = PlanOf({kPrompts, kAnswers});
  const TransportOptions options = Received();
  const Time control = Message(options, kServingControlBytes);
  for (const auto& serve : {&ServeByPackets, &ServeByFluids}) {
    const RequestTimes times = serve(graph, plan, {{MicroSeconds(20), 100, 3}})[0];
    EXPECT_EQ(times.state, RequestState::kFinished);
    EXPECT_EQ(times.computed, MicroSeconds(20) + Time{StepOf(0, 100, true)});
    EXPECT_EQ(times.granted, times.computed + control);
    EXPECT_EQ(times.sending, times.granted + control);
    EXPECT_EQ(times.arrived, times.sending + Message(options, 7 * 16 * 4));
    EXPECT_EQ(times.first, times.arrived + Time{StepOf(99, 1, false)});
    EXPECT_EQ(times.last, times.first + Time{StepOf(100, 1, false) + StepOf(101, 1, false)});
  }
}

// Each of the two AllReduces of a step over two GPUs is two messages of half of the activations,
// one after the other; that the second GPU hears of the step late is hidden behind them. A packet
// may wait for an acknowledgement that leaves before it; fluids have none.
TEST(Serving, StepsThatSend) {
  const Graph graph = Row({{100}, {100}});
  ServingPlan plan = PlanOf({InstanceRole::kMixed});
  InstancePlan& instance = plan.instances[0];
  instance.gpus = {NodeId(0), NodeId(1)};
  instance.cost = SmallCost(2);
  StepProgram::Shape shape;
  shape.layers = 1;
  shape.token_bytes = 2000;
  instance.collectives = StepProgram(shape, LayOutStep({0, 1}));
  instance.collectives.messages = true;
  const TransportOptions options = Received();
  constexpr std::int64_t kMessages = 4;  // of a GPU in a step, which wait for each other
  std::vector<Time> ends = {MicroSeconds(20)};
  for (std::int64_t computed = 0; computed < 3; ++computed) {
    StepWork work;
    work.Add(computed, 1);
    ends.push_back(ends.back() + instance.cost.Of(work) + Message(options, 1000) * kMessages);
  }
  const RequestTimes fluid = ServeByFluids(graph, plan, {{ends[0], 1, 3}})[0];
  EXPECT_EQ(fluid.state, RequestState::kFinished);
  EXPECT_EQ(fluid.first, ends[1]);
  EXPECT_EQ(fluid.last, ends[3]);
  const RequestTimes packets = ServeByPackets(graph, plan, {{ends[0], 1, 3}})[0];
  EXPECT_EQ(packets.first, ends[1]);
  EXPECT_GE(packets.last, ends[3]);
  EXPECT_LE(packets.last, ends[3] + Time{2 * kMessages * kAckTx});
}

/// Two prefill instances send at one time to one decode instance.
std::vector<RequestTimes> TwoAtOnce(bool fluids, const std::vector<std::uint32_t>& inputs) {
  ServingPlan plan = PlanOf({kPrompts, kPrompts, kAnswers});
  for (InstancePlan& instance : plan.instances) {
    instance.blocks = 100'000;
    instance.limits.token_budget = 1'000'000;
  }
  ServingRequests requests;
  for (const std::uint32_t input : inputs) requests.push_back({Time{}, input, 2});
  const Graph graph = Star({{100}, {100}, {100}});
  return fluids ? ServeByFluids(graph, plan, requests) : ServeByPackets(graph, plan, requests);
}

// 100 packets each: the link to the decode instance carries 200, which takes twice as long.
TEST(Serving, TwoTransfersShareALink) {
  constexpr std::uint32_t kTokens = 224'992;  // 14,062 blocks of 64 bytes: 899,968 bytes
  for (const bool fluids : {false, true}) {
    const std::vector<RequestTimes> alone = TwoAtOnce(fluids, {kTokens});
    const std::vector<RequestTimes> both = TwoAtOnce(fluids, {kTokens, kTokens});
    const auto took = [](const RequestTimes& times) { return (times.arrived - times.sending).ps; };
    EXPECT_NEAR(static_cast<double>(took(alone[0])), 100.0 * kTx + 2 * kMicro, 15.0 * kTx);
    for (const RequestTimes& times : both) {
      EXPECT_NEAR(static_cast<double>(took(times) - took(alone[0])), 100.0 * kTx, 0.1 * 100 * kTx);
    }
  }
}

}  // namespace
}  // namespace heddle::testing
