// SPDX-License-Identifier: GPL-2.0-only
/// HYBRID_TRANSFORMER_FWD_IN_BCKWD. With pipeline stages each stage runs all layers of the file for every micro-batch,
/// at first forwards only, then one forward and one backward in turn, and the backwards that are left (1F1B).
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "collectives/policies.h"
#include "core/check.h"

namespace heddle {
namespace {

/// SimAI sends no less in a forward collective (SimAI.md, section 2).
constexpr std::int64_t kLeastForwardBytes = 4096;
/// Of all stages in one pass, 24 bytes each.
constexpr double kMostSteps = 32e6;
constexpr std::uint32_t kNoOp = ProgramBuilder::kNoOp;

/// Operations of one micro-batch. Those of micro-batch m have the numbers of the first one plus m times as many as it
/// has.
struct MicroBatchOps {
  std::vector<std::uint32_t> forward, input;        ///< by layer
  std::vector<std::vector<std::uint32_t>> again;    ///< by layer: forward once more, from its checkpoint on
  std::vector<std::uint32_t> activation, gradient;  ///< by stage: from it to the next, and from the next to it
};

class Transformer {
 public:
  Transformer(const Workload& workload, const ParallelGroups& groups, ProgramBuilder* builder)
      : builder_(*builder), stages_(groups.pipeline()), checkpoint_(builder->layers(), builder->layers()) {
    micro_batches_ = stages_ > 1 ? static_cast<std::uint32_t>(workload.gradient_accumulation) : 1;
    FindCheckpoints(workload);
    CheckSize(workload);
    AddOps();
  }

  void AddStage(std::uint32_t stage) {
    builder_.BeginStage();
    const std::uint32_t ahead = std::min(stages_ - 1 - stage, micro_batches_);
    for (std::uint32_t m = 0; m < ahead; ++m) Forward(stage, m);
    for (std::uint32_t m = ahead; m < micro_batches_; ++m) {
      Forward(stage, m);
      Backward(stage, m - ahead);
    }
    for (std::uint32_t m = micro_batches_ - ahead; m < micro_batches_; ++m) Backward(stage, m);
  }

 private:
  std::uint32_t layers() const { return builder_.layers(); }
  std::uint32_t Of(std::uint32_t op, std::uint32_t micro_batch) const {
    return op == kNoOp ? kNoOp : op + micro_batch * ops_per_micro_batch_;
  }

  /// checkpoint_[l]: the layer from which activations are computed again before the backward step of l; l or more: none
  /// are.
  void FindCheckpoints(const Workload& workload) {
    std::vector<bool> stored(layers()), initiates(layers());
    for (const std::int64_t layer : workload.checkpoints) stored[static_cast<std::size_t>(layer)] = true;
    for (const std::int64_t layer : workload.checkpoint_initiates) initiates[static_cast<std::size_t>(layer)] = true;
    std::uint32_t last = layers();
    for (std::uint32_t layer = 0; layer < layers(); ++layer) {
      if (stored[layer]) last = layer;
      if (initiates[layer]) checkpoint_[layer] = last;
    }
  }

  /// Micro-batches and stages are numbers of the header: without a bound a short file could take all memory.
  void CheckSize(const Workload& workload) const {
    double steps = 7.0 * layers() + 4;
    for (std::uint32_t layer = 0; layer < layers(); ++layer) {
      if (checkpoint_[layer] < layer) steps += 3.0 * (layer - checkpoint_[layer]) + 1;
    }
    steps *= static_cast<double>(micro_batches_) * stages_;
    if (steps <= kMostSteps) return;
    throw UserError(
        fmt::format("{}: {} layers in {} micro-batches (ga) on {} pipeline stages (pp) make {:.0f} million steps. "
                    "Expected: at most {:.0f} million",
                    workload.name, layers(), micro_batches_, stages_, steps / 1e6, kMostSteps / 1e6));
  }

