// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/unrolled/unrolled_jobs.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "core/base/check.h"
#include "core/goal/loggops.h"

namespace heddle {
namespace {

using Kind = ProgramStep::Kind;

/// GPUs of a server each, at one switch.
Graph Star(std::uint32_t gpus) {
  Graph graph(gpus, 0, 1, 1, "H100");
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu)
    graph.AddLink({NodeId(gpu), NodeId(gpus), BitRate{100'000'000'000}, NanoSeconds(500)});
  return graph;
}

ProgramStep Compute(std::int64_t nanoseconds) {
  return {Kind::kCompute, Phase::kForward, 0, 0, NanoSeconds(nanoseconds)};
}
ProgramStep Step(Kind kind, std::uint32_t op) { return {kind, Phase::kForward, 0, op, {}}; }

/// All GPUs do these steps, with AllReduces of all of them.
Job JobOf(std::uint32_t gpus, std::vector<ProgramStep> steps, std::uint32_t ops,
          std::uint32_t passes = 1) {
  Job job{"w.txt", {}, ParallelGroups({gpus, 1, 1}, gpus, "w.txt"), {}, {}, {}};
  job.workload.layers.resize(1);
  ProgramOp op;
  op.spec = {Operation::kAllReduce, GroupType::kTensor, 4000};
  job.program.ops.assign(ops, op);
  job.program.steps = {std::move(steps)};
  job.program.passes = passes;
  for (std::uint32_t rank = 0; rank < gpus; ++rank) job.gpus.emplace_back(rank);
  return job;
}

/// The end of each rank on a network on which a message takes a microsecond, and nothing else
/// anything [ns].
std::vector<std::int64_t> EndsOf(const Job& job, std::uint32_t gpus) {
  CollectiveOptions options;
  options.allreduce = "ring";
  const GoalSchedule schedule = UnrollJobs(Star(gpus), {job}, options, "w.goal");
  LogGopsOptions network;
  network.latency = 1000;
  network.overhead = network.gap = 0;
  network.gap_per_byte = 0;
  LogGops run(schedule, network);
  run.Run();
  EXPECT_EQ(run.waiting_ranks(), 0U);
  return run.ends();
}

/// A ring of four GPUs has six steps.
TEST(UnrolledJobs, ABlockingCollectiveIsBetweenItsSteps) {
  const Job job = JobOf(4, {Compute(500), Step(Kind::kBlocking, 0), Compute(700)}, 1);
  EXPECT_EQ(EndsOf(job, 4), std::vector<std::int64_t>(4, 500 + 6000 + 700));
}

TEST(UnrolledJobs, AnOverlappedOneIsUnderTheNextSteps) {
  for (const std::int64_t compute : {100, 10'000}) {
    const Job job = JobOf(4,
                          {Compute(500), Step(Kind::kOverlapped, 0), Compute(compute),
                           Step(Kind::kWait, 0), Compute(50)},
                          1);
    const std::int64_t end = 500 + std::max<std::int64_t>(compute, 6000) + 50;
    EXPECT_EQ(EndsOf(job, 4), std::vector<std::int64_t>(4, end)) << compute;
  }
}

TEST(UnrolledJobs, CollectivesOfACommunicatorTakeTurns) {
  const Job job = JobOf(
      4,
      {Compute(500), Step(Kind::kOverlapped, 0), Step(Kind::kOverlapped, 1), Step(Kind::kWait, 1)},
      2);
  EXPECT_EQ(EndsOf(job, 4), std::vector<std::int64_t>(4, 500 + 2 * 6000));
}

/// The wait is for the collective of the pass before.
TEST(UnrolledJobs, PassesFollowEachOther) {
  const Job job =
      JobOf(2, {Step(Kind::kWait, 0), Compute(100), Step(Kind::kOverlapped, 0)}, 1, /*passes=*/3);
  EXPECT_EQ(EndsOf(job, 2), std::vector<std::int64_t>(2, 3 * (100 + 2000)));
}

TEST(UnrolledJobs, JobsKeepTheirGpusAndTheirStart) {
  Job late = JobOf(2, {Step(Kind::kBlocking, 0)}, 1);
  late.gpus = {NodeId(3), NodeId(1)};
  late.start = NanoSeconds(300);
  EXPECT_EQ(EndsOf(late, 4), (std::vector<std::int64_t>{0, 2300, 0, 2300}));
}

TEST(UnrolledJobs, MessagesMeet) {
  const Job job = JobOf(3, {Step(Kind::kBlocking, 0), Step(Kind::kBlocking, 1)}, 2);
  CollectiveOptions options;
  options.allreduce = "ring";
  const GoalSchedule schedule = UnrollJobs(Star(3), {job}, options, "w.goal");
  std::vector<std::vector<std::uint32_t>> sends(3), receives(3);  // tags by source
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    for (const GoalOperation& operation : schedule.ranks[rank].operations) {
      if (operation.is_send()) sends[rank].push_back(operation.tag);
      if (operation.is_receive()) receives[operation.peer].push_back(operation.tag);
    }
  }
  EXPECT_EQ(sends, receives);
  EXPECT_EQ(sends[0].size(), 8U);
}

TEST(UnrolledJobs, WhatGoalDoesNotKnowIsRefused) {
  Graph graph(2, 1, 0, 2, "H100");
  for (const std::uint32_t gpu : {0U, 1U})
    graph.AddLink({NodeId(gpu), NodeId(2), BitRate{100'000'000'000}, NanoSeconds(500)});
  CollectiveOptions options;
  options.allreduce = "nvls";
  options.nvls = true;
  EXPECT_THROW(UnrollJobs(graph, {JobOf(2, {Step(Kind::kBlocking, 0)}, 1)}, options, "w.goal"),
               UserError);
}

}  // namespace
}  // namespace heddle
