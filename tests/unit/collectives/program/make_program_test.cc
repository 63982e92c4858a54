// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/program/make_program.h"

#include <algorithm>
#include <map>
#include <set>

#include "tests/unit/collectives/program/collectives_test_util.h"

namespace heddle {
namespace {

TEST(Program, TransformerIsSimAIsOrder) {
  const Program program =
      MakeProgram(SmallWorkload(Policy::kTransformerFwdInBckwd, 2), Groups(8, 1, 32), 3);
  EXPECT_EQ(program.passes, 3u);
  ASSERT_EQ(program.ops.size(), 6u);
  EXPECT_EQ(StepsText(program),
            "wg0? 10 fwd0! . wg1? 11 fwd1! . 21 ig1! . 31 wg1+ . 20 ig0! . 30 wg0+ .");
  const ProgramOp& op = program.ops[0];
  EXPECT_EQ(op.spec.operation, Operation::kAllReduce);
  EXPECT_EQ(op.spec.group, GroupType::kTensor);
  EXPECT_EQ(op.spec.bytes, 8192);
  EXPECT_EQ(op.spec.peer, GroupShape::kNone);
  EXPECT_EQ(op.update, NanoSeconds(7));
}

TEST(Program, WhatDoesNothingIsLeftOut) {
  Workload workload = SmallWorkload(Policy::kTransformerFwdInBckwd, 1);
  workload.layers[0].forward.operation = Operation::kNone;
  workload.layers[0].input_gradient.bytes = 0;
  workload.layers[0].input_gradient.compute = {};
  EXPECT_EQ(StepsText(MakeProgram(workload, Groups(8, 1, 8), 1)), "10 . . 30 .");  // DP is 1
}

TEST(Program, SmallForwardCollectivesOfTheTransformerAreRaised) {
  for (const auto& [given, sent] :
       std::map<std::int64_t, std::int64_t>{{1, 4096}, {4095, 4096}, {4096, 4096}, {4097, 4097}}) {
    Workload workload = SmallWorkload(Policy::kTransformerFwdInBckwd, 1);
    workload.layers[0].forward.bytes = workload.layers[0].input_gradient.bytes =
        workload.layers[0].weight_gradient.bytes = given;
    const Program program = MakeProgram(workload, Groups(2, 1, 4), 1);
    ASSERT_EQ(program.ops.size(), 3u);
    EXPECT_EQ(program.ops[0].spec.bytes, sent);
    EXPECT_EQ(program.ops[1].spec.bytes, given);
    EXPECT_EQ(program.ops[2].spec.bytes, given);
    workload.policy = Policy::kDistributedInference;
    EXPECT_EQ(MakeProgram(workload, Groups(2, 1, 4), 1).ops[0].spec.bytes, given);
  }
}

TEST(Program, ActivationsAreComputedAgainFromTheLastCheckpoint) {
  Workload workload = SmallWorkload(Policy::kTransformerFwdInBckwd, 4);
  workload.checkpoints = {0, 1};
  workload.checkpoint_initiates = {3, 1};  // 1 is a checkpoint itself: nothing to compute again
  const Program program = MakeProgram(workload, Groups(8, 1, 8), 1);
  EXPECT_EQ(StepsText(program),
            "10 fwd0! . 11 fwd1! . 12 fwd2! . 13 fwd3! . "
            ". 11 fwd1! . 12 fwd2! . 23 ig3! . 33 . 22 ig2! . 32 . 21 ig1! . 31 . 20 ig0! . 30 .");
  std::vector<std::uint32_t> blocked;
  for (const ProgramStep& step : program.steps[0]) {
    if (step.kind == ProgramStep::Kind::kBlocking) blocked.push_back(step.op);
  }
  EXPECT_EQ(std::set<std::uint32_t>(blocked.begin(), blocked.end()).size(), blocked.size())
      << "an operation is issued twice";
  EXPECT_EQ(program.ops.size(), blocked.size());
}

TEST(Program, Micro) {
  EXPECT_EQ(StepsText(MakeProgram(SmallWorkload(Policy::kMicro, 2), Groups(1, 1, 32), 1)),
            "30 wg0! . 31 wg1! .");
}

TEST(Program, Data) {
  EXPECT_EQ(StepsText(MakeProgram(SmallWorkload(Policy::kData, 2), Groups(1, 1, 32), 1)),
            "wg0? 10 . wg1? 11 . 31 wg1+ . 21 . 30 wg0+ .");
}

TEST(Program, Model) {
  EXPECT_EQ(StepsText(MakeProgram(SmallWorkload(Policy::kModel, 2), Groups(32, 1, 32), 1)),
            "10 fwd0! . 11 fwd1! . 21 ig1+ . 31 ig1? . 20 . 30 .");
}

TEST(Program, Hybrids) {
  for (const Policy policy :
       {Policy::kHybridDataModel, Policy::kHybridModelData, Policy::kHybridTransformer}) {
    EXPECT_EQ(StepsText(MakeProgram(SmallWorkload(policy, 2), Groups(8, 1, 32), 1)),
              "wg0? 10 fwd0! . wg1? 11 fwd1! . 21 ig1+ . 31 wg1+ ig1? . 20 . 30 wg0+ .");
  }
}

/// Four layers, the last one alone at the top; the embeddings have all-to-alls and no weights to
/// share.
Workload DlrmWorkload(Policy policy) {
  Workload workload = SmallWorkload(policy, 4);
  workload.last_bottom_layer = 2;
  workload.layers[0].forward.operation = Operation::kAllToAll;
  workload.layers[0].input_gradient.operation = Operation::kAllToAll;
  workload.layers[0].weight_gradient.operation = Operation::kNone;
  return workload;
}

TEST(Program, DlrmExchangesEmbeddingsBesideTheBottomLayers) {
  const Program program = MakeProgram(DlrmWorkload(Policy::kHybridDlrm), Groups(1, 1, 32), 1);
  EXPECT_EQ(StepsText(program),
            "10 fwd0+ . wg1? 11 . wg2? 12 fwd0? . wg3? 13 . 33 wg3+ . 23 ig0+ . 32 wg2+ . 22 . 31 "
            "wg1+ . 21 . 30 ig0? .");
  for (const ProgramOp& op : program.ops) {
    EXPECT_EQ(op.spec.group, GroupType::kData) << "over all GPUs";
    EXPECT_EQ(op.highest, op.phase != Phase::kWeightGradient) << OpText(op);
  }
}

TEST(Program, EnhancedDlrmDoesNotWaitForTheExchangeBack) {
  const Program program =
      MakeProgram(DlrmWorkload(Policy::kHybridDlrmEnhanced), Groups(1, 1, 32), 1);
  EXPECT_EQ(StepsText(program),
            "10 fwd0+ . wg1? 11 . wg2? 12 fwd0? . wg3? 13 . 33 wg3+ . 23 ig0+ . 32 wg2+ . 22 . 31 "
            "wg1+ . 21 . 30 .");
}

TEST(Program, DlrmIssuesEveryForwardAllToAllAndNoOtherForward) {
  Workload workload = DlrmWorkload(Policy::kHybridDlrm);
  workload.layers[0].forward.operation = Operation::kAllReduce;
  workload.layers[3].forward.operation = Operation::kAllToAll;
  workload.layers[0].input_gradient.operation = Operation::kNone;
  EXPECT_EQ(StepsText(MakeProgram(workload, Groups(1, 1, 32), 1)),
            "10 . wg1? 11 . wg2? 12 . wg3? 13 fwd3+ . 33 wg3+ . 23 . 32 wg2+ . 22 . 31 wg1+ . 21 . "
            "30 .");
}

TEST(Program, CustomizedLayersCommunicateByTheirOwnPolicies) {
  Workload workload = SmallWorkload(Policy::kHybridCustomized, 4);
  workload.layers[0].policy = Policy::kModel;
  workload.layers[1].policy = Policy::kData;
  workload.layers[2].policy = Policy::kHybridModelData;
  workload.layers[3].policy = Policy::kModel;
  const Program program = MakeProgram(workload, Groups(8, 1, 32), 1);
  EXPECT_EQ(StepsText(program),
            "10 fwd0! . wg1? 11 . wg2? 12 fwd2! . 13 fwd3! . 23 ig3+ . 33 ig3? . 22 ig2+ . 32 wg2+ "
            "ig2? . 21 . 31 wg1+ . 20 . 30 .");
  for (const ProgramOp& op : program.ops) EXPECT_FALSE(op.highest);
}

TEST(Program, InferenceIsForwardOnly) {
  EXPECT_EQ(
      StepsText(MakeProgram(SmallWorkload(Policy::kDistributedInference, 2), Groups(4, 1, 4), 1)),
      "10 fwd0! . 11 fwd1! .");
}

TEST(Pipeline, OneForwardOneBackward) {
  const Program program = MakeProgram(PipelineWorkload(3, 3), Groups(2, 2, 8), 1);
  ASSERT_EQ(program.steps.size(), 2u);
  EXPECT_EQ(StepsText(program, 0),
            "wg0? 10 fwd0! . F0>1.0+ "
            "wg1.1? 11 fwd1.1! . F0>1.1+ B1>0.0! 20 ig0! . 30 wg0+ . "
            "wg2.2? 12 fwd2.2! . F0>1.2+ B1>0.1! 21 ig1.1! . 31 wg1.1+ . "
            "B1>0.2! 22 ig2.2! . 32 wg2.2+ .");
  EXPECT_EQ(StepsText(program, 1),
            "F0>1.0! wg0? 10 fwd0! . 20 ig0! . 30 wg0+ . B1>0.0+ "
            "F0>1.1! wg1.1? 11 fwd1.1! . 21 ig1.1! . 31 wg1.1+ . B1>0.1+ "
            "F0>1.2! wg2.2? 12 fwd2.2! . 22 ig2.2! . 32 wg2.2+ . B1>0.2+");
  const auto message =
      std::find_if(program.ops.begin(), program.ops.end(),
                   [](const ProgramOp& op) { return op.spec.group == GroupType::kPipeline; });
  EXPECT_EQ(message->spec.operation, Operation::kSendRecv);
  EXPECT_EQ(message->spec.bytes, 1'000'000);
  EXPECT_EQ(message->update, Time{});
}

TEST(Pipeline, AMicroBatchBeginsWithActivationsThatAreKept) {
  Workload workload = PipelineWorkload(4, 2);
  workload.checkpoints = {0};
  workload.checkpoint_initiates = {1, 3};
  EXPECT_EQ(StepsText(MakeProgram(workload, Groups(1, 2, 2), 1), 1),
            "F0>1.0! 10 . 11 . . 10 . 21 . 31 . 20 . 30 . B1>0.0+ "
            "F0>1.1! 12 . 13 . . 12 . 23 . 33 . 22 . 32 . B1>0.1+");
}

TEST(Pipeline, FewerMicroBatchesThanStages) {
  const Program program = MakeProgram(PipelineWorkload(1, 1), Groups(1, 3, 3), 1);
  EXPECT_EQ(StepsText(program, 0), "10 . F0>1.0+ B1>0.0! 20 . 30 .");
  EXPECT_EQ(StepsText(program, 1), "F0>1.0! 10 . F1>2.0+ B2>1.0! 20 . 30 . B1>0.0+");
  EXPECT_EQ(StepsText(program, 2), "F1>2.0! 10 . 20 . 30 . B2>1.0+");
}

/// Executes the stages as if messages took no time: no stage stops before its end, and no stage has
/// more open forwards than there are stages from it on.
TEST(Pipeline, NeverStopsAndHoldsFewActivations) {
  for (const std::uint32_t stages : {2U, 3U, 5U, 8U}) {
    for (const std::int64_t micro_batches : {1, 2, 4, 9}) {
      Workload workload =
          PipelineWorkload(static_cast<std::uint32_t>(3 * micro_batches), micro_batches);
      workload.checkpoints = {0};
      workload.checkpoint_initiates = {2};
      const Program program = MakeProgram(workload, Groups(2, stages, 4 * stages), 1);
      std::set<std::uint32_t> sent;
      std::vector<std::size_t> at(stages, 0);
      std::vector<std::int64_t> held(stages, 0), issued(program.ops.size(), 0);
      for (bool moved = true; moved;) {
        moved = false;
        for (std::uint32_t stage = 0; stage < stages; ++stage) {
          for (; at[stage] < program.steps[stage].size(); ++at[stage], moved = true) {
            const ProgramStep& step = program.steps[stage][at[stage]];
            if (step.kind != ProgramStep::Kind::kBlocking &&
                step.kind != ProgramStep::Kind::kOverlapped)
              continue;
            const ProgramOp& op = program.ops[step.op];
            const bool message = op.spec.group == GroupType::kPipeline;
            if (message && step.kind == ProgramStep::Kind::kBlocking) {
              EXPECT_EQ(op.spec.peer, stage);
              if (sent.count(step.op) == 0) break;
            } else if (message) {
              EXPECT_EQ(op.spec.root, stage);
              sent.insert(step.op);
            }
            ++issued[step.op];
            if (op.layer % 3 == 2 && !message && op.phase == Phase::kForward) {
              EXPECT_LE(++held[stage], static_cast<std::int64_t>(stages - stage));
            }
            if (op.layer % 3 == 2 && op.phase == Phase::kInputGradient && !message) --held[stage];
          }
        }
      }
      for (std::uint32_t stage = 0; stage < stages; ++stage)
        EXPECT_EQ(at[stage], program.steps[stage].size());
      for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
        EXPECT_EQ(issued[op], program.ops[op].spec.group == GroupType::kPipeline ? 2 : stages)
            << OpText(program.ops[op]);
      }
    }
  }
}

TEST(Pipeline, WithoutBytesMessagesAreOfOne) {
  Workload workload = PipelineWorkload(1, 1);
  workload.pipeline_bytes = 0;
  const Program program = MakeProgram(workload, Groups(1, 2, 2), 1);
  ASSERT_EQ(program.ops.size(), 2u);
  EXPECT_EQ(program.ops[0].spec.bytes, 1);
}

TEST(Program, Mistakes) {
  Workload workload = SmallWorkload(Policy::kData, 1);
  EXPECT_EQ(MessageOf([&] { MakeProgram(workload, Groups(1, 2, 4), 1); }),
            "w.txt:1: DATA with 2 pipeline stages (pp). Expected: pp: 1, or policy "
            "HYBRID_TRANSFORMER_FWD_IN_BCKWD");
  workload.checkpoint_initiates = {0};
  EXPECT_EQ(MessageOf([&] { MakeProgram(workload, Groups(1, 1, 4), 1); }),
            "w.txt:1: DATA with checkpoint_initiates:. Expected: no layers, or policy "
            "HYBRID_TRANSFORMER_FWD_IN_BCKWD");
  workload = SmallWorkload(Policy::kHybridDlrm, 2);
  EXPECT_EQ(MessageOf([&] { MakeProgram(workload, Groups(2, 1, 4), 1); }),
            "w.txt:1: HYBRID_DLRM with TP 2. Expected: no model_parallel_NPU_group: its layers are "
            "data parallel, its "
            "embeddings "
            "spread over all GPUs");
  workload.policy = Policy::kHybridDlrmEnhanced;
  EXPECT_EQ(MessageOf([&] { MakeProgram(workload, Groups(2, 1, 4), 1); }).substr(0, 41),
            "w.txt:1: HYBRID_DLRM_ENHANCED with TP 2. ");
  workload = PipelineWorkload(20, 1'000'000);
  EXPECT_EQ(
      MessageOf([&] { MakeProgram(workload, Groups(2, 2, 4), 1); }),
      "w.txt:1: 1000000 micro-batches (ga) of 20 layers. Expected: a layer or more in each, as "
      "AICB writes the layers "
      "of all micro-batches");
  EXPECT_EQ(MessageOf([&] { MakeProgram(PipelineWorkload(1000, 1000), Groups(1, 4096, 4096), 1); }),
            "w.txt: 1000 layers in 1000 micro-batches (ga) on 4096 pipeline stages (pp) make 45 "
            "million steps. "
            "Expected: at most 32 million");
  workload = SmallWorkload(Policy::kTransformerFwdInBckwd, 10'000);
  workload.checkpoints = {0};
  for (std::int64_t layer = 1; layer < 10'000; ++layer)
    workload.checkpoint_initiates.push_back(layer);
  EXPECT_EQ(MessageOf([&] { MakeProgram(workload, Groups(2, 1, 4), 1); }),
            "w.txt: 10000 layers in 1 micro-batches (ga) on 1 pipeline stages (pp) make 150 "
            "million steps. Expected: "
            "at most 32 "
            "million");
  workload = SmallWorkload(Policy::kMicro, 5000);
  EXPECT_EQ(MessageOf([&] { MakeProgram(workload, Groups(1, 1, 4), 1'000'000); }),
            "w.txt: 1000000 passes of 5000 communications. Expected: fewer than 2^32 in all");
  workload = SmallWorkload(Policy::kMicro, 1);
  workload.layers[0].weight_gradient.compute = NanoSeconds(1'000'000'000'000'000);
  EXPECT_EQ(MessageOf([&] { MakeProgram(workload, Groups(1, 1, 4), 10); }),
            "w.txt: 10 passes compute for 116 days. Expected: at most 53 days");
  workload = SmallWorkload(Policy::kData, 2);
  workload.layers[1].update = NanoSeconds(1'000'000'000'000'000);
  EXPECT_EQ(StepsText(MakeProgram(workload, Groups(1, 1, 4), 4)),
            "wg0? 10 . wg1? 11 . 31 wg1+ . 21 . 30 wg0+ .")
      << "46 days";
  EXPECT_EQ(MessageOf([&] { MakeProgram(workload, Groups(1, 1, 4), 10); }),
            "w.txt: 10 passes compute for 116 days. Expected: at most 53 days")
      << "an update beside computing";
  workload = PipelineWorkload(1, 1);
  workload.layers[0].forward.compute = NanoSeconds(1'000'000'000'000'000);
  EXPECT_EQ(MakeProgram(workload, Groups(1, 4, 4), 1).steps.size(), 4u);
  EXPECT_EQ(MessageOf([&] { MakeProgram(workload, Groups(1, 5, 5), 1); }),
            "w.txt: 1 passes compute for 58 days. Expected: at most 53 days")
      << "one stage after the other";
}

}  // namespace
}  // namespace heddle
