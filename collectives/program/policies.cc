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

/// The steps of MODEL and the hybrids, with these collectives.
void AddModelSteps(ProgramBuilder* builder, const Ops& forward, const Ops& input,
                   const Ops& weight) {
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

/// The exchange of a DLRM's layer over all GPUs. TP is 1, so that DP spans them; a plain ALLTOALL
/// in the file means all of them.
std::uint32_t AddExchange(ProgramBuilder* builder, std::uint32_t layer, Phase phase) {
  LayerPhase exchange = builder->phase(layer, phase);
  exchange.group = GroupType::kData;
  const std::uint32_t op = builder->AddOp(layer, phase, exchange, 0);
  builder->PutFirst(op);
  return op;
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
  AddModelSteps(builder, forward, input, weight);
}

void BuildCustomized(const Workload& workload, ProgramBuilder* builder) {
  Ops forward(builder->layers(), ProgramBuilder::kNoOp), input = forward, weight = forward;
  for (std::uint32_t layer = 0; layer < builder->layers(); ++layer) {
    const Policy policy = workload.layers[layer].policy;
    if (policy != Policy::kData) forward[layer] = builder->AddOp(layer, Phase::kForward);
    if (policy != Policy::kData && layer > 0)
      input[layer] = builder->AddOp(layer, Phase::kInputGradient);
    if (policy != Policy::kModel) weight[layer] = builder->AddOp(layer, Phase::kWeightGradient);
  }
  AddModelSteps(builder, forward, input, weight);
}

void BuildDlrm(ProgramBuilder* builder, std::uint32_t last_bottom_layer, bool waits_back) {
  HEDDLE_EXPECT(last_bottom_layer + 1 < builder->layers());
  Ops forward(builder->layers(), ProgramBuilder::kNoOp);
  for (std::uint32_t layer = 0; layer < builder->layers(); ++layer) {
    if (builder->phase(layer, Phase::kForward).operation == Operation::kAllToAll)
      forward[layer] = AddExchange(builder, layer, Phase::kForward);
  }
  const std::uint32_t backward = AddExchange(builder, 0, Phase::kInputGradient);
  const Ops weight = AddOps(builder, Phase::kWeightGradient);
  builder->BeginStage();
  for (std::uint32_t layer = 0; layer < builder->layers(); ++layer) {
    builder->Wait(weight[layer]);
    builder->Compute(layer, Phase::kForward);
    builder->Overlapped(forward[layer]);
    if (layer == last_bottom_layer) builder->Wait(forward[0]);
    builder->Pause();
  }
  for (std::uint32_t layer = builder->layers(); layer-- > 0;) {
    builder->Compute(layer, Phase::kWeightGradient);
    builder->Overlapped(weight[layer]);
    if (layer == 0 && waits_back) builder->Wait(backward);
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
