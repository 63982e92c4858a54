// SPDX-License-Identifier: GPL-2.0-only
/// When flows ask the central controller, get its answer and start: by hand, and compared with the
/// same run without a controller.
#include <map>

#include "core/options/enum_words.h"
#include "tests/models/controller/controlled.h"
#include "tests/support/simulate_jobs.h"

namespace heddle::testing {
namespace {

TEST(ControllerTimes, AFlowAloneByHand) {
  // Handed over at 14 us, when it asks; the controller has the request 1 us later, the host has the
  // answer at 16 us and starts the flow at 20 us nevertheless. The controller learns of its end one
  // latency later.
  const Observed outcome =
      Simulate(TwoLeaves(2).Build(), {Flow(0, 2, 20 * 9000, 3, 20 * kMicro)}, Controlled());
  EXPECT_EQ(Start(outcome, 0), 20 * kMicro);
  EXPECT_EQ(Fct(outcome, 0), LoneFct(20));
  EXPECT_EQ(SourcePort(outcome, 0), 1U);
  EXPECT_EQ(Request(outcome, 0), 0U);
  const std::vector<Choice> choices = Choices(outcome);
  ASSERT_EQ(choices.size(), 1U);
  const Choice& choice = choices[0];
  EXPECT_EQ(choice.source, 0U);
  EXPECT_EQ(choice.destination, 2U);
  EXPECT_EQ(choice.request, 0U);
  EXPECT_EQ(choice.cause, 0);
  EXPECT_EQ(choice.outcome, 0);
  EXPECT_EQ(choice.source_port, 1U);
  EXPECT_EQ(choice.candidates, 1U);
  EXPECT_EQ(choice.asked, 14 * kMicro);
  EXPECT_EQ(choice.decided, 15 * kMicro);
  EXPECT_EQ(choice.wait, 0);
  EXPECT_EQ(choice.released, 20 * kMicro + LoneFct(20) + kLatency);
  ASSERT_EQ(choice.path.size(), 3U);
  EXPECT_EQ(choice.path[0].first, kLeftLeaf);
  EXPECT_EQ(choice.path[1], (PortName{choice.path[0].second - 2 + kFirstSpine, 1}));
  EXPECT_EQ(choice.path[2], (PortName{kRightLeaf, 0}));
  EXPECT_EQ(GetColumn<std::uint32_t>(outcome.controller[1], "peer"),
            (std::vector<std::uint32_t>{choice.path[1].first, kRightLeaf, 2}));
  EXPECT_EQ(GetColumn<std::uint8_t>(outcome.controller[1], "hop"),
            (std::vector<std::uint8_t>{0, 1, 2}));
}

struct Timing {
  std::int64_t send_latency, latency, planned;  ///< [us]
  std::int64_t asked, start, wait;              ///< expected [us]
};

TEST(ControllerTimes, AFlowWaitsForTheAnswerIfThatIsLater) {
  const Timing timings[] = {
      {6, 1, 6, 0, 6, 0},
      {3, 1, 50, 47, 50, 0},  // the software takes longer than the answer
      {6, 3, 40, 34, 40, 0},  // just in time
      {3, 10, 3, 0, 20, 17},
      {3, 10, 53, 50, 70, 17},  // 10 us there, 10 us back, 3 of which it would have waited anyway
      {0, 1, 5, 5, 7, 2},
      {0, 1, 0, 0, 2, 2},  // no software latency
      {6, 1, 1, 0, 2, 1},
      {6, 1, 5, 0, 5, 0},  // planned before 6 us: asks at 0
  };
  for (const Timing& t : timings) {
    TransportOptions options = Controlled();
    options.send_latency = MicroSeconds(t.send_latency);
    options.controller.latency = MicroSeconds(t.latency);
    const Observed outcome =
        Simulate(TwoLeaves(2).Build(), {Flow(1, 3, 9000, 3, t.planned * kMicro)}, options);
    const Choice choice = Choices(outcome).at(0);
    const std::string which = fmt::format("send latency {}, latency {}, planned for {}",
                                          t.send_latency, t.latency, t.planned);
    EXPECT_EQ(choice.asked, t.asked * kMicro) << which;
    EXPECT_EQ(choice.decided, (t.asked + t.latency) * kMicro) << which;
    EXPECT_EQ(choice.wait, t.wait * kMicro) << which;
    EXPECT_EQ(Start(outcome, 0), t.start * kMicro) << which;
    EXPECT_EQ(Fct(outcome, 0), LoneFct(1)) << which;
    EXPECT_EQ(choice.released, (t.start + t.latency) * kMicro + LoneFct(1)) << which;
  }
}

TEST(ControllerTimes, OddLatenciesAreKeptToThePicosecond) {
  for (const std::int64_t latency : {100'000, 100'001, 777'777, 3'000'001}) {
    TransportOptions options = Controlled();
    options.controller.latency = PicoSeconds(latency);
    options.send_latency = Time{0};
    const Observed outcome = Simulate(TwoLeaves(2).Build(), {Flow(0, 2, 9000, 3, 12'345)}, options);
    EXPECT_EQ(Start(outcome, 0), 12'345 + 2 * latency);
    EXPECT_EQ(Choices(outcome).at(0).released, 12'345 + 3 * latency + LoneFct(1));
  }
}

TEST(ControllerTimes, TheKthOfSimultaneousRequestsIsServedKServicesLater) {
  // Four requests at 0, decided at 1 + 3 k us, answered at 2 + 3 k: 5, 8, 11, 14; without the
  // controller they would have started at 6. A fifth, handed over at 7 us, queues behind the
  // fourth; a sixth, at 30 us, finds the queue empty.
  TransportOptions options = Controlled();
  options.controller.service = MicroSeconds(3);
  std::vector<FlowRequest> flows;
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu)
    flows.push_back(Flow(gpu, (gpu + 2) % 4, 9000, 3, kSendLatency));
  flows.push_back(Flow(0, 3, 9000, 3, 7 * kMicro + kSendLatency));
  flows.push_back(Flow(0, 3, 9000, 3, 30 * kMicro + kSendLatency));
  const Observed outcome = Simulate(TwoLeaves(4).Build(), flows, options);
  const std::vector<Choice> choices = Choices(outcome);
  const std::int64_t decided[] = {4, 7, 10, 13, 16, 34}, wait[] = {0, 2, 5, 8, 17 - 13, 0};
  const std::uint32_t source[] = {0, 1, 2, 3, 0, 0}, request[] = {0, 0, 0, 0, 1, 2};
  ASSERT_EQ(choices.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(choices[i].source, source[i]) << i;
    EXPECT_EQ(choices[i].request, request[i]) << i;
    EXPECT_EQ(choices[i].decided, decided[i] * kMicro) << i;
    EXPECT_EQ(choices[i].wait, wait[i] * kMicro) << i;
  }
  EXPECT_EQ(GetColumn<std::int64_t>(outcome.flows, "start_ps"),
            (std::vector<std::int64_t>{6 * kMicro, 17 * kMicro, 36 * kMicro, 8 * kMicro,
                                       11 * kMicro, 14 * kMicro}));
  EXPECT_EQ(WhatIsWrongWith(choices), "");
}

TEST(ControllerTimes, ReleasesOfOneTimeCountForItsRequests) {
  // The first flow's release and the second's request reach the controller at the same picosecond.
  const std::int64_t ends = kSendLatency + LoneFct(3);
  for (const std::int64_t early : {0, 1}) {
    const Observed outcome = Simulate(
        TwoLeaves(2).Build(),
        {Flow(0, 2, 27'000, 3, kSendLatency), Flow(0, 2, 27'000, 3, ends + kSendLatency - early)},
        Controlled());
    const std::vector<Choice> choices = Choices(outcome);
    EXPECT_EQ(choices.at(0).released, ends + kLatency);
    EXPECT_EQ(choices.at(1).decided, ends + kLatency - early);
    EXPECT_EQ(choices.at(0).path == choices.at(1).path, early == 0);
  }
}

/// All times of all flows, whatever their source ports.
void ExpectSameFlows(const Observed& a, const Observed& b, const std::string& which) {
  for (const char* column : {"start_ps", "fct_ps", "received_ps"}) {
    EXPECT_EQ(GetColumn<std::int64_t>(a.flows, column), GetColumn<std::int64_t>(b.flows, column))
        << which << ": " << column;
  }
}

TEST(ControllerTimes, WhereThereIsOneWayOnlyATraceRunsAsWithoutIt) {
  // One spine: source ports make no difference, so all times must be equal, congestion included.
  const LeafSpine shape{4, 2, 1, BitRate{100 * kG}, NanoSeconds(500)};
  std::vector<FlowRequest> flows = Bursts(8, 60, 200'000, 5);
  for (FlowRequest& flow : flows) flow.start = flow.start + PicoSeconds(kSendLatency);
  for (const std::int64_t mode : {1, 3}) {
    TransportOptions options;
    options.congestion.mode = mode;
    options.nic.qps_per_connection = mode;
    const Observed without = Simulate(shape.Build(), flows, options);
    const Observed with = Simulate(shape.Build(), flows, Controlled(options));
    ExpectSameFlows(with, without, fmt::format("mode {}", mode));
    EXPECT_EQ(Digest(with.ports), Digest(without.ports));
    EXPECT_EQ(with.end, without.end);
    EXPECT_GT(Choices(with).size(), 30U);
    EXPECT_EQ(WhatIsWrongWith(Choices(with)), "");
  }
}

/// Two layers on 8 GPUs in pairs of model parallelism: rings and all-to-all, within and across.
std::string TwoLayers() {
  return "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4\n2\n"
         "first -1 1000 ALLTOALL 200000 500 NONE 0 100000 ALLREDUCE 400000 1\n"
         "second -1 1000 ALLREDUCE 90000 500 ALLGATHER 50000 3000 REDUCESCATTER 300000 1\n";
}

TEST(ControllerTimes, WhereThereIsOneWayOnlyJobsRunAsWithoutIt) {
  const LeafSpine shape{4, 2, 1, BitRate{100 * kG}, NanoSeconds(500)};
  const Graph graph = shape.Build();
  for (const char* completion : {"acked", "received"}) {
    for (const std::int64_t pairs : {1, 3}) {
      TransportOptions options;
      options.completion = *FindWord<TransportOptions::Completion>(completion);
      options.nic.qps_per_connection = pairs;
      const std::vector<Job> jobs = {MakeJob(graph, TwoLayers())};
      const Observed without = SimulateJobs(graph, jobs, options);
      for (const std::uint32_t grain : {1U, 0U}) {
        RunPlan plan;
        plan.grain = grain;
        const Observed with = SimulateJobs(graph, jobs, {Controlled(options), plan});
        ExpectSameFlows(with, without, fmt::format("{} {} {}", completion, pairs, grain));
        EXPECT_EQ(with.end, without.end);
        EXPECT_GT(Choices(with).size(), 70U);
        EXPECT_EQ(WhatIsWrongWith(Choices(with)), "");
      }
    }
  }
}

TEST(ControllerTimes, AFasterControlNetworkThanAnyCableChangesNothingElse) {
  // Lookahead and notice delay shrink with the latency; results of jobs must not change.
  const LeafSpine shape{4, 2, 1, BitRate{100 * kG}, NanoSeconds(500)};
  const Graph graph = shape.Build();
  const std::vector<Job> jobs = {MakeJob(graph, TwoLayers())};
  const Observed without = SimulateJobs(graph, jobs);
  for (const std::int64_t latency : {100'000, 999'999, 3'000'000}) {
    TransportOptions options = Controlled(TransportOptions());
    options.controller.latency = PicoSeconds(latency);
    ExpectSameFlows(SimulateJobs(graph, jobs, options), without, fmt::format("{} ps", latency));
  }
}

/// Every flow that asked starts when its software is done and all its queue pairs are answered.
void CheckStarts(const Observed& o, std::int64_t send_latency, std::int64_t latency,
                 bool messages) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Choice> of_request;
  for (const Choice& choice : Choices(o)) {
    if (choice.cause == 0) of_request[{choice.source, choice.request}] = choice;
  }
  const auto& source = GetColumn<std::uint32_t>(o.flows, "src");
  const auto& message = GetColumn<std::uint32_t>(o.flows, "message");
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> starts;
  const auto key = [&](std::size_t i) {
    return std::make_pair(source[i], messages ? message[i] : static_cast<std::uint32_t>(i));
  };
  std::size_t asked = 0;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (Request(o, i) == kNoRequest) continue;
    ++asked;
    const Choice& choice = of_request.at({source[i], Request(o, i)});
    EXPECT_GE(choice.decided, choice.asked + latency);
    std::int64_t& start = starts[key(i)];
    start = std::max({start, choice.asked + send_latency, choice.decided + latency});
  }
  EXPECT_EQ(asked, of_request.size());
  EXPECT_GT(asked, 0U);
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (Request(o, i) == kNoRequest) continue;
    EXPECT_EQ(Start(o, i), starts.at(key(i))) << "flow row " << i;
    const Choice& choice = of_request.at({source[i], Request(o, i)});
    EXPECT_EQ(choice.wait,
              std::max<std::int64_t>(0, choice.decided + latency - choice.asked - send_latency))
        << i;
  }
}

TEST(ControllerTimes, MessagesOfJobsStartWhenAllTheirQueuePairsAreAnswered) {
  const LeafSpine shape{4, 2, 3, BitRate{100 * kG}, NanoSeconds(500)};
  const Graph graph = shape.Build();
  for (const std::int64_t latency : {1, 10}) {
    for (const std::int64_t service : {0, 2}) {
      TransportOptions options = Controlled(TransportOptions());
      options.nic.qps_per_connection = 3;
      options.controller.latency = MicroSeconds(latency);
      options.controller.service = MicroSeconds(service);
      const Observed outcome = SimulateJobs(graph, {MakeJob(graph, TwoLayers())}, options);
      CheckStarts(outcome, CollectiveOptions().send_latency.ps, latency * kMicro, true);
      EXPECT_EQ(WhatIsWrongWith(Choices(outcome)), "");
      EXPECT_TRUE(AllFinished(outcome));
    }
  }
}

TEST(ControllerTimes, QueuePairsOfATraceAskEachForItself) {
  TransportOptions options = Controlled();
  options.nic.qps_per_connection = 3;
  options.controller.service = MicroSeconds(5);
  const Observed outcome =
      Simulate(TwoLeaves(4).Build(), {Flow(0, 2, 27'000, 3, kSendLatency)}, options);
  const std::vector<Choice> choices = Choices(outcome);
  ASSERT_EQ(choices.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(choices[i].request, i);
    EXPECT_EQ(choices[i].outcome, 0);
    EXPECT_EQ(Request(outcome, i), i);
    EXPECT_EQ(SourcePort(outcome, i), choices[i].source_port);
    EXPECT_EQ(choices[i].decided, static_cast<std::int64_t>(1 + 5 * (i + 1)) * kMicro);
  }
  EXPECT_EQ(WhatIsWrongWith(choices), "");
  CheckStarts(outcome, kSendLatency, kLatency, false);
}

}  // namespace
}  // namespace heddle::testing
