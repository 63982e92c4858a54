// SPDX-License-Identifier: GPL-2.0-only
#include <gtest/gtest.h>

#include <map>

#include "io/simai/simai_workload.h"
#include "io/simai/workload_text.h"
#include "io/workload_model/step_summary.h"
#include "tests/unit/io/workload_model/known_model.h"

namespace heddle {
namespace {

const Layer& LineNamed(const Workload& workload, const std::string& name) {
  for (const Layer& layer : workload.layers) {
    if (layer.name == name) return layer;
  }
  throw UserError("no line " + name);
}

void ExpectPhase(const LayerPhase& phase, Operation operation, GroupType group,
                 std::int64_t bytes) {
  EXPECT_STREQ(ToText(phase.operation), ToText(operation));
  EXPECT_STREQ(ToText(phase.group), ToText(group));
  EXPECT_EQ(phase.bytes, bytes);
}

// 2 x 2048 x 5120 bytes of activations; Korthikanti et al. 2022, figure 5.
TEST(MegatronStep, WithSequenceParallelismGathersAndScatters) {
  const Workload step = StepOn(KnownModel("gpt-13b"), PlanFor(64, 8));
  const Layer& column = LineNamed(step, "mlp_column");
  ExpectPhase(column.forward, Operation::kAllGather, GroupType::kTensor, 20971520);
  ExpectPhase(column.input_gradient, Operation::kReduceScatter, GroupType::kTensor, 20971520);
  const Layer& row = LineNamed(step, "mlp_row");
  ExpectPhase(row.forward, Operation::kReduceScatter, GroupType::kTensor, 20971520);
  ExpectPhase(row.input_gradient, Operation::kAllGather, GroupType::kTensor, 20971520);
}

// A ReduceScatter and an AllGather of a ring send what an AllReduce sends.
TEST(MegatronStep, SequenceParallelismSendsAsManyBytesInLayers) {
  ParallelPlan plan = PlanFor(64, 8);
  const Workload with = StepOn(KnownModel("gpt-13b"), plan);
  plan.sequence_parallel = false;
  const Workload without = StepOn(KnownModel("gpt-13b"), plan);
  const auto sent = [&](const Workload& step, const std::string& block) {
    Workload layers;
    for (const Layer& layer : step.layers) {
      if (layer.name.rfind(block, 0) == 0) layers.layers.push_back(layer);
    }
    return Summarize(layers, plan).of(GroupType::kTensor).sent_bytes;
  };
  EXPECT_GT(sent(with, "attention"), 0);
  EXPECT_DOUBLE_EQ(sent(with, "attention"), sent(without, "attention"));
  EXPECT_DOUBLE_EQ(sent(with, "mlp"), sent(without, "mlp"));
}

// ZeRO 1: 4 bytes of each gradient are scattered, 2 of each parameter gathered.
TEST(MegatronStep, ReducesGradientsOfEachParameterOnce) {
  for (const char* name : {"gpt-13b", "llama-7b", "mixtral-8x7b", "deepseek-v3"}) {
    for (const bool overlap : {false, true}) {
      ParallelPlan plan = PlanFor(64, 4);
      plan.global_batch = 3 * plan.data();
      plan.expert = KnownModel(name).has_experts() ? 8 : 1;
      plan.overlap_gradients = overlap;
      const Workload step = StepOn(KnownModel(name), plan);
      std::map<std::pair<Operation, GroupType>, std::int64_t> bytes;
      for (const Layer& layer : step.layers)
        bytes[{layer.weight_gradient.operation, layer.weight_gradient.group}] +=
            layer.weight_gradient.bytes;
      const HeldParameters held = LayerWork(KnownModel(name), plan).StageParameters();
      EXPECT_EQ((bytes[{Operation::kReduceScatter, GroupType::kData}]), 4 * held.common) << name;
      EXPECT_EQ((bytes[{Operation::kAllGather, GroupType::kData}]), 2 * held.common) << name;
      EXPECT_EQ((bytes[{Operation::kReduceScatter, GroupType::kDataExpert}]), 4 * held.experts);
      EXPECT_EQ((bytes[{Operation::kAllGather, GroupType::kDataExpert}]), 2 * held.experts);
    }
  }
}

TEST(MegatronStep, WithoutZeroAllReducesGradients) {
  ParallelPlan plan = PlanFor(64, 8);
  plan.zero = 0;
  const Workload step = StepOn(KnownModel("gpt-13b"), plan);
  const HeldParameters held = LayerWork(KnownModel("gpt-13b"), plan).StageParameters();
  ExpectPhase(LineNamed(step, "grad_param_comm").weight_gradient, Operation::kAllReduce,
              GroupType::kData, 4 * held.common);
  EXPECT_THROW(LineNamed(step, "grad_gather"), UserError);
}

TEST(MegatronStep, OfAGroupOfOneGpuCommunicatesNothing) {
  const StepSummary alone =
      Summarize(StepOn(KnownModel("mixtral-8x7b"), PlanFor(1, 1)), PlanFor(1, 1));
  for (int i = 0; i < kGroupTypes; ++i)
    EXPECT_EQ(alone.of(static_cast<GroupType>(i)).collectives, 0);
  EXPECT_GT(alone.compute_seconds, 0);
}

// 6 N D operations of GPT-13B at 989.4 TFLOPS x 0.6, but for norms, pairs and the optimizer.
TEST(MegatronStep, ComputesAsLongAsItsOperationsSay) {
  ParallelPlan plan = PlanFor(16, 2);
  plan.global_batch = 8 * plan.data();
  const StepSummary step = Summarize(StepOn(KnownModel("gpt-13b"), plan), plan);
  const double operations = 6 * 12.85e9 * 2048 * 8 / 2;
  const double least = operations / (989.4e12 * 0.6);
  EXPECT_GT(step.compute_seconds, least);
  EXPECT_LT(step.compute_seconds, 1.25 * least);
}

TEST(MegatronStep, IsReadBackAsItWasWritten) {
  ParallelPlan plan = PlanFor(256, 2, 4);
  plan.expert = 8;
  plan.global_batch = 8 * plan.data();
  plan.overlap_gradients = true;
  const Workload step = StepOn(KnownModel("mixtral-8x7b"), plan);
  const std::string text = WorkloadText(step, "heddle workload moe");
  EXPECT_NE(text.find("\n# heddle workload moe\n"), std::string::npos);
  const Workload again = ParseSimaiWorkload(text, "step.txt");
  EXPECT_EQ(WorkloadText(again, "heddle workload moe"), text);
  EXPECT_EQ(again.gradient_accumulation, 8);
  // A GPU has half of the positions of a micro-batch.
  EXPECT_EQ(again.pipeline_bytes, 2 * 4096 * 4096 / 2);
  std::int64_t micro_batches = 0;
  for (const Layer& layer : again.layers) micro_batches += layer.name == "embedding_layer" ? 1 : 0;
  EXPECT_EQ(micro_batches, 8);
}

// Times that were measured stand for the roofline's, divided between a block's lines as these are.
TEST(MegatronStep, TakesTimesOfTheTable) {
  StepSpeed speed;
  speed.gpu = {"H100", 989.4, 3350};
  speed.table = ParseComputeTable("attention 300 400 200\noptimizer 1000\n", "t.txt");
  const Workload step = MakeStepWorkload(KnownModel("gpt-13b"), PlanFor(64, 8), speed);
  const Layer& column = LineNamed(step, "attention_column");
  const Layer& row = LineNamed(step, "attention_row");
  EXPECT_EQ(column.forward.compute + row.forward.compute, MicroSeconds(300));
  EXPECT_EQ(column.input_gradient.compute + row.input_gradient.compute, MicroSeconds(400));
  EXPECT_EQ(column.weight_gradient.compute + row.weight_gradient.compute, MicroSeconds(200));
  EXPECT_GT(column.forward.compute, NanoSeconds(0));
  EXPECT_GT(row.forward.compute, NanoSeconds(0));
  EXPECT_EQ(LineNamed(step, "grad_param_compute").input_gradient.compute, MicroSeconds(1000));
}

// Of each layer the input of its first line is kept, and an empty last line computes the layer
// again.
TEST(MegatronStep, RecomputesWholeLayers) {
  ModelShape shape = KnownModel("gpt-7b");
  shape.layers = 2;
  ParallelPlan plan = PlanFor(4, 2);
  plan.global_batch = 4;  // two micro-batches
  const Workload plain = StepOn(shape, plan);
  plan.recompute = true;
  const Workload again = StepOn(shape, plan);
  EXPECT_EQ(again.layers.size(), plain.layers.size() + 4);
  ASSERT_EQ(again.checkpoints.size(), 4u);
  ASSERT_EQ(again.checkpoint_initiates.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto first = static_cast<std::size_t>(again.checkpoints[i]);
    const auto last = static_cast<std::size_t>(again.checkpoint_initiates[i]);
    EXPECT_EQ(again.layers[first].name, "attention_column");
    EXPECT_EQ(again.layers[last].name, "layer_end");
    EXPECT_EQ(last - first, 4u);
  }
  EXPECT_TRUE(plain.checkpoints.empty());
}

}  // namespace
}  // namespace heddle
