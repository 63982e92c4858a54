// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/program/model_chunks.h"

#include <gtest/gtest.h>

#include "collectives/program/make_program.h"
#include "tests/unit/collectives/program/collectives_test_util.h"

namespace heddle {
namespace {

PipelineOptions Schedule(const std::string& word, std::int64_t chunks = 2) {
  PipelineOptions options;
  options.schedule = word;
  options.chunks = chunks;
  return options;
}

/// "0-2 2-4": the layers of each chunk of a micro-batch.
std::string ChunksText(const Workload& workload, std::uint32_t chunks, std::size_t batch = 0) {
  const std::vector<std::vector<LayerRange>> cut =
      CutIntoChunks(workload, CutIntoMicroBatches(workload), chunks);
  std::string text;
  for (const LayerRange& chunk : cut.at(batch))
    text += fmt::format("{}{}-{}", text.empty() ? "" : " ", chunk.begin, chunk.end);
  return text;
}

TEST(ModelChunks, LayersAreCutEvenly) {
  const Workload workload = PipelineWorkload(12, 2);
  EXPECT_EQ(ChunksText(workload, 1), "0-6");
  EXPECT_EQ(ChunksText(workload, 3), "0-2 2-4 4-6");
  EXPECT_EQ(ChunksText(workload, 3, 1), "6-8 8-10 10-12");
  EXPECT_EQ(MessageOf([&] { ChunksText(workload, 4); }),
            "w.txt:3: a micro-batch of 6 lines in 4 chunks of the model (pipeline.chunks). "
            "Expected: a divisor, the nearest is 3");
}

TEST(ModelChunks, EmbeddingsStayWithTheFirstAndTheLast) {
  Workload workload = PipelineWorkload(14, 2);
  for (const std::size_t at : {std::size_t{0}, std::size_t{7}}) {
    workload.layers[at].name = "embedding_layer";
    workload.layers[at + 6].name = "embedding_norm";
  }
  EXPECT_EQ(ChunksText(workload, 5), "0-2 2-3 3-4 4-5 5-7");
  EXPECT_EQ(ChunksText(workload, 5, 1), "7-9 9-10 10-11 11-12 12-14");
}

// As `heddle workload` writes it: two layers of two lines, the output layer and the loss.
TEST(ModelChunks, OutputLayerAndLossStayWithTheLast) {
  Workload workload = PipelineWorkload(14, 2);
  for (const std::size_t at : {std::size_t{0}, std::size_t{7}}) {
    workload.layers[at].name = "embedding_layer";
    workload.layers[at + 5].name = "final_column";
    workload.layers[at + 6].name = "loss_sum";
  }
  workload.virtual_pipeline = 2;
  EXPECT_EQ(ChunksText(workload, 2), "0-3 3-7");
  EXPECT_EQ(ChunksText(workload, 2, 1), "7-10 10-14");
}

// With TP the loss has three lines: all are of the last chunk, and two layers of four lines remain.
TEST(ModelChunks, LossesOfTensorParallelStepsStayWithTheLast) {
  Workload workload = PipelineWorkload(26, 2);
  for (const std::size_t at : {std::size_t{0}, std::size_t{13}}) {
    workload.layers[at].name = "embedding_layer";
    const char* const names[] = {"final_column", "loss_maximum", "loss_target", "loss_sum"};
    for (std::size_t i = 0; i < 4; ++i) workload.layers[at + 9 + i].name = names[i];
  }
  workload.virtual_pipeline = 2;
  EXPECT_EQ(ChunksText(workload, 2), "0-5 5-13");
  EXPECT_EQ(ChunksText(workload, 2, 1), "13-18 18-26");
}

TEST(ModelChunks, LayersOfSeveralLinesStayTogether) {
  Workload workload = PipelineWorkload(24, 2);
  workload.virtual_pipeline = 4;  // layers of a stage, of three lines each
  EXPECT_EQ(ChunksText(workload, 2), "0-6 6-12");
  EXPECT_EQ(MessageOf([&] { ChunksText(workload, 3); }),
            "w.txt:3: a micro-batch of 4 layers (vpp) in 3 chunks of the model (pipeline.chunks). "
            "Expected: a divisor, the nearest is 2");
  workload.virtual_pipeline = 5;  // divides nothing
  EXPECT_EQ(ChunksText(workload, 3), "0-4 4-8 8-12");
}

TEST(Pipeline, InterleavedStages) {
  const Program program =
      MakeProgram(PipelineWorkload(4, 2), Groups(1, 2, 2), 1, Schedule("interleaved"));
  EXPECT_EQ(program.schedule, "interleaved, 2 chunks in groups of 2");
  // Layers 0 and 1 are the chunks of micro-batch 0. Between chunks, messages go from stage 1 to 0.
  EXPECT_EQ(StepsText(program, 0),
            "10 . F0>1.0+ 12 . F0>1.1+ F1>0.0! 11 . F0>1.0+ F1>0.1! 13 . F0>1.1+ "
            "B1>0.0! 21 . 31 . B0>1.0+ B1>0.1! 23 . 33 . B0>1.1+ "
            "B1>0.0! 20 . 30 . B1>0.1! 22 . 32 .");
  EXPECT_EQ(StepsText(program, 1),
            "F0>1.0! 10 . F1>0.0+ F0>1.1! 12 . F1>0.1+ F0>1.0! 11 . 21 . 31 . B1>0.0+ "
            "F0>1.1! 13 . 23 . 33 . B1>0.1+ B0>1.0! 20 . 30 . B1>0.0+ B0>1.1! 22 . 32 . B1>0.1+");
  EXPECT_EQ(program.ops.size(), 2U * 2 * (2 * 2 - 1));
}

TEST(Pipeline, ZeroBubbleSendsBeforeTheGradientsOfWeights) {
  const Program program =
      MakeProgram(PipelineWorkload(2, 2), Groups(2, 2, 8), 1, Schedule("zb-h1"));
  EXPECT_EQ(StepsText(program, 1),
            "F0>1.0! wg0? 10 fwd0! . 20 ig0! . B1>0.0+ F0>1.1! wg1.1? 11 fwd1.1! . 21 ig1.1! . "
            "B1>0.1+ 30 wg0+ . 31 wg1.1+ .");
}

/// Both ends: stage 0 sends micro-batches of the first half forward, and takes those of the other.
TEST(Pipeline, DualPipeFromBothEnds) {
  const Program program =
      MakeProgram(PipelineWorkload(4, 4), Groups(1, 2, 2), 1, Schedule("dualpipe"));
  const std::string first = StepsText(program, 0);
  EXPECT_EQ(first.substr(0, first.find(" B")), "10 . F0>1.0+ F1>0.2! 12 . 11 . F0>1.1+ 22 . 32 .");
  EXPECT_EQ(program.ops.size(), 2U * 4);
  // The forward of 3 together with the backward of 0: both are received first, and sent last.
  EXPECT_NE(first.find("F1>0.3! B1>0.0! 13 . 20 . 30 ."), std::string::npos) << first;
}

TEST(Pipeline, DualPipeVTurnsOnTheLastStage) {
  const Program program =
      MakeProgram(PipelineWorkload(8, 4), Groups(1, 2, 2), 1, Schedule("dualpipev"));
  EXPECT_EQ(program.ops.size(), 4U * 2 * 2) << "no message in the middle of the V";
  EXPECT_EQ(StepsText(program, 1).substr(0, 35), "F0>1.0! 10 . 11 . F1>0.0+ F0>1.1! 1");
}

TEST(Pipeline, InferenceRunsTheForwardsOfASchedule) {
  Workload workload = PipelineWorkload(4, 2);
  workload.inference = true;
  const Program program = MakeProgram(workload, Groups(1, 2, 2), 1, Schedule("interleaved"));
  EXPECT_EQ(StepsText(program, 0),
            "10 . F0>1.0+ 12 . F0>1.1+ F1>0.0! 11 . F0>1.0+ F1>0.1! 13 . F0>1.1+");
  EXPECT_EQ(program.ops.size(), 2U * 3);
}

/// A chunk's input is there, so that nothing before it is computed again.
TEST(Pipeline, ChunksBeginWithActivationsThatAreKept) {
  Workload workload = PipelineWorkload(8, 2);
  workload.checkpoints = {0};
  workload.checkpoint_initiates = {3};
  const Program program = MakeProgram(workload, Groups(1, 2, 2), 1, Schedule("interleaved"));
  EXPECT_NE(StepsText(program, 0).find("B1>0.0! . 12 . 23 . 33 . 22 . 32 ."), std::string::npos)
      << StepsText(program, 0);
}

TEST(Pipeline, SchedulesThatAreNotLegal) {
  EXPECT_EQ(MessageOf([&] {
              MakeProgram(PipelineWorkload(4, 4), Groups(1, 4, 4), 1, Schedule("dualpipe"));
            }),
            "w.txt: pipeline.schedule=dualpipe: 4 micro-batches (ga) on 4 pipeline stages (pp). "
            "Expected: an even number from 8 on, such as 8");
  EXPECT_EQ(MakeProgram(PipelineWorkload(4, 4), Groups(1, 1, 4), 1, Schedule("dualpipe")).schedule,
            "")
      << "there is nothing to schedule";
}

}  // namespace
}  // namespace heddle
