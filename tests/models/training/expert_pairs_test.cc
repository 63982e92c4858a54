// SPDX-License-Identifier: GPL-2.0-only
/// One micro-batch's exchanges with experts under the computing of another: the step by hand where
/// all collectives take one time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collectives/lockstep/lockstep.h"
#include "collectives/program/make_program.h"
#include "io/plan/plan_file.h"
#include "tests/models/training/one_price.h"
#include "topology/shapes/generator.h"

namespace heddle::testing {
namespace {

constexpr std::uint32_t kExpertRanks = 8;

/// One layer of eight experts on as many GPUs, and `micro_batches`. Blocks take 1 ms and more.
Job PairsJob(std::int64_t micro_batches, bool overlap) {
  const std::string text = fmt::format(
      "model = \"mixtral-8x7b\"\nlayers = 1\nhidden = 512\nvocabulary = 4096\nsequence = 256\n"
      "gpus = 8\nep = 8\nzero = 0\noverlap_gradients = false\nglobal_batch = {}\n"
      "overlap_experts = {}\n",
      8 * micro_batches, overlap);
  StepPlan step = ResolvePlanFile(ParsePlan(text, "step.toml", ""), "step.toml");
  step.speed.table = ParseComputeTable(
      "attention 1000 1500 1000\nrouter 100 100 100\nexperts 1000 1000 1000\noutput 200 200 200\n"
      "optimizer 0.001\n",
      "times.txt");
  heddle::Workload workload = MakeStepWorkload(step.shape, step.parallel, step.speed);
  const ParallelGroups groups(workload.sizes, kExpertRanks, "step");
  PipelineOptions how;
  how.overlap_experts = step.parallel.overlap_experts;
  Program program = MakeProgram(workload, groups, 1, how);
  std::vector<NodeId> gpus;
  for (std::uint32_t gpu = 0; gpu < kExpertRanks; ++gpu) gpus.emplace_back(gpu);
  return {"step",  std::move(workload), groups, std::move(program), gpus,
          Time{0}, Placement::kPacked};
}

double PairsMicroseconds(const Job& job, double each) {
  LeafSpineOptions options;
  options.gpus = kExpertRanks;
  const Graph graph = Generate("Spectrum-X", options);
  return EndAtOnePrice(graph, {job}, MicroSeconds(static_cast<std::int64_t>(each)));
}

constexpr double kPauses = 10;  ///< of a nanosecond, and 100 ns behind each collective

// Exposed are: of each micro-batch the gather of its tokens' numbers, and the AllReduce of
// gradients; of each micro-batch two AllToAlls forward and two backward. In pairs only those of the
// first forward and of the last backward.
TEST(ExpertPairs, HideExchangesUnderTheOtherMicroBatch) {
  constexpr double kEach = 300;
  for (const std::int64_t m : {1, 2, 5}) {
    const Job one_by_one = PairsJob(m, false), pairs = PairsJob(m, true);
    const double computed = ComputedMicroseconds(one_by_one.workload),
                 batches = static_cast<double>(m);
    EXPECT_EQ(ComputedMicroseconds(pairs.workload), computed);
    EXPECT_NEAR(PairsMicroseconds(one_by_one, kEach), computed + (5 * batches + 1) * kEach,
                kPauses);
    EXPECT_NEAR(PairsMicroseconds(pairs, kEach), computed + (batches + 4 + 1) * kEach, kPauses);
  }
}

// Exchanges that take longer than all computing follow each other: 4 m, m gathers, one AllReduce.
TEST(ExpertPairs, LongExchangesAreNotHidden) {
  constexpr double kEach = 50'000;
  const Job pairs = PairsJob(4, true);
  const double found = PairsMicroseconds(pairs, kEach);
  EXPECT_GE(found, 21 * kEach);
  EXPECT_LE(found, 21 * kEach + ComputedMicroseconds(pairs.workload) + kPauses);
}

TEST(ExpertPairs, DoTheSameOperations) {
  const Job one_by_one = PairsJob(3, false), pairs = PairsJob(3, true);
  ASSERT_EQ(pairs.program.ops.size(), one_by_one.program.ops.size());
  std::vector<int> issued(pairs.program.ops.size(), 0);
  for (const ProgramStep& step : pairs.program.steps[0]) {
    if (step.kind == ProgramStep::Kind::kBlocking || step.kind == ProgramStep::Kind::kOverlapped)
      ++issued[step.op];
  }
  EXPECT_EQ(issued, std::vector<int>(issued.size(), 1));
}

// One rank a stage is as long as all ranks, in pairs, too.
TEST(ExpertPairs, AreOfClosedFormsToo) {
  const Job job = PairsJob(4, true);
  LeafSpineOptions options;
  options.gpus = kExpertRanks;
  const Graph graph = Generate("Spectrum-X", options);
  const CollectiveOptions usual;
  ClosedPrices prices(graph, usual, WireFigures()), same(graph, usual, WireFigures());
  EXPECT_LT(EndOf(RunLockstep(job, &prices)).ps, EndOf(RunLockstep(PairsJob(4, false), &same)).ps);
}

}  // namespace
}  // namespace heddle::testing
