// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/program/micro_batches.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collectives/program/make_program.h"
#include "tests/unit/collectives/program/collectives_test_util.h"

namespace heddle {
namespace {

/// As AICB writes them: what is done once a step, then each micro-batch from its embedding_layer
/// on, then the loss and the optimizer. The names of layers, in order.
Workload NamedPipeline(const std::vector<std::string>& names, std::int64_t micro_batches) {
  Workload workload = PipelineWorkload(static_cast<std::uint32_t>(names.size()), micro_batches);
  for (std::size_t i = 0; i < names.size(); ++i) workload.layers[i].name = names[i];
  return workload;
}

TEST(MicroBatches, MicroBatchesBeginWithTheirEmbeddingLayer) {
  const Workload workload =
      NamedPipeline({"grad_gather", "embedding_layer", "mlp", "embedding_layer", "mlp",
                     "cross_entropy1", "optimizer1"},
                    2);
  const Program program = MakeProgram(workload, Groups(1, 2, 2), 1);
  // Layer i computes 10 + i forward, 20 + i and 30 + i ns backward. Layers 0, 5 and 6 are run once.
  EXPECT_EQ(StepsText(program, 1),
            "10 . F0>1.0! 11 . 12 . 22 . 32 . 21 . 31 . B1>0.0+ "
            "F0>1.1! 13 . 14 . 24 . 34 . 23 . 33 . B1>0.1+ "
            "15 . 16 . 26 . 36 . 25 . 35 . 20 . 30 .");
  EXPECT_EQ(StepsText(program, 0),
            "10 . 11 . 12 . F0>1.0+ 13 . 14 . F0>1.1+ B1>0.0! 22 . 32 . 21 . 31 . "
            "B1>0.1! 24 . 34 . 23 . 33 . 15 . 16 . 26 . 36 . 25 . 35 . 20 . 30 .");
  const Program alone = MakeProgram(workload, Groups(1, 1, 1), 1);
  EXPECT_EQ(StepsText(alone).substr(0, 36), "10 . 11 . 12 . 13 . 14 . 15 . 16 . 2")
      << "without stages the file is run as it is";
}

TEST(MicroBatches, EachLayerOfAFileWithMarksRunsOnce) {
  const Workload workload = NamedPipeline(
      {"grad_gather", "grad_param_comm", "embedding_layer", "mlp", "final", "embedding_layer",
       "mlp", "final", "embedding_layer", "mlp", "final", "optimizer1"},
      3);
  const Program program = MakeProgram(workload, Groups(2, 2, 8), 1);
  std::vector<std::uint32_t> seen(12, 0);
  for (const ProgramOp& op : program.ops) {
    if (op.spec.group == GroupType::kPipeline) continue;
    const std::uint32_t batch = op.layer < 5 ? 0 : op.layer < 8 ? 1 : 2;
    EXPECT_EQ(op.micro_batch, batch) << OpText(op);
    ++seen[op.layer];
  }
  EXPECT_EQ(seen, std::vector<std::uint32_t>(12, 3));
}

TEST(MicroBatches, OtherNumbersOfEmbeddingLayersThanMicroBatches) {
  const auto message = [](const std::vector<std::string>& names, std::int64_t micro_batches) {
    return MessageOf([&] { MakeProgram(NamedPipeline(names, micro_batches), Groups(1, 2, 2), 1); });
  };
  EXPECT_EQ(message({"embedding_layer", "mlp", "embedding_layer", "mlp"}, 3),
            "w.txt:5: 2 lines embedding_layer for 3 micro-batches (ga). Expected: one at the "
            "beginning of each micro-batch; the file may be truncated");
  EXPECT_EQ(message({"embedding_layer", "mlp", "embedding_layer", "mlp"}, 1),
            "w.txt:5: 2 lines embedding_layer for 1 micro-batch (ga). Expected: one at the "
            "beginning of each micro-batch");
}

TEST(MicroBatches, InferenceHasOnlyForwardSteps) {
  Workload workload = PipelineWorkload(2, 2);
  workload.inference = true;
  workload.checkpoints = {0};
  workload.checkpoint_initiates = {1};
  const Program program = MakeProgram(workload, Groups(2, 2, 8), 1);
  EXPECT_EQ(StepsText(program, 0), "10 fwd0! . F0>1.0+ 11 fwd1.1! . F0>1.1+");
  EXPECT_EQ(StepsText(program, 1), "F0>1.0! 10 fwd0! . F0>1.1! 11 fwd1.1! .");
  EXPECT_EQ(program.ops.size(), 4U) << "two AllReduces and two activations";
  workload.policy = Policy::kModel;
  EXPECT_EQ(MessageOf([&] { MakeProgram(workload, Groups(2, 1, 8), 1); }).substr(0, 22),
            "w.txt:1: MODEL with ch");
  workload.checkpoint_initiates.clear();
  EXPECT_EQ(MessageOf([&] { MakeProgram(workload, Groups(2, 1, 8), 1); }),
            "w.txt:1: MODEL with mode: 1. Expected: mode: 0, or policy "
            "HYBRID_TRANSFORMER_FWD_IN_BCKWD");
}

/// Without embedding_layer the layers are divided evenly: floor(m L / ga) is the first of
/// micro-batch m.
TEST(MicroBatches, TheLayersOfAFileAreCutIntoMicroBatches) {
  for (const auto& [layers, micro_batches] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {1, 1}, {7, 1}, {7, 2}, {7, 3}, {7, 7}, {92, 8}, {100, 33}}) {
    const Program program =
        MakeProgram(PipelineWorkload(layers, micro_batches), Groups(2, 2, 8), 1);
    std::vector<std::uint32_t> seen(layers, 0);
    for (const ProgramOp& op : program.ops) {
      if (op.spec.group == GroupType::kPipeline) continue;
      const std::uint64_t m = op.micro_batch;
      EXPECT_GE(op.layer, m * layers / micro_batches) << OpText(op);
      EXPECT_LT(op.layer, (m + 1) * layers / micro_batches) << OpText(op);
      ++seen[op.layer];
    }
    EXPECT_EQ(seen, std::vector<std::uint32_t>(layers, 3))
        << "each layer's three communications once";
  }
}

}  // namespace
}  // namespace heddle
