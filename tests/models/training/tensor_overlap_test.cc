// SPDX-License-Identifier: GPL-2.0-only
/// Tensor parallel groups that communicate under products: the step by hand where all collectives
/// take one time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collectives/program/make_program.h"
#include "io/plan/plan_file.h"
#include "tests/models/training/one_price.h"
#include "topology/shapes/generator.h"

namespace heddle::testing {
namespace {

constexpr std::uint32_t kTensorRanks = 8;
constexpr std::int64_t kTensorLayers = 3;
/// Of each phase [us]; of attention's by the table of the whole block.
constexpr double kAttentionPhase = 900, kMlpPhase = 600;

/// Layers on eight GPUs that share each of them.
StepPlan TensorStep(bool overlap) {
  const std::string text = fmt::format(
      "model = \"llama-7b\"\nlayers = {}\nhidden = 512\nheads = 8\nvocabulary = 4096\n"
      "sequence = 4096\ngpus = 8\ntp = 8\ntp_comm_overlap = {}\n",
      kTensorLayers, overlap);
  StepPlan step = ResolvePlanFile(ParsePlan(text, "step.toml", ""), "step.toml");
  step.speed.table =
      ParseComputeTable(fmt::format("attention {0} {0} {0}\nmlp {1} {1} {1}\noptimizer 1\n",
                                    kAttentionPhase, kMlpPhase),
                        "times.txt");
  return step;
}

double TensorMicroseconds(const heddle::Workload& workload, Time each) {
  LeafSpineOptions options;
  options.gpus = kTensorRanks;
  const Graph graph = Generate("Spectrum-X", options);
  const ParallelGroups groups(workload.sizes, kTensorRanks, "step");
  std::vector<NodeId> gpus;
  for (std::uint32_t gpu = 0; gpu < kTensorRanks; ++gpu) gpus.emplace_back(gpu);
  return EndAtOnePrice(graph,
                       {{"step", workload, groups, MakeProgram(workload, groups, 1), gpus, Time{0},
                         Placement::kPacked}},
                       each);
}

/// Collectives of all lines, and those of attention and MLPs, which products may hide.
struct TensorCount {
  int all = 0, hidden = 0;
};
TensorCount CountCollectives(const heddle::Workload& workload) {
  TensorCount count;
  for (const Layer& layer : workload.layers) {
    for (const LayerPhase* phase : {&layer.forward, &layer.input_gradient}) {
      if (phase->bytes == 0) continue;
      ++count.all;
      if (phase->together) ++count.hidden;
    }
  }
  return count;
}

/// Pauses of a nanosecond, and 100 ns behind each collective that is waited for.
double PausesOf(const heddle::Workload& workload) {
  return 0.1 * CountCollectives(workload).all + 0.01 * static_cast<double>(workload.layers.size());
}

// Eight collectives a layer, each shorter than the product beside it, add nothing.
TEST(TensorOverlap, ProductsHideShortCollectives) {
  const heddle::Workload apart = MakeStepWorkload(
      TensorStep(false).shape, TensorStep(false).parallel, TensorStep(false).speed);
  const heddle::Workload together =
      MakeStepWorkload(TensorStep(true).shape, TensorStep(true).parallel, TensorStep(true).speed);
  EXPECT_NEAR(ComputedMicroseconds(apart), ComputedMicroseconds(together), 0.01);
  const TensorCount count = CountCollectives(together);
  EXPECT_EQ(count.all, CountCollectives(apart).all);
  EXPECT_EQ(count.hidden, 8 * kTensorLayers);
  EXPECT_EQ(CountCollectives(apart).hidden, 0);
  const double computed = ComputedMicroseconds(apart), each = 20;
  EXPECT_NEAR(TensorMicroseconds(apart, MicroSeconds(20)), computed + each * count.all,
              PausesOf(apart));
  EXPECT_NEAR(TensorMicroseconds(together, MicroSeconds(20)),
              computed + each * (count.all - count.hidden), PausesOf(together));
}

// Of a long one what its product leaves is exposed, and nothing runs under attention's pairs.
TEST(TensorOverlap, LongCollectivesAreExposedBeyondTheirProducts) {
  const StepPlan step = TensorStep(true);
  const heddle::Workload workload = MakeStepWorkload(step.shape, step.parallel, step.speed);
  double exposed = 0;
  int pairs = 0;
  for (const Layer& layer : workload.layers) {
    pairs += layer.name == "attention_pairs" && layer.forward.operation == Operation::kNone;
    for (const LayerPhase* phase : {&layer.forward, &layer.input_gradient}) {
      if (phase->bytes == 0) continue;
      exposed += phase->together ? std::max(0.0, 5000 - phase->compute.microseconds()) : 5000;
    }
  }
  EXPECT_EQ(pairs, kTensorLayers);
  EXPECT_NEAR(TensorMicroseconds(workload, MicroSeconds(5000)),
              ComputedMicroseconds(workload) + exposed, PausesOf(workload));
}

}  // namespace
}  // namespace heddle::testing
