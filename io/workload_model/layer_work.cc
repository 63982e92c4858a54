// SPDX-License-Identifier: GPL-2.0-only
#include "io/workload_model/layer_work.h"

#include <utility>

namespace heddle {
namespace {

constexpr double kNumberBytes = 2;  // bf16
constexpr double kGradientSum = 8;  // an fp32 sum is read and written
constexpr double kBackwardPairs = 2.5;
/// Adam with fp32 sums and copies: gradient 4 read; copy, mean and variance 8 each read and
/// written; bf16 parameter 2 written.
constexpr double kOptimizerBytes = 30;

double Real(std::int64_t number) { return static_cast<double>(number); }

/// `tokens` rows of `from` numbers times `copies` matrices of `from` x `to`, each of which is used
/// by its share of the tokens.
PhasesOfWork Product(double tokens, double from, double to, double copies = 1) {
  const double operations = 2 * tokens * from * to;
  const double moved = kNumberBytes * tokens * (from + to);
  const double weights = from * to * copies;
  PhasesOfWork work;
  work.forward = work.input_gradient = {operations, moved + kNumberBytes * weights};
  work.weight_gradient = {operations, moved + kGradientSum * weights};
  return work;
}

/// `numbers` are read or written in the forward step, and as many by the gradient of the input.
PhasesOfWork Moves(double numbers) {
  PhasesOfWork work;
  work.forward = work.input_gradient = {0, kNumberBytes * numbers};
  return work;
}

}  // namespace

PhasesOfWork operator+(const PhasesOfWork& a, const PhasesOfWork& b) {
  return {a.forward + b.forward, a.input_gradient + b.input_gradient,
          a.weight_gradient + b.weight_gradient};
}

const char* ToText(BlockKind kind) {
  constexpr std::array<const char*, kBlockKinds> names = {
      "embedding", "attention", "mlp", "router", "experts", "output", "loss", "optimizer"};
  return names[static_cast<std::size_t>(kind)];
}

LayerWork::LayerWork(const ModelShape& shape, const ParallelPlan& plan)
    : shape_(shape),
      plan_(plan),
      tokens_(Real(TokensOf(shape, plan))),
      norm_tokens_(tokens_ / Real(plan.splits_sequence() ? plan.tensor : 1)) {}

PhasesOfWork LayerWork::WeightProduct(double tokens, double from, double to, double copies) const {
  PhasesOfWork work = Product(tokens, from, to, copies);
  if (!plan_.fp8) return work;
  for (Work* phase : {&work.forward, &work.input_gradient, &work.weight_gradient})
    std::swap(phase->operations, phase->fp8_operations);
  return work;
}

/// Norm and queries, keys, values; then pairs of positions, output and residual.
BlockWork LayerWork::AttentionWork() const {
  const double h = Real(shape_.hidden), tp = Real(plan_.tensor);
  const double heads = Real(shape_.heads) / tp, kv_heads = Real(shape_.kv_heads) / tp;
  const double score = Real(shape_.score_dim()), value = Real(shape_.value_dim());
  BlockWork work;
  work.column = Moves(2 * norm_tokens_ * h);
  if (shape_.kv_rank == 0) {
    work.column = work.column + WeightProduct(tokens_, h, (heads + 2 * kv_heads) * score);
  } else {
    const double q = Real(shape_.q_rank), kv = Real(shape_.kv_rank);
    work.column = work.column + WeightProduct(norm_tokens_, h, q + kv + Real(shape_.rope_dim)) +
                  WeightProduct(tokens_, q, heads * score) +
                  WeightProduct(tokens_, kv, heads * (Real(shape_.head_dim) + value));
  }
  const double pairs = tokens_ * Real(shape_.sequence) / 2;
  PhasesOfWork core = Moves(tokens_ * (heads + kv_heads) * (score + value));
  core.forward.operations = 2 * pairs * heads * (score + value);
  core.input_gradient.operations = kBackwardPairs * core.forward.operations;
  if (plan_.context > 1 || plan_.overlaps_tensor()) std::swap(work.pairs, core);
  work.row = core + WeightProduct(tokens_, heads * value, h) + Moves(3 * norm_tokens_ * h);
  return work;
}

/// Norm and first matrices; then activation, last matrix and residual.
BlockWork LayerWork::MlpWork(std::int64_t ffn) const {
  const double h = Real(shape_.hidden), f = Real(ffn) / Real(plan_.tensor);
  const double inner = shape_.gated ? 2 * f : f;
  BlockWork work;
  work.column = Moves(2 * norm_tokens_ * h) + WeightProduct(tokens_, h, inner);
  work.row =
      Moves(tokens_ * (inner + f)) + WeightProduct(tokens_, f, h) + Moves(3 * norm_tokens_ * h);
  return work;
}

/// Norm, weights of experts, and tokens copied into the order of experts and back.
BlockWork LayerWork::RouterWork() const {
  const double h = Real(shape_.hidden), copies = Real(shape_.top_k);
  BlockWork work;
  work.column = Product(norm_tokens_, h, Real(shape_.experts)) +
                Moves((2 + 2 * (1 + copies)) * norm_tokens_ * h);
  return work;
}

/// Each token at `top_k` of the experts, which the GPUs of an EP group share evenly.
BlockWork LayerWork::ExpertWork() const {
  const double h = Real(shape_.hidden), f = Real(shape_.expert_ffn) / Real(plan_.tensor);
  const double inner = shape_.gated ? 2 * f : f;
  const double tokens = tokens_ * Real(shape_.top_k);
  const double local = Real(shape_.experts) / Real(plan_.expert);
  BlockWork work;
  work.column = WeightProduct(tokens, h, inner, local) + Moves(tokens * (inner + f)) +
                WeightProduct(tokens, f, h, local) + Moves(3 * norm_tokens_ * h);
  if (shape_.shared_ffn > 0) work.column = work.column + MlpWork(shape_.shared_ffn).all();
  return work;
}

/// ZeRO 1: a GPU updates its share.
BlockWork LayerWork::OptimizerWork() const {
  const HeldParameters held = StageParameters();
  const double common = Real(held.common) / Real(plan_.zero ? plan_.data_context() : 1);
  const double experts = Real(held.experts) / Real(plan_.zero ? plan_.data_expert() : 1);
  BlockWork work;
  work.column.forward.bytes = kOptimizerBytes * (common + experts);
  return work;
}

BlockWork LayerWork::Of(BlockKind kind) const {
  const double h = Real(shape_.hidden);
  const double words = Real(PaddedVocabulary(shape_, plan_)) / Real(plan_.tensor);
  BlockWork work;
  switch (kind) {
    case BlockKind::kEmbedding:  // rows are copied; their gradients are added
      work.column.forward.bytes = work.column.weight_gradient.bytes =
          2 * kNumberBytes * tokens_ * h;
      return work;
    case BlockKind::kAttention:
      return AttentionWork();
    case BlockKind::kMlp:
      return MlpWork(shape_.ffn);
    case BlockKind::kRouter:
      return RouterWork();
    case BlockKind::kExperts:
      return ExpertWork();
    case BlockKind::kOutput:
      work.column = Moves(2 * norm_tokens_ * h) + Product(tokens_, h, words);
      return work;
    case BlockKind::kLoss:  // in fp32: read, and written
      work.column = Moves(4 * tokens_ * words);
      return work;
    case BlockKind::kOptimizer:
      return OptimizerWork();
  }
  return work;
}

HeldParameters LayerWork::ParametersOf(BlockKind kind, bool with_experts) const {
  const std::int64_t tp = plan_.tensor, h = shape_.hidden;
  const auto held = [&](const SplitWeights& w) { return w.whole + (w.column + w.row) / tp; };
  const std::int64_t words = PaddedVocabulary(shape_, plan_) / tp;
  switch (kind) {
    case BlockKind::kEmbedding:
      return {(words + (shape_.positions ? shape_.sequence : 0)) * h, 0};
    case BlockKind::kAttention: {  // with the small weights of its layer
      const SmallWeights small = SmallWeightsOf(shape_, with_experts);
      return {held(AttentionWeights(shape_)) + small.norms + small.whole_biases +
                  small.split_biases / tp,
              0};
    }
    case BlockKind::kMlp:
      return {held(MlpWeights(shape_, shape_.ffn)), 0};
    case BlockKind::kRouter:
      return {h * shape_.experts, 0};
    case BlockKind::kExperts:
      return {held(MlpWeights(shape_, shape_.shared_ffn)),
              shape_.experts / plan_.expert * held(MlpWeights(shape_, shape_.expert_ffn))};
    case BlockKind::kOutput:
      return {words * h, 0};
    default:
      return {};
  }
}

HeldParameters LayerWork::RootParameters(PipelinePart part) const {
  std::int64_t sum = 0;
  const bool both = plan_.has_embedding(part) && plan_.has_output(part);
  if (plan_.has_embedding(part)) sum += ParametersOf(BlockKind::kEmbedding, false).common;
  const bool has_matrix = plan_.has_output(part) && !(both && (shape_.tied || plan_.stages_alike));
  if (has_matrix || (plan_.pipeline == 1 && !shape_.tied))
    sum += ParametersOf(BlockKind::kOutput, false).common;
  if (plan_.has_output(part)) sum += LastNorm();
  return {sum, 0};
}

HeldParameters LayerWork::StageParameters() const {
  HeldParameters most;
  for (int i = 0; i < kPipelineParts; ++i) {
    const auto part = static_cast<PipelinePart>(i);
    if (part == PipelinePart::kMiddle && plan_.pipeline <= 2) continue;
    const HeldParameters held = StageParameters(part);
    if (held.common + held.experts > most.common + most.experts) most = held;
  }
  return most;
}

HeldParameters LayerWork::StageParameters(PipelinePart part) const {
  const StageLayers layers = StageLayersOf(shape_, plan_, part);
  HeldParameters sum = RootParameters(part);
  const auto add = [&](BlockKind kind, bool with_experts, std::int64_t times) {
    const HeldParameters one = ParametersOf(kind, with_experts);
    sum.common += times * one.common;
    sum.experts += times * one.experts;
  };
  add(BlockKind::kAttention, false, layers.dense);
  add(BlockKind::kMlp, false, layers.dense);
  add(BlockKind::kAttention, true, layers.with_experts);
  add(BlockKind::kRouter, true, layers.with_experts);
  add(BlockKind::kExperts, true, layers.with_experts);
  return sum;
}

HeldParameters LayerWork::LayerParameters(bool with_experts) const {
  HeldParameters sum = ParametersOf(BlockKind::kAttention, with_experts);
  const auto add = [&](BlockKind kind) {
    const HeldParameters one = ParametersOf(kind, with_experts);
    sum.common += one.common;
    sum.experts += one.experts;
  };
  if (!with_experts) {
    add(BlockKind::kMlp);
    return sum;
  }
  add(BlockKind::kRouter);
  add(BlockKind::kExperts);
  return sum;
}

std::int64_t LayerWork::StageNorms(PipelinePart part) const {
  const StageLayers layers = StageLayersOf(shape_, plan_, part);
  return layers.dense * SmallWeightsOf(shape_, false).norms +
         layers.with_experts * SmallWeightsOf(shape_, true).norms +
         (plan_.has_output(part) ? LastNorm() : 0);
}

}  // namespace heddle
