// SPDX-License-Identifier: GPL-2.0-only
// What results say of collectives in phases.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collectives/coordinator/flow_coordinator.h"
#include "core/base/check.h"
#include "core/options/enum_words.h"
#include "tests/support/results.h"
#include "tests/support/scale_up_fabric.h"
#include "tests/support/simulate_jobs.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

TEST(PhasedResults, ResultsNameThemWithoutNcclsWords) {
  const Graph graph = ScaleUpFabric({Loop(2, 1), Loop(3, 1)});
  for (const char* phases : {"off", "baseline"}) {
    Scenario scenario;
    scenario.collectives.phased.collectives = *FindWord<PhasedOptions::Form>(phases);
    const Observed o = SimulateJobs(graph, {MakeJob(graph, "1 ALLREDUCE 6000 ALL\n")}, scenario);
    const bool on = scenario.collectives.phased.on();
    for (const Table& table : o.jobs) {
      if (table.name != "collectives") continue;
      EXPECT_EQ(GetColumn<std::string>(table, "algorithm"),
                std::vector<std::string>{on ? "PHASES" : "RING"});
      EXPECT_EQ(GetColumn<std::string>(table, "protocol"), std::vector<std::string>{"NONE"});
      EXPECT_EQ(GetColumn<std::string>(table, "group_type"), std::vector<std::string>{"ALL"});
      EXPECT_EQ(GetColumn<std::uint32_t>(table, "ranks"), std::vector<std::uint32_t>{6});
    }
  }
}

TEST(PhasedResults, NcclsAlgorithmsNeedNotServeTheirGroups) {
  const Graph graph = ScaleUpFabric({Loop(2, 1), Loop(3, 1)});
  Scenario scenario;
  scenario.collectives.phased.collectives = PhasedOptions::Form::kBaseline;
  scenario.collectives.allreduce = "nvls";  // there is no NVSwitch
  const std::vector<Job> jobs = {MakeJob(graph, "1 ALLREDUCE 6000 ALL\n")};
  EXPECT_EQ(SimulateJobs(graph, jobs, scenario).waiting, std::vector<std::string>{});
  scenario.collectives.phased.collectives = PhasedOptions::Form::kOff;
  EXPECT_THROW(SimulateJobs(graph, jobs, scenario), UserError);
}

/// A ring's member has one message of a chunk under way, that of a direct exchange all.
TEST(PhasedResults, OpenMessagesAreThoseOfFullLanes) {
  const auto open = [](const std::vector<NetworkDimension>& dimensions, std::int64_t per_lane) {
    const Graph graph = ScaleUpFabric(dimensions);
    CollectiveOptions options;
    options.phased.collectives = PhasedOptions::Form::kBaseline;
    options.phased.splits = 4;
    options.phased.per_lane = per_lane;
    const std::vector<Job> jobs = {
        MakeJob(graph, "1 ALLREDUCE 60000 ALL\n1 ALLREDUCE 90000 ALL\n")};
    return FlowCoordinator(graph, jobs, options, false).CountOpenMessages();
  };
  EXPECT_EQ(open({Loop(2, 1), Loop(3, 1)}, 1), 6U * (1 + 1));
  EXPECT_EQ(open({Loop(2, 1), Loop(3, 1)}, 2), 6U * (2 + 2));
  EXPECT_EQ(open({Loop(2, 1), Loop(3, 1)}, 0), 6U * 4) << "no more chunks than there are";
  EXPECT_EQ(open({Mesh(3), Mesh(4)}, 1), 12U * (2 + 3));
}

/// After losses GPUs are not equally far, and take different chunks of two collectives into their
/// places.
TEST(PhasedResults, ChunksThatWaitForEachOtherAreNamed) {
  const Graph graph =
      Star({{100, kMicro / 2, 0.01}, {100, kMicro / 2}, {100, kMicro / 2}, {100, kMicro / 2}});
  const std::vector<Job> jobs = {
      MakeJob(graph,
              "HYBRID_TRANSFORMER model_parallel_NPU_group: 1 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 4 "
              "checkpoints: 0 checkpoint_initiates: 0 pp_comm: 0\n2\n"
              "l0 -1 1000 ALLREDUCE_DP 77817 1000 NONE 0 1000 ALLGATHER_DP 100000 10\n"
              "l1 -1 1000 NONE 0 1000 NONE 0 1000 ALLGATHER_DP 100000 0\n",
              {}, {}, 2)};
  Scenario scenario;
  scenario.collectives.phased.collectives = PhasedOptions::Form::kEnhanced;
  scenario.collectives.phased.layout = "4";
  std::size_t stuck = 0;
  for (const std::int64_t per_lane : {8, 0}) {
    scenario.collectives.phased.per_lane = per_lane;
    for (scenario.plan.seed = 1; scenario.plan.seed <= 8; ++scenario.plan.seed) {
      const Observed o = SimulateJobs(graph, jobs, scenario);
      EXPECT_EQ(o.chunk_deadlock.empty(), o.waiting.empty()) << scenario.plan.seed;
      EXPECT_EQ(o.books.flows_finished, o.books.flows_started);
      if (o.waiting.empty()) continue;
      ++stuck;
      EXPECT_EQ(per_lane, 8) << "without a limit each chunk has a place";
      EXPECT_GE(o.chunk_deadlock.size(), 2U);
      EXPECT_NE(o.chunk_deadlock[0].find("has no place for it"), std::string::npos)
          << o.chunk_deadlock[0];
    }
  }
  EXPECT_GT(stuck, 0U) << "the losses of these seeds changed nothing";
}

}  // namespace
}  // namespace heddle::testing
