// SPDX-License-Identifier: GPL-2.0-only
/// Shared code of the tests of workloads: error messages, small workloads, programs as text.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "collectives/program/groups.h"
#include "collectives/program/program.h"
#include "tests/support/message_of.h"

namespace heddle {

/// `count` layers that compute 10 ns forward, 20 for the input's and 30 for the weights' gradient
/// (and a ns more a layer), and communicate 8 KiB in every phase: AllReduce, plain.
inline Workload SmallWorkload(Policy policy, std::uint32_t count) {
  Workload workload;
  workload.name = "w.txt";
  workload.policy = policy;
  for (std::uint32_t i = 0; i < count; ++i) {
    Layer layer;
    layer.name = "layer" + std::to_string(i);
    layer.line = 3 + i;
    layer.update = NanoSeconds(7);
    layer.forward = {NanoSeconds(10 + i), Operation::kAllReduce, GroupType::kTensor, 8192};
    layer.input_gradient = {NanoSeconds(20 + i), Operation::kAllReduce, GroupType::kTensor, 8192};
    layer.weight_gradient = {NanoSeconds(30 + i), Operation::kAllReduce, GroupType::kData, 8192};
    workload.layers.push_back(layer);
  }
  return workload;
}

inline Workload PipelineWorkload(std::uint32_t layers, std::int64_t micro_batches) {
  Workload workload = SmallWorkload(Policy::kTransformerFwdInBckwd, layers);
  workload.gradient_accumulation = micro_batches;
  workload.pipeline_bytes = 1'000'000;
  return workload;
}

inline ParallelGroups Groups(std::int64_t tensor, std::int64_t pipeline, std::uint32_t ranks) {
  return {{tensor, 1, pipeline}, ranks, "job 0 (w.txt)"};
}

/// Text of an operation: "fwd0" of layer 0; messages of pipelines "F1>2.3" (activation of
/// micro-batch 3 from stage 1 to 2) and "B2>1.3"; ".m" after collectives of micro-batch m > 0.
inline std::string OpText(const ProgramOp& op) {
  if (op.spec.group == GroupType::kPipeline) {
    return fmt::format("{}{}>{}.{}", op.phase == Phase::kForward ? "F" : "B", op.spec.root,
                       op.spec.peer, op.micro_batch);
  }
  return fmt::format("{}{}{}", ToText(op.phase), op.layer,
                     op.micro_batch > 0 ? fmt::format(".{}", op.micro_batch) : "");
}

/// A stage's steps: "10" computes 10 ns, "." is a pause of 1 ns, "fwd0!" blocks, "wg1+" overlaps,
/// "wg1?" waits.
inline std::string StepsText(const Program& program, std::size_t stage = 0) {
  std::string text;
  for (const ProgramStep& step : program.steps.at(stage)) {
    if (!text.empty()) text += ' ';
    switch (step.kind) {
      case ProgramStep::Kind::kCompute:
        text += std::to_string(step.time.ps / 1000);
        break;
      case ProgramStep::Kind::kPause:
        EXPECT_EQ(step.time, NanoSeconds(1));
        text += '.';
        break;
      case ProgramStep::Kind::kBlocking:
        text += OpText(program.ops.at(step.op)) + "!";
        break;
      case ProgramStep::Kind::kOverlapped:
        text += OpText(program.ops.at(step.op)) + "+";
        break;
      case ProgramStep::Kind::kWait:
        text += OpText(program.ops.at(step.op)) + "?";
        break;
    }
  }
  return text;
}

}  // namespace heddle
