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

/// Bytes that a stage's layers keep of one micro-batch from its forward to its backward pass.
double KeptActivations(const ModelShape& shape, const ParallelPlan& plan, PipelinePart part) {
  const StageLayers layers = StageLayersOf(shape, plan, part);
  if (!plan.recompute)
    return Of(layers.dense) * LayerActivations(shape, plan, false) +
           Of(layers.with_experts) * LayerActivations(shape, plan, true);
  return Of(layers.dense + layers.with_experts) * kHalf * Of(TokensOf(shape, plan)) *
         Of(shape.hidden) / SequenceShare(plan);
}

/// Numbers of parameters of a GPU's stages.
struct StageCounts {
  double whole = 0;     ///< not divided among replicas
  double shared = 0;    ///< divided among them, experts among their copies
  double gathered = 0;  ///< of a layer, and of the next one
};

/// `stages`: 2 with DualPipe, where two GPUs have the same two stages, whose optimizer they share.
/// What is in no layer, of both ends, is counted once.
StageCounts CountsOf(const ModelShape& shape, const ParallelPlan& plan, PipelinePart part,
                     std::int64_t stages) {
  const LayerWork work(shape, plan);
  const HeldParameters held = work.StageParameters(part);
  const double again = plan.has_unlike_stages()
                           ? Of(stages - 1) * Of(work.RootParameters(part).common)
                           : 0;  // counted too often
  const HeldParameters unit = work.LayerParameters(shape.has_experts());
  const auto among = [](std::int64_t replicas) { return Of(std::max<std::int64_t>(replicas, 1)); };
  return {Of(stages) * Of(held.common + held.experts) - again,
          (Of(held.common) - again / Of(stages)) / among(plan.data_context()) +
              Of(held.experts) / among(plan.data_expert()),
          2 * Of(unit.common + unit.experts)};
}

/// Micro-batches that are open at once at a stage. Those of the second stage stand for all between
/// the first and the last.
double OpenAt(const ParallelPlan& plan, const StageLoad& load, PipelinePart part) {
  if (part == PipelinePart::kFirst) return load.first;
  if (part == PipelinePart::kLast || plan.pipeline < 3) return load.last;
  return load.first - (load.first - load.last) / Of(plan.pipeline - 1);
}

/// What the GPUs of a stage hold.
MemoryUse MemoryAt(const ModelShape& shape, const ParallelPlan& plan, const StageLoad& load,
                   PipelinePart part) {
  const StageCounts counts = CountsOf(shape, plan, part, load.stages);
  const double copies = Of(load.stages);
  const double parameters = plan.shards_parameters() ? copies * counts.shared : counts.whole;
  const double gathered = plan.shards_parameters() ? counts.gathered : 0;
  MemoryUse use;
  use.parameters = kHalf * (parameters + copies * gathered);
  use.gradients = kFull * (parameters + copies * gathered / 2);
  use.optimizer = kAdam * (plan.zero > 0 ? counts.shared : counts.whole);
  use.open_micro_batches = OpenAt(plan, load, part);
  use.activations = use.open_micro_batches * KeptActivations(shape, plan, part);
  if (plan.recompute) use.activations += LayerActivations(shape, plan, shape.has_experts());
  const bool has_output =
      plan.has_unlike_stages() ? plan.has_output(part) : part == PipelinePart::kLast;
  if (has_output) use.activations += OutputActivations(shape, plan);
  return use;
}

}  // namespace

StageLoad UsualLoad(const ParallelPlan& plan) {
  const std::int64_t stages = plan.pipeline, all = plan.micro_batches();
  const std::int64_t pairs = plan.overlap_experts ? 1 : 0;
  if (stages == 1) return {Of(std::min(1 + pairs, all)), Of(std::min(1 + pairs, all)), 1};
  if (plan.schedule == "gpipe") return {Of(all), Of(all), 1};
  if (plan.schedule == "dualpipe") {
    const double held = Of(std::min(stages + 1, all));
    return {held, held, 2};
  }
  if (plan.schedule == "dualpipev") {  // the last position is at the first stage
    const double held = Of(std::min(2 * stages + 1, 2 * all)) / 2;
    return {held, held, 1};
  }
  if (plan.schedule != "interleaved") return {Of(std::min(stages, all)), 1, 1};
  const std::int64_t chunks = plan.virtual_pipeline;
  const std::int64_t row = plan.in_a_row > 0 ? plan.in_a_row : stages;
  const std::int64_t last = (chunks - 1) * row + 1 + pairs, first = last + 2 * (stages - 1);
  const auto held = [&](std::int64_t parts) {
    return Of(std::min(parts, all * chunks)) / Of(chunks);
  };
  return {held(first), held(last), 1};
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
  MemoryUse most;
  for (int i = 0; i < kPipelineParts; ++i) {
    const auto part = static_cast<PipelinePart>(i);
    const MemoryUse use = MemoryAt(shape, plan, load, part);
    if (use.total() > most.total()) most = use;
  }
  return most;
}

MemoryUse MemoryOf(const ModelShape& shape, const ParallelPlan& plan) {
  return MemoryOf(shape, plan, UsualLoad(plan));
}

}  // namespace heddle
