// SPDX-License-Identifier: GPL-2.0-only
#include "io/workload_model/memory_use.h"

#include <algorithm>

#include "io/workload_model/layer_work.h"

namespace heddle {
namespace {

constexpr double kHalf = 2, kFull = 4;  ///< bytes of BF16 and of FP32
constexpr double kAdam = 12;            ///< bytes a parameter: FP32 parameter and two moments

double Of(std::int64_t number) { return static_cast<double>(number); }

/// Numbers that a token's MLP keeps, beside its input: what enters and leaves the activation, of a
/// gated one both factors and their product.
double MlpNumbers(const ModelShape& shape, std::int64_t ffn) {
  return (shape.gated ? 3 : 2) * Of(ffn);
}

/// Numbers that a token keeps for attention, which TP divides: queries, keys, values and their sum.
double AttentionNumbers(const ModelShape& shape) {
  const double keys = shape.kv_rank > 0 ? Of(shape.heads) : Of(shape.kv_heads);
  return Of(shape.heads) * (Of(shape.score_dim()) + Of(shape.value_dim())) +
         keys * (Of(shape.score_dim()) + Of(shape.value_dim()));
}

/// By how much sequence parallelism divides what lies between blocks.
double SequenceShare(const ParallelPlan& plan) {
  return plan.splits_sequence() ? Of(plan.tensor) : 1;
}

/// Bytes of the activations of a stage's layers for one micro-batch.
double StageActivations(const ModelShape& shape, const ParallelPlan& plan) {
  const StageLayers layers = StageLayersOf(shape, plan);
  return Of(layers.dense) * LayerActivations(shape, plan, false) +
         Of(layers.with_experts) * LayerActivations(shape, plan, true);
}

}  // namespace

StageLoad UsualLoad(const ParallelPlan& plan) {
  const double stages = Of(plan.pipeline), chunks = Of(plan.virtual_pipeline);
  if (plan.pipeline == 1) return {};
  const double all = Of(plan.micro_batches());
  if (plan.virtual_pipeline == 1) return {std::min(stages, all), 1, 1};
  const double last = (chunks - 1) * stages + 1;
  return {std::min((2 * (stages - 1) + last) / chunks, all), std::min(last / chunks, all), 1};
}

double LayerActivations(const ModelShape& shape, const ParallelPlan& plan, bool with_experts) {
  const double tensor = Of(plan.tensor);
  // Inputs of the two norms and of the two blocks.
  double whole = 4 * Of(shape.hidden) / SequenceShare(plan) + Of(shape.q_rank + shape.kv_rank);
  double divided = AttentionNumbers(shape);
  if (with_experts) {
    whole += Of(shape.top_k * shape.hidden);
    divided +=
        Of(shape.top_k) * MlpNumbers(shape, shape.expert_ffn) + MlpNumbers(shape, shape.shared_ffn);
  } else {
    divided += MlpNumbers(shape, shape.ffn);
  }
  return kHalf * Of(TokensOf(shape, plan)) * (whole + divided / tensor);
}

double OutputActivations(const ModelShape& shape, const ParallelPlan& plan) {
  return Of(TokensOf(shape, plan)) * (2 * kHalf * Of(shape.hidden) / SequenceShare(plan) +
                                      kFull * Of(PaddedVocabulary(shape, plan)) / Of(plan.tensor));
}

MemoryUse MemoryOf(const ModelShape& shape, const ParallelPlan& plan, const StageLoad& load) {
  const HeldParameters held = LayerWork(shape, plan).StageParameters();
  // Copies of a stage's parameters on two GPUs share its optimizer, too.
  const auto share = [&](std::int64_t replicas) {
    return plan.zero ? Of(std::max<std::int64_t>(replicas, 1)) : 1 / Of(load.stages);
  };
  MemoryUse use;
  use.parameters = kHalf * Of(load.stages * (held.common + held.experts));
  use.gradients = kFull * Of(load.stages * (held.common + held.experts));
  use.optimizer =
      kAdam * (Of(held.common) / share(plan.data()) + Of(held.experts) / share(plan.data_expert()));
  const double stage = StageActivations(shape, plan);
  const double first = load.first * stage;
  const double last = load.last * stage + OutputActivations(shape, plan);
  use.open_micro_batches = first > last ? load.first : load.last;
  use.activations = std::max(first, last);
  return use;
}

MemoryUse MemoryOf(const ModelShape& shape, const ParallelPlan& plan) {
  return MemoryOf(shape, plan, UsualLoad(plan));
}

}  // namespace heddle
