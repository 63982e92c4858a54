// SPDX-License-Identifier: GPL-2.0-only
/// A step's time adds up: what each GPU computed, waited for and did not do any more is its job's
/// duration to the picosecond, but for 1 ns at each change of state of its program.
#include "io/analysis/step_time.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/simulate_jobs.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

struct StepTimeCase {
  const char* name;
  const char* header;
  const char* experts;  ///< operation of the experts' layer
  std::uint32_t passes;
  bool waits_for_stages;
};

/// Eight GPUs on cables of unequal rates.
Graph Fabric() { return Star({{100}, {100}, {100}, {100}, {100}, {100}, {50}, {25}}); }

Job JobOf(const StepTimeCase& test, const Graph& graph) {
  const std::string layers =
      "embedding_layer -1 1000 ALLREDUCE 200000 500 NONE 0 700 ALLREDUCE 400000 10\n"
      "mlp -1 30000 " +
      std::string(test.experts) + " 300000 40000 " + test.experts + " 300000 5000 NONE 0 1\n";
  return MakeJob(graph,
                 "HYBRID_TRANSFORMER_FWD_IN_BCKWD " + std::string(test.header) +
                     "\n6\ngrad_gather -1 1 NONE 0 1 NONE 0 1 ALLGATHER 100000 1\n" + layers +
                     layers + "optimizer1 -1 1 ALLREDUCE 8 1 NONE 0 1 NONE 0 1\n",
                 {}, {}, test.passes);
}

/// Number of changes of state of the programs of all GPUs.
std::int64_t CountPauses(const Job& job) {
  std::int64_t pauses = 0;
  for (std::uint32_t rank = 0; rank < job.gpus.size(); ++rank) {
    for (const ProgramStep& step : job.program.steps[job.groups.StageOf(rank)])
      pauses += step.kind == ProgramStep::Kind::kPause ? job.program.passes : 0;
  }
  return pauses;
}

StepTime StepTimeOf(const Observed& outcome) {
  StepTimes times;
  times.AddJobs(outcome.jobs[0]);
  times.AddRanks(outcome.jobs[1]);
  times.AddLayers(outcome.jobs[3]);
  return times.Of(0);
}

class StepTimeAddsUp : public ::testing::TestWithParam<StepTimeCase> {};

TEST_P(StepTimeAddsUp, ToTheLastPicosecond) {
  const Graph graph = Fabric();
  const Job job = JobOf(GetParam(), graph);
  const Observed outcome = SimulateJobs(graph, {job});
  const StepTime time = StepTimeOf(outcome);
  ASSERT_TRUE(time.ended);
  const double gpus_ps = 8 * time.span_ps;
  EXPECT_NEAR(time.of(StepPart::kStates) * gpus_ps, 1000.0 * static_cast<double>(CountPauses(job)),
              1);
  EXPECT_NEAR(std::accumulate(time.share.begin(), time.share.end(), 0.0), 1, 1e-12);
  EXPECT_EQ(time.of(StepPart::kStages) > 0, GetParam().waits_for_stages);
  EXPECT_GT(time.of(StepPart::kEnded), 0) << "GPUs 6 and 7 are slower than the others";
}

INSTANTIATE_TEST_SUITE_P(
    Cases, StepTimeAddsUp,
    ::testing::Values(
        StepTimeCase{"Tensor", "model_parallel_NPU_group: 8", "ALLREDUCE", 1, false},
        StepTimeCase{"Data", "model_parallel_NPU_group: 2", "ALLREDUCE", 2, false},
        StepTimeCase{"Experts", "model_parallel_NPU_group: 2 ep: 4", "ALLTOALL_EP", 1, false},
        StepTimeCase{"Stages", "model_parallel_NPU_group: 1 pp: 4 ga: 2 pp_comm: 50000",
                     "ALLREDUCE", 2, true},
        StepTimeCase{"ExpertsInStages",
                     "model_parallel_NPU_group: 2 ep: 2 pp: 2 ga: 2 pp_comm: 50000", "ALLTOALL_EP",
                     1, true}),
    [](const auto& made) { return std::string(made.param.name); });

/// Stage 0 computes for 1 ms and then sends 100,000 bytes to stage 1, which waits for them from the
/// start.
TEST(StepTime, AReceiversWaitForItsSenderIsNotTheTransfers) {
  const Graph graph = Star({{100}, {100}});
  const Job job = MakeJob(graph,
                          "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 pp: 2 "
                          "ga: 1 pp_comm: 100000 mode: 1\n1\nlayer -1 1000000 NONE 0 0 NONE 0 0 "
                          "NONE 0 1\n");
  const Observed outcome = SimulateJobs(graph, {job});
  const Table& messages = outcome.jobs[2];
  ASSERT_EQ(GetColumn<std::int64_t>(messages, "time_ps").size(), 1U);
  // The sender computes for 1 ms and changes its state.
  EXPECT_EQ(GetColumn<std::int64_t>(messages, "wait_ps")[0], 1'000'001'000);
  const std::int64_t transfer =
      GetColumn<std::int64_t>(outcome.flows, "start_ps")[0] + Fct(outcome, 0) - 1'000'001'000;
  EXPECT_EQ(GetColumn<std::int64_t>(messages, "time_ps")[0], transfer);
  EXPECT_EQ(GetColumn<std::int64_t>(messages, "start_ps")[0], 0);
  EXPECT_EQ(GetColumn<std::int64_t>(messages, "end_ps")[0], 1'000'001'000 + transfer);
}

/// Both gradients are there at once, and the second collective waits for the first on their
/// communicator. Its time and bandwidth are those of its transfer.
TEST(StepTime, ACollectivesWaitForTheOneBeforeIsNotItsTransfer) {
  const Graph graph = Star({{100}, {100}});
  const Job job = MakeJob(graph,
                          "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1\n2\n"
                          "first -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 1000000 1\n"
                          "second -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 1000000 1\n");
  const Observed outcome = SimulateJobs(graph, {job});
  const Table& rows = outcome.jobs[2];
  const auto& start = GetColumn<std::int64_t>(rows, "start_ps");
  const auto& end = GetColumn<std::int64_t>(rows, "end_ps");
  const auto& time = GetColumn<std::int64_t>(rows, "time_ps");
  const auto& wait = GetColumn<std::int64_t>(rows, "wait_ps");
  ASSERT_EQ(end.size(), 2U);
  EXPECT_EQ(wait[0], 0);
  EXPECT_GT(wait[1], time[0] / 2);
  EXPECT_EQ(start[1] + wait[1], end[0]);
  EXPECT_EQ(time[1], end[1] - end[0]);
  EXPECT_NEAR(static_cast<double>(time[1]) / static_cast<double>(time[0]), 1, 0.01);
  // Of two ranks each sends the whole buffer at 100 Gbps.
  EXPECT_EQ(GetColumn<std::int64_t>(rows, "ideal_ps")[0], 80'000'000);
  EXPECT_GT(time[0], 80'000'000);
}

}  // namespace
}  // namespace heddle::testing