  void AddOps() {
    ops_ = AddMicroBatch(0);
    ops_per_micro_batch_ = builder_.ops();
    for (std::uint32_t m = 1; m < micro_batches_; ++m) AddMicroBatch(m);
    weight_.resize(layers());
    for (std::uint32_t layer = layers(); layer-- > 0;) {
      weight_[layer] = builder_.AddOp(layer, Phase::kWeightGradient, micro_batches_ - 1);
    }
  }

  std::uint32_t AddForwardOp(std::uint32_t layer, std::uint32_t m) {
    LayerPhase what = builder_.phase(layer, Phase::kForward);
    if (what.bytes > 0) what.bytes = std::max(what.bytes, kLeastForwardBytes);
    return builder_.AddOp(layer, Phase::kForward, what, m);
  }

  MicroBatchOps AddMicroBatch(std::uint32_t m) {
    MicroBatchOps ops;
    ops.input.resize(layers());
    ops.again.resize(layers());
    for (std::uint32_t layer = 0; layer < layers(); ++layer) ops.forward.push_back(AddForwardOp(layer, m));
    for (std::uint32_t layer = layers(); layer-- > 0;) {
      for (std::uint32_t l = checkpoint_[layer]; l < layer; ++l) ops.again[layer].push_back(AddForwardOp(l, m));
      ops.input[layer] = builder_.AddOp(layer, Phase::kInputGradient, m);
    }
    for (std::uint32_t stage = 0; stage + 1 < stages_; ++stage) {
      ops.activation.push_back(builder_.AddMessage(layers() - 1, Phase::kForward, m, stage, stage + 1));
      ops.gradient.push_back(builder_.AddMessage(0, Phase::kInputGradient, m, stage + 1, stage));
    }
    return ops;
  }

  void ForwardLayer(std::uint32_t layer, std::uint32_t op) {
    builder_.Compute(layer, Phase::kForward);
    builder_.Blocking(op);
    builder_.Pause();
  }

  void Forward(std::uint32_t stage, std::uint32_t m) {
    if (stage > 0) builder_.Blocking(Of(ops_.activation[stage - 1], m));
    for (std::uint32_t layer = 0; layer < layers(); ++layer) {
      if (m == 0) builder_.Wait(weight_[layer]);
      ForwardLayer(layer, Of(ops_.forward[layer], m));
    }
    if (stage + 1 < stages_) builder_.Overlapped(Of(ops_.activation[stage], m));
  }

  void Backward(std::uint32_t stage, std::uint32_t m) {
    if (stage + 1 < stages_) builder_.Blocking(Of(ops_.gradient[stage], m));
    for (std::uint32_t layer = layers(); layer-- > 0;) {
      if (checkpoint_[layer] < layer) ForwardAgain(layer, m);
      builder_.Compute(layer, Phase::kInputGradient);
      builder_.Blocking(Of(ops_.input[layer], m));
      builder_.Pause();
      builder_.Compute(layer, Phase::kWeightGradient);
      if (m + 1 == micro_batches_) builder_.Overlapped(weight_[layer]);
      builder_.Pause();
    }
    if (stage > 0) builder_.Overlapped(Of(ops_.gradient[stage - 1], m));
  }

  void ForwardAgain(std::uint32_t layer, std::uint32_t m) {
    builder_.Pause();
    std::uint32_t l = checkpoint_[layer];
    for (const std::uint32_t op : ops_.again[layer]) ForwardLayer(l++, Of(op, m));
  }

  ProgramBuilder& builder_;
  std::uint32_t stages_;
  std::uint32_t micro_batches_ = 1;
  std::uint32_t ops_per_micro_batch_ = 0;
  std::vector<std::uint32_t> checkpoint_;  ///< by layer
  std::vector<std::uint32_t> weight_;      ///< by layer: in the last micro-batch only
  MicroBatchOps ops_;                      ///< of the first micro-batch
};

}  // namespace

void BuildTransformer(const Workload& workload, const ParallelGroups& groups, ProgramBuilder* builder) {
  Transformer transformer(workload, groups, builder);
  for (std::uint32_t stage = 0; stage < groups.pipeline(); ++stage) transformer.AddStage(stage);
}

}  // namespace heddle
