// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/program/routed_experts.h"

#include <gtest/gtest.h>

#include "collectives/program/make_program.h"
#include "collectives/program/program.h"
#include "core/traffic/expert_table.h"
#include "tests/unit/collectives/program/collectives_test_util.h"

namespace heddle {
namespace {

using Routing = ExpertOptions::Routing;

/// A line that communicates the same forward and, unless it is none, backward.
Layer Line(const std::string& name, Operation operation, GroupType group, std::int64_t bytes) {
  Layer layer;
  layer.name = name;
  layer.forward = {NanoSeconds(1000), operation, group, bytes};
  layer.input_gradient = {NanoSeconds(2000), operation, group, bytes};
  layer.weight_gradient = {NanoSeconds(3000), Operation::kNone, GroupType::kData, 0};
  return layer;
}

/// `micro_batches` with an expert layer of AICB's form each.
Workload Experts(int micro_batches) {
  Workload workload;
  workload.name = "w.txt";
  workload.gradient_accumulation = micro_batches;
  for (int m = 0; m < micro_batches; ++m) {
    workload.layers.push_back(Line("embedding_layer", Operation::kNone, GroupType::kTensor, 0));
    for (const Operation operation : {Operation::kAllToAll, Operation::kNone, Operation::kAllToAll})
      workload.layers.push_back(Line("mlp_moelayer", operation, GroupType::kExpert, 64'000));
  }
  return workload;
}

/// Four ranks with an expert each; expert 0 has twice the mean of choices.
ExpertOptions Skewed() {
  ExpertOptions options;
  options.routing = Routing::kCounts;
  options.count = 4;
  options.top_k = 1;
  options.tokens = 64;
  options.table_data =
      std::make_shared<const ExpertTable>(ExpertTable{"counts.txt", {8, 4, 2, 2}, {}});
  return options;
}

const ParallelGroups kFour({1, 4, 1}, 4, "w.txt");

Program Routed(const ExpertOptions& options, const Workload& workload) {
  Program program = MakeProgram(workload, kFour, 1);
  RouteExperts(options, workload, kFour, &program);
  return program;
}

TEST(RoutedExperts, EvenRoutingChangesNothing) {
  const Program program = Routed(ExpertOptions(), Experts(1));
  EXPECT_EQ(program.experts, nullptr);
  for (const ProgramOp& op : program.ops) EXPECT_EQ(op.spec.sizes, nullptr);
  EXPECT_EQ(DescribeExperts(program), "");
}

/// Bytes from rank 0 to 1 and from 1 to 0: 16 and 32 choices of 1,000 bytes.
TEST(RoutedExperts, CombineAndGradientsGoBack) {
  const Program program = Routed(Skewed(), Experts(1));
  ASSERT_EQ(program.ops.size(), 4U);
  for (const ProgramOp& op : program.ops) {
    ASSERT_NE(op.spec.sizes, nullptr);
    const bool dispatch_line = op.layer == 1, forward = op.phase == Phase::kForward;
    const bool out = dispatch_line == forward;
    EXPECT_EQ(op.spec.sizes->bytes[1], out ? 16'000 : 32'000) << op.layer << ToText(op.phase);
    EXPECT_EQ(op.spec.sizes->bytes[4], out ? 32'000 : 16'000) << op.layer << ToText(op.phase);
    EXPECT_EQ(op.spec.sizes->returns, !out);
  }
  EXPECT_EQ(program.experts->tables.size(), 2U) << "equal ones are shared";
}

TEST(RoutedExperts, DispatchInFp8) {
  ExpertOptions options = Skewed();
  options.dispatch = ExpertOptions::Precision::kFp8;
  for (const ProgramOp& op : Routed(options, Experts(1)).ops) {
    const bool dispatch = op.layer == 1 && op.phase == Phase::kForward;
    EXPECT_EQ(op.spec.bytes, dispatch ? 33'000 : 64'000);
  }
}

/// The experts' line takes twice as long on rank 0, half on ranks 2 and 3; other lines the same.
TEST(RoutedExperts, ExpertsComputeByTheirLoad) {
  const Program program = Routed(Skewed(), Experts(1));
  const auto times = [&](std::uint32_t rank) {
    std::string text;
    for (const ProgramStep& step : program.steps[0]) {
      if (step.kind == ProgramStep::Kind::kCompute)
        text += std::to_string(TimeOnRank(program, step, kFour, rank).ps / 1000) + " ";
    }
    return text;
  };
  // Forward of lines 0 to 3; then of each, last first, both gradients.
  EXPECT_EQ(times(0), "1000 1000 2000 1000 2000 3000 4000 6000 2000 3000 2000 3000 ");
  EXPECT_EQ(times(1), "1000 1000 1000 1000 2000 3000 2000 3000 2000 3000 2000 3000 ");
  EXPECT_EQ(times(2), "1000 1000 500 1000 2000 3000 1000 1500 2000 3000 2000 3000 ");
  ExpertOptions options = Skewed();
  options.compute = false;
  const Program alike = Routed(options, Experts(1));
  for (const ProgramStep& step : alike.steps[0])
    EXPECT_EQ(TimeOnRank(alike, step, kFour, 0), step.time);
}

/// Layers differ, micro-batches do not.
TEST(RoutedExperts, LayersHaveTokensOfTheirOwn) {
  ExpertOptions options = Skewed();
  options.routing = Routing::kZipf;
  Workload workload = Experts(2);
  for (int i = 0; i < 3; ++i) workload.layers.push_back(workload.layers[1 + i]);
  const Program program = Routed(options, workload);
  EXPECT_EQ(program.experts->layers.size(), 2U);
  EXPECT_NE(program.experts->layers[0]->digest(), program.experts->layers[1]->digest());
  const auto sizes_of = [&](std::uint32_t line) -> const PairSizes* {
    for (const ProgramOp& op : program.ops) {
      if (op.layer == line && op.phase == Phase::kForward) return op.spec.sizes;
    }
    return nullptr;
  };
  EXPECT_EQ(sizes_of(1), sizes_of(5));
  EXPECT_NE(CompareSizes(sizes_of(1), sizes_of(8)), 0);
}

TEST(RoutedExperts, DescribesWhoPacesTheStep) {
  EXPECT_EQ(
      DescribeExperts(Routed(Skewed(), Experts(1))),
      "experts          4 on 4 ranks, 1 of each token, 64 tokens a rank, counts: expert 0 has "
      "up to 2.00 times the mean, rank 0 of its group 2.00 times, and paces the step\n");
}

}  // namespace
}  // namespace heddle
