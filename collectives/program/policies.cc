// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/program/policies.h"

#include <vector>

#include "core/base/check.h"

namespace heddle {
namespace {

using Ops = std::vector<std::uint32_t>;

/// Adds the collectives of one phase of all layers from `first` on; kNoOp for earlier layers.
Ops AddOps(ProgramBuilder* builder, Phase phase, std::uint32_t first = 0) {
  Ops ops(builder->layers(), ProgramBuilder::kNoOp);
  for (std::uint32_t layer = first; layer < builder->layers(); ++layer)
    ops[layer] = builder->AddOp(layer, phase);
  return ops;
}

}  // namespace

void BuildMicro(ProgramBuilder* builder) {
  const Ops weight = AddOps(builder, Phase::kWeightGradient);
  builder->BeginStage();
  for (std::uint32_t layer = 0; layer < builder->layers(); ++layer) {
    builder->Compute(layer, Phase::kWeightGradient);
    builder->Blocking(weight[layer]);
    builder->Pause();
  }
}

void BuildData(ProgramBuilder* builder) {
  const Ops weight = AddOps(builder, Phase::kWeightGradient);
  builder->BeginStage();
  for (std::uint32_t layer = 0; layer < builder->layers(); ++layer) {
    builder->Wait(weight[layer]);
    builder->Compute(layer, Phase::kForward);
    builder->Pause();
  }
  for (std::uint32_t layer = builder->layers(); layer-- > 0;) {
    builder->Compute(layer, Phase::kWeightGradient);
    builder->Overlapped(weight[layer]);
    builder->Pause();
    if (layer == 0) break;
    builder->Compute(layer, Phase::kInputGradient);
    builder->Pause();
  }
}

void BuildModel(ProgramBuilder* builder, bool weight_gradients) {
  const Ops forward = AddOps(builder, Phase::kForward);
  const Ops input = AddOps(builder, Phase::kInputGradient, 1);
  const Ops weight = weight_gradients ? AddOps(builder, Phase::kWeightGradient)
                                      : Ops(builder->layers(), ProgramBuilder::kNoOp);
  builder->BeginStage();
  for (std::uint32_t layer = 0; layer < builder->layers(); ++layer) {
    builder->Wait(weight[layer]);
    builder->Compute(layer, Phase::kForward);
    builder->Blocking(forward[layer]);
    builder->Pause();
  }
  for (std::uint32_t layer = builder->layers(); layer-- > 0;) {
    builder->Compute(layer, Phase::kInputGradient);
    builder->Overlapped(input[layer]);
    builder->Pause();
    builder->Compute(layer, Phase::kWeightGradient);
    builder->Overlapped(weight[layer]);
    builder->Wait(input[layer]);
    builder->Pause();
  }
}

void BuildDlrm(ProgramBuilder* builder, std::uint32_t last_bottom_layer) {
  HEDDLE_EXPECT(last_bottom_layer + 1 < builder->layers());
  // TP is 1, so DP spans all GPUs; a plain ALLTOALL in the file means all of them.
  const auto add_exchange = [&](Phase phase) {
    LayerPhase exchange = builder->phase(0, phase);
    exchange.group = GroupType::kData;
    return builder->AddOp(0, phase, exchange, 0);
  };
  const std::uint32_t forward = add_exchange(Phase::kForward);
  const std::uint32_t backward = add_exchange(Phase::kInputGradient);
  const Ops weight = AddOps(builder, Phase::kWeightGradient);
  builder->BeginStage();
  for (std::uint32_t layer = 0; layer < builder->layers(); ++layer) {
    builder->Wait(weight[layer]);
    builder->Compute(layer, Phase::kForward);
    if (layer == 0) builder->Overlapped(forward);
    if (layer == last_bottom_layer) builder->Wait(forward);
    builder->Pause();
  }
  for (std::uint32_t layer = builder->layers(); layer-- > 0;) {
    if (layer == 0) builder->Wait(backward);
    builder->Compute(layer, Phase::kWeightGradient);
    builder->Overlapped(weight[layer]);
    builder->Pause();
    if (layer == 0) break;
    builder->Compute(layer, Phase::kInputGradient);
    if (layer == last_bottom_layer + 1) builder->Overlapped(backward);
    builder->Pause();
  }
}

void BuildInference(ProgramBuilder* builder) {
  const Ops forward = AddOps(builder, Phase::kForward);
  builder->BeginStage();
  for (std::uint32_t layer = 0; layer < builder->layers(); ++layer) {
    builder->Compute(layer, Phase::kForward);
    builder->Blocking(forward[layer]);
    builder->Pause();
  }
}

}  // namespace heddle
