// SPDX-License-Identifier: GPL-2.0-only
/// Collectives that are replayed whole, followed, left, refused; all results are those of a run
/// that replays nothing.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "collectives/program/routed_experts.h"
#include "tests/support/results.h"
#include "tests/support/simulate_jobs.h"
#include "tests/support/small_fabric.h"
#include "tests/support/temporary_folder.h"

namespace heddle::testing {
namespace {

using Connections = CollectiveOptions::Connections;

constexpr std::uint32_t kOfServer = 4;  ///< GPUs of a server

/// Servers with an NVSwitch each, or with two; all NICs are at one switch.
Graph ServersOfFour(std::uint32_t servers, std::uint32_t planes) {
  const std::uint32_t gpus = servers * kOfServer, leaf = gpus + servers * planes;
  Graph graph(gpus, servers * planes, 1, kOfServer, "H100");
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    for (std::uint32_t plane = 0; plane < planes; ++plane)
      graph.AddLink({NodeId(gpu), NodeId(gpus + gpu / kOfServer * planes + plane),
                     BitRate{2'880'000'000'000}, PicoSeconds(25'000)});
    graph.AddLink({NodeId(gpu), NodeId(leaf), BitRate{400'000'000'000}, PicoSeconds(500'000)});
  }
  return graph;
}

/// Layers of one collective each, 10 us apart, in groups of `tensor` GPUs; expert groups have
/// `expert`.
std::string Layers(const std::vector<std::string>& collectives, std::uint32_t ranks,
                   std::uint32_t tensor = kOfServer, std::uint32_t expert = 1) {
  std::string text =
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: " + std::to_string(tensor) +
      " ep: " + std::to_string(expert) + " pp: 1 vpp: 1 ga: 1 all_gpus: " + std::to_string(ranks) +
      " checkpoints: 0 checkpoint_initiates: 0 pp_comm: 0\n" + std::to_string(collectives.size()) +
      "\n";
  for (const std::string& collective : collectives)
    text += "layer -1 10000 " + collective + " 1 NONE 0 1 NONE 0 10\n";
  return text;
}

std::vector<std::string> Times(int times, const std::string& collective) {
  return std::vector<std::string>(static_cast<std::size_t>(times), collective);
}

class Whole : public ::testing::Test {
 protected:
  Whole() {
    scenario_.plan.grain = 0;
    scenario_.collectives.allreduce = "ring";
  }

  /// With and without replays, all GPUs of a graph.
  ReplayFigures Run(std::uint32_t servers, const std::vector<std::string>& collectives) {
    const Graph graph = ServersOfFour(servers, planes_);
    return Run(graph, {MakeJob(graph, Layers(collectives, servers * kOfServer))});
  }
  ReplayFigures Run(const Graph& graph, const std::vector<Job>& jobs) {
    Scenario off = scenario_;
    off.options.replay.replay = ReplayOptions::Replay::kOff;
    off.plan.stops.clear();
    const Observed expected = SimulateJobs(graph, jobs, off);
    const TemporaryFolder folder;
    scenario_.plan.checkpoint = folder.In("cut");
    scenario_.options.replay.replay = ReplayOptions::Replay::kOn;
    const Observed found = SimulateJobs(graph, jobs, scenario_);
    EXPECT_EQ(DigestParts(Join(Communicator::Serial(), found)),
              DigestParts(Join(Communicator::Serial(), expected)));
    EXPECT_EQ(found.flow_digest, expected.flow_digest);
    EXPECT_EQ(found.end, expected.end);
    EXPECT_EQ(found.books.Values(), expected.books.Values());
    end_ = expected.end;
    return found.replayed;
  }

  Scenario scenario_;
  std::uint32_t planes_ = 1;
  Time end_;
};

TEST_F(Whole, RepeatsWhatHasBeenOnce) {
  for (const Connections connections : {Connections::kMessage, Connections::kLasting}) {
    scenario_.collectives.connections = connections;
    const ReplayFigures figures = Run(1, Times(5, "ALLREDUCE 1000000"));
    EXPECT_EQ(figures.whole, 3) << "the first begins at ports that have never sent";
    EXPECT_EQ(figures.relived, 0);
    EXPECT_GT(figures.replayed, 4);
  }
}

TEST_F(Whole, FollowsWhatAnotherServerDoes) {
  const ReplayFigures figures = Run(6, {"ALLREDUCE 1000000"});
  EXPECT_EQ(figures.whole, 5);
  EXPECT_EQ(figures.relived, 0);
}

TEST_F(Whole, CountsFlowsOfSeveralQueuePairs) {
  scenario_.options.nic.qps_per_connection = 3;
  for (const Connections connections : {Connections::kMessage, Connections::kLasting}) {
    scenario_.collectives.connections = connections;
    EXPECT_EQ(Run(2, Times(3, "ALLREDUCE 1000000")).whole, 4);
  }
}

TEST_F(Whole, EndsWhenMessagesArriveIfTheyNeedNoAnswer) {
  scenario_.options.completion = TransportOptions::Completion::kReceived;
  EXPECT_EQ(Run(2, Times(3, "ALLREDUCE 1000000")).whole, 4);
}

TEST_F(Whole, OtherOperations) {
  for (const char* operation : {"ALLGATHER", "REDUCESCATTER"}) {
    EXPECT_GT(Run(1, Times(4, std::string(operation) + " 1000000")).whole, 0) << operation;
  }
  // An AllToAll leaves its ports in another turn each time; servers do the same at once.
  EXPECT_EQ(Run(4, Times(4, "ALLTOALL 1000000")).whole, 12);
}

/// Two servers do AllToAlls of equal bytes at once. What one does is replayed on the other, unless
/// pairs exchange other sizes there.
TEST_F(Whole, SizesOfPairsCount) {
  const Graph graph = ServersOfFour(2, 1);
  const auto whole = [&](ExpertOptions::Form form, std::int64_t first, std::int64_t second) {
    std::vector<Job> jobs;
    for (const std::int64_t seed : {first, second}) {
      const auto gpu = static_cast<std::uint32_t>(jobs.size()) * kOfServer;
      jobs.push_back(MakeJob(graph,
                             Layers(Times(4, "ALLTOALL_EP 1000000"), kOfServer, 1, kOfServer),
                             {NodeId(gpu), NodeId(gpu + 1), NodeId(gpu + 2), NodeId(gpu + 3)}));
      ExpertOptions experts;
      experts.routing = ExpertOptions::Routing::kZipf;
      experts.form = form;
      experts.seed = seed;
      experts.count = 8;
      experts.top_k = 2;
      experts.tokens = 100;
      RouteExperts(experts, jobs.back().workload, jobs.back().groups, &jobs.back().program);
    }
    return Run(graph, jobs).whole;
  };
  for (const auto form : {ExpertOptions::Form::kPlain, ExpertOptions::Form::kServer}) {
    EXPECT_EQ(whole(form, 1, 1), 4);
    EXPECT_EQ(whole(form, 1, 2), 0);
  }
}

// GPUs that a Broadcast has parted go on at other distances from each other, on all servers alike.
TEST_F(Whole, DistancesBetweenGpusCount) {
  scenario_.collectives.connections = Connections::kLasting;
  const ReplayFigures figures =
      Run(3, {"BROADCAST 3000000", "ALLREDUCE 300000", "ALLREDUCE 300000", "ALLREDUCE 300000"});
  EXPECT_GE(figures.whole, 4) << "of two servers";
}

TEST_F(Whole, SizesCount) {
  EXPECT_EQ(
      Run(1, {"ALLREDUCE 1000000", "ALLREDUCE 1000004", "ALLREDUCE 1000000", "ALLREDUCE 1000000"})
          .whole,
      1);
}

// Two jobs share servers: GPUs of one start messages in the middle of collectives of the other.
TEST_F(Whole, TakesBackWhatOthersDisturb) {
  const Graph graph = ServersOfFour(4, 1);
  std::vector<NodeId> firsts, others;
  for (std::uint32_t gpu = 0; gpu < 4 * kOfServer; ++gpu)
    (gpu % kOfServer < 2 ? firsts : others).emplace_back(gpu);
  const std::vector<Job> jobs = {
      MakeJob(graph, Layers(Times(6, "ALLREDUCE 3000000"), 8, 2), firsts),
      MakeJob(graph, Layers({"ALLREDUCE 900000"}, 8, 2), others, MicroSeconds(40))};
  const ReplayFigures figures = Run(graph, jobs);
  EXPECT_GT(figures.whole, 0);
}

TEST_F(Whole, TakesBackRefusedMessages) {
  for (const std::int64_t refused : {1, 2, 3, 7, 97}) {
    scenario_.options.replay.refused = refused;
    const ReplayFigures figures = Run(3, Times(6, "ALLREDUCE 1000000"));
    if (refused < 7) {
      EXPECT_EQ(figures.whole, 0) << refused;
    }
  }
}

TEST_F(Whole, StopsAnywhere) {
  Run(3, Times(4, "ALLREDUCE 1000000"));
  const Time end = end_;
  for (int share = 1; share < 40; ++share) {
    scenario_.plan.stops = {PicoSeconds(end.ps * share / 40 + share)};
    Run(3, Times(4, "ALLREDUCE 1000000"));
  }
}

TEST_F(Whole, LastsThroughAdversaries) {
  scenario_.options.replay.memory = 1;
  std::vector<std::string> collectives;
  for (int i = 0; i < 60; ++i)
    collectives.push_back("ALLTOALL " + std::to_string(400'000 + 16 * i));
  EXPECT_EQ(Run(1, collectives).whole, 0);
}

// Not taken whole.

TEST_F(Whole, NotWithAChoiceOfPaths) {
  planes_ = 2;
  EXPECT_EQ(Run(1, Times(4, "ALLREDUCE 1000000")).whole, 0);
}

TEST_F(Whole, NotWithDrawnSourcePorts) {
  scenario_.options.nic.source_ports = NicOptions::SourcePorts::kRandom;
  EXPECT_EQ(Run(1, Times(4, "ALLREDUCE 1000000")).whole, 0);
}

TEST_F(Whole, NotIfSwitchesTakePart) {
  scenario_.collectives.allreduce = "nvls";
  EXPECT_EQ(Run(1, Times(4, "ALLREDUCE 1000000")).whole, 0);
}

TEST_F(Whole, NotOverSeveralServers) {
  const Graph graph = ServersOfFour(2, 1);
  EXPECT_EQ(Run(graph, {MakeJob(graph, Layers(Times(4, "ALLREDUCE 1000000"), 8, 8))}).whole, 0);
}

TEST_F(Whole, NotUnderACentralController) {
  scenario_.options.controller.enabled = true;
  EXPECT_EQ(Run(1, Times(4, "ALLREDUCE 1000000")).whole, 0);
}

TEST_F(Whole, NotWithMonitors) {
  scenario_.options.monitors.links = true;
  EXPECT_EQ(Run(1, Times(4, "ALLREDUCE 1000000")).whole, 0);
}

}  // namespace
}  // namespace heddle::testing
