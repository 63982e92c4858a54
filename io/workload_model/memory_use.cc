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

/// Bytes that a stage keeps of one micro-batch from its forward to its backward pass.
double KeptActivations(const ModelShape& shape, const ParallelPlan& plan) {
  const StageLayers layers = StageLayersOf(shape, plan);
  if (!plan.recompute)
    return Of(layers.dense) * LayerActivations(shape, plan, false) +
           Of(layers.with_experts) * LayerActivations(shape, plan, true);
  const double split = plan.splits_sequence() ? Of(plan.tensor) : 1;
  return Of(layers.dense + layers.with_experts) * kHalf * Of(TokensOf(shape, plan)) *
         Of(shape.hidden) / split;
}

}  // namespace

double LayerActivations(const ModelShape& shape, const ParallelPlan& plan, bool with_experts) {
  const double tensor = Of(plan.tensor);
  // Inputs of the two norms and of the two blocks, which sequence parallelism divides.
  const double around = 4 * Of(shape.hidden) / (plan.splits_sequence() ? tensor : 1);
  const double latent = Of(shape.q_rank + shape.kv_rank);  // whole on each GPU
  double inside = AttentionNumbers(shape) / tensor;
  if (with_experts) {
    const double routed = Of(shape.hidden) + MlpNumbers(shape, shape.expert_ffn);
    inside += (Of(shape.top_k) * routed + MlpNumbers(shape, shape.shared_ffn)) / tensor;
  } else {
    inside += MlpNumbers(shape, shape.ffn) / tensor;
  }
  return kHalf * Of(TokensOf(shape, plan)) * (around + latent + inside);
}

MemoryUse MemoryOf(const ModelShape& shape, const ParallelPlan& plan) {
  const HeldParameters held = LayerWork(shape, plan).StageParameters();
  const auto share = [&](std::int64_t replicas) {
    return plan.zero ? Of(std::max<std::int64_t>(replicas, 1)) : 1.0;
  };
  const double stages = plan.schedule == "dualpipe" && plan.pipeline > 1 ? 2 : 1;
  MemoryUse use;
  double parameters = Of(held.common + held.experts);
  double whole = 0;
  if (plan.shards_parameters()) {
    parameters =
        Of(held.common) / share(plan.data()) + Of(held.experts) / share(plan.data_expert());
    const HeldParameters unit = LayerWork(shape, plan).LayerParameters(shape.has_experts());
    whole = 2 * Of(unit.common + unit.experts);  // a layer's, and the next one's
  }
  use.parameters = stages * kHalf * (parameters + whole);
  use.gradients = stages * kFull * (parameters + whole / 2);
  use.optimizer =
      stages * kAdam *
      (Of(held.common) / share(plan.data()) + Of(held.experts) / share(plan.data_expert()));
  use.open_micro_batches = plan.open_micro_batches();
  use.activations = use.open_micro_batches * KeptActivations(shape, plan);
  if (plan.recompute) use.activations += LayerActivations(shape, plan, shape.has_experts());
  // The loss keeps its input in FP32, and the output layer's product, of one micro-batch.
  if (plan.pipeline == 1)
    use.activations += (kHalf + kFull) * Of(TokensOf(shape, plan)) *
                       Of(PaddedVocabulary(shape, plan)) / Of(plan.tensor);
  return use;
}

}  // namespace heddle
