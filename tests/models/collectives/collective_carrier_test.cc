// SPDX-License-Identifier: GPL-2.0-only
/// Collectives carried as a whole: programs of GPUs run to their ends on a backend without flows,
/// at times computed by hand.
#include <gtest/gtest.h>
#include <ns3/simulator.h>

#include <map>
#include <string>

#include "collectives/coordinator/flow_coordinator.h"
#include "tests/models/collectives/fixed_time_backend.h"
#include "tests/support/simulate_jobs.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

constexpr Time kCollective = MicroSeconds(100);
/// Follows each phase of a layer (collectives/program/program.h).
constexpr Time kChangeOfState = NanoSeconds(1);

/// Results of a run of jobs.
struct Carried {
  std::map<NodeId, Time> ends;  ///< ends of programs, by GPU
  std::vector<StepRecord> steps;
  std::vector<CollectiveRecord> collectives;
  std::uint64_t parts = 0;  ///< number of participations that ended
  std::map<NodeId, std::string> waiting_before;
};

Carried Carry(const Graph& graph, const std::vector<Job>& jobs, std::uint32_t grain = 1) {
  FlowCoordinator coordinator(graph, jobs, CollectiveOptions(), /*timeline=*/true);
  const Domains domains = MakeDomains(graph, {Time{0}, grain});
  FixedTime fixed(graph, domains, kCollective);
  AnalyticalBackend backend(fixed.Input());
  backend.Drive(&coordinator);
  Carried carried;
  carried.waiting_before = coordinator.Waiting(100);
  backend.Run(EngineKind::kDomain, Communicator::Serial(), {});
  ns3::Simulator::Destroy();
  for (const FinishRecord& finish : coordinator.context().finishes)
    carried.ends[finish.gpu] = finish.end;
  carried.steps = coordinator.context().steps;
  carried.collectives = coordinator.context().collectives;
  for (const CollectiveRecord& record : carried.collectives) carried.parts += record.finished;
  EXPECT_TRUE(coordinator.Waiting(100).empty());
  return carried;
}

Graph FourHosts() { return Star({{400}, {400}, {400}, {25}}); }

/// Four GPUs, two groups of TP and two of DP.
Job TwoByTwo(const Graph& graph) {
  return MakeJob(graph,
                 "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2\n2\n"
                 "first -1 1000 ALLREDUCE 200000 500 NONE 0 10000 ALLREDUCE 400000 1\n"
                 "second -1 1000 NONE 0 500 NONE 0 3000 ALLREDUCE 900000 1\n");
}

TEST(CollectiveCarrier, AProgramEndsAfterItsComputingAndItsCollectives) {
  const Graph graph = Star({{400}, {400}});
  const Job job = MakeJob(graph,
                          "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2\n1\n"
                          "layer -1 1000 ALLREDUCE 200000 500 ALLREDUCE 100000 700 NONE 0 0\n");
  const Carried carried = Carry(graph, {job});
  // Forward, its collective; gradient of weights, gradient of inputs, its collective.
  const Time end = NanoSeconds(1000 + 500 + 700) + kChangeOfState * 3 + kCollective * 2;
  ASSERT_EQ(carried.ends.size(), 2U);
  for (const auto& [gpu, at] : carried.ends) EXPECT_EQ(at, end) << "GPU " << gpu.value;
  EXPECT_EQ(carried.parts, 4U);
}

TEST(CollectiveCarrier, StagesOfAPipelineWaitForTheirPeers) {
  const Graph graph = Star({{100}, {100}});
  const Job job = MakeJob(
      graph,
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 pp: 2 ga: 1 pp_comm: 100000\n1\n"
      "layer -1 1000 NONE 0 500 NONE 0 300 NONE 0 0\n");
  const Carried carried = Carry(graph, {job});
  // The layer is on both stages: forward, activations to the second stage, all of that stage,
  // gradients back, backward.
  const Time forward = NanoSeconds(1000) + kChangeOfState;
  const Time backward = NanoSeconds(500 + 300) + kChangeOfState * 2;
  const Time second = forward + kCollective + forward + backward;
  ASSERT_EQ(carried.ends.size(), 2U);
  EXPECT_EQ(carried.ends.at(NodeId(0)), second + kCollective + backward);
  EXPECT_EQ(carried.ends.at(NodeId(1)), second + kCollective) << "its gradients have left";
  EXPECT_EQ(carried.parts, 4U);
}

TEST(CollectiveCarrier, ACollectiveTakesItsTimeFromTheLastBeginning) {
  const Graph graph = FourHosts();
  const Carried carried = Carry(graph, {TwoByTwo(graph)});
  ASSERT_EQ(carried.collectives.size(), 6U);  // an operation of TP and two of DP, two groups each
  for (const CollectiveRecord& record : carried.collectives) {
    EXPECT_EQ(record.finished, 2U);
    EXPECT_GE(record.end - record.start, kCollective);
  }
  // The two collectives of DP run one after the other on their communicator, so the second has to
  // wait.
  std::map<std::uint32_t, Time> ends;
  for (const CollectiveRecord& record : carried.collectives) {
    Time& end = ends[record.operation];
    EXPECT_TRUE(end == Time{0} || end == record.end) << "both groups end together";
    end = record.end;
  }
  ASSERT_EQ(ends.size(), 3U);
  EXPECT_EQ(ends.at(2), ends.at(1) + kCollective);
}

TEST(CollectiveCarrier, TheDivisionIntoDomainsChangesNothing) {
  const Graph graph = FourHosts();
  const std::vector<Job> jobs = {TwoByTwo(graph)};
  const Carried apart = Carry(graph, jobs);
  const Carried together = Carry(graph, jobs, 0);
  EXPECT_EQ(apart.ends, together.ends);
  EXPECT_EQ(apart.parts, together.parts);
}

TEST(CollectiveCarrier, WhoWaitsIsSaidInItsWords) {
  const Graph graph = FourHosts();
  const Carried carried = Carry(graph, {TwoByTwo(graph)});
  ASSERT_EQ(carried.waiting_before.size(), 4U);
  EXPECT_NE(carried.waiting_before.at(NodeId(0)).find("handed over as a whole"), std::string::npos)
      << carried.waiting_before.at(NodeId(0));
}

TEST(CollectiveCarrier, PacketsCarryNone) {
  const Graph graph = FourHosts();
  const Observed outcome = SimulateJobs(graph, {TwoByTwo(graph)});
  EXPECT_GT(outcome.books.flows_finished, 0);
  EXPECT_TRUE(outcome.waiting.empty());
}

}  // namespace
}  // namespace heddle::testing
