// SPDX-License-Identifier: GPL-2.0-only
/// What one GPU computes and moves through its memory for one micro-batch, block by block.
///
/// A product of matrices of t x a and a x b is 2 t a b operations, in the forward step, for the
/// gradient of its input and for that of its weights. Scores and values of attention are causal,
/// so half of the pairs of positions count; their gradients are 2.5 times the forward step, as
/// scores are computed again (Dao et al. 2022, FlashAttention). Numbers have 2 bytes (bf16),
/// gradients are summed in 4. With FP8 the products of a layer with its weights run at the rate of
/// FP8; attention's pairs, routers and the output layer stay in BF16, as in NVIDIA's Transformer
/// Engine, whose norms and activations write FP8 beside BF16, so that bytes stay as they are.
/// Without attention's pairs, a step is 6 operations for each parameter that a token passes through
/// and each token (Kaplan et al. 2020).
///
/// Not modelled: dropout, experts with unequal numbers of tokens.
#pragma once

#include <array>
#include <cstdint>

#include "io/workload_model/parallel_plan.h"

namespace heddle {

/// Operations, and bytes read and written.
struct Work {
  double operations = 0, bytes = 0;
  double fp8_operations = 0;  ///< on FP8 numbers; not among `operations`
};
inline Work operator+(Work a, Work b) {
  return {a.operations + b.operations, a.bytes + b.bytes, a.fp8_operations + b.fp8_operations};
}

struct PhasesOfWork {
  Work forward, input_gradient, weight_gradient;
};
/// Adds phase by phase.
PhasesOfWork operator+(const PhasesOfWork& a, const PhasesOfWork& b);

/// Blocks of a step; a table of compute times names them.
enum class BlockKind : std::uint8_t {
  kEmbedding,
  kAttention,
  kMlp,        ///< without experts
  kRouter,     ///< with the permutation of tokens
  kExperts,    ///< routed and shared ones
  kOutput,     ///< the product with the vocabulary
  kLoss,       ///< cross entropy
  kOptimizer,  ///< once a step: Adam
};
constexpr std::size_t kBlockKinds = 8;
/// "embedding", "attention", "mlp", "router", "experts", "output", "loss", "optimizer".
const char* ToText(BlockKind kind);

/// A block's two halves, which sequence parallelism separates: up to its first matrices, and from
/// there on. Blocks that are not divided have all in `column`. Attention's pairs of positions lie
/// between the two with context parallelism, and where TP communicates under products; else they
/// are in `row`.
struct BlockWork {
  PhasesOfWork column, pairs, row;

  PhasesOfWork all() const { return column + pairs + row; }  ///< the whole block
};

/// Parameters that a GPU holds: what DP x CP has copies of, and what DP_EP has copies of.
struct HeldParameters {
  std::int64_t common = 0, experts = 0;
};

class LayerWork {
 public:
  /// Requires that CheckPlan() accepts both.
  LayerWork(const ModelShape& shape, const ParallelPlan& plan);

  /// Returns the work of one block for one micro-batch; the optimizer's: for a step.
  BlockWork Of(BlockKind kind) const;

  /// Parameters of one block of this kind that a GPU holds. `with_experts`: of an attention block,
  /// whether its layer has experts. Embedding: with positions. Loss and optimizer: none.
  HeldParameters ParametersOf(BlockKind kind, bool with_experts) const;
  /// Returns the parameters of a stage: its layers, the embedding at the first one, the last norm
  /// and the output layer at the last one. With one stage a tied output layer counts once; where
  /// stages are alike, each has the embedding and not the output layer, which are equally large.
  HeldParameters StageParameters(PipelinePart part) const;
  /// Returns those of the stage that holds most.
  HeldParameters StageParameters() const;
  /// Returns the parameters of one layer, which ZeRO 3 gathers together.
  HeldParameters LayerParameters(bool with_experts) const;
  /// Returns those of a stage that are in no layer: embedding, last norm, output layer.
  HeldParameters RootParameters(PipelinePart part) const;
  /// Returns how many of a stage's common parameters are of norms.
  std::int64_t StageNorms(PipelinePart part) const;
  /// Returns the parameters of the last norm.
  std::int64_t LastNorm() const { return shape_.hidden * (shape_.biases ? 2 : 1); }

 private:
  /// Returns a product of a layer with its weights, in the plan's precision; Product() of the
  /// source says of what.
  PhasesOfWork WeightProduct(double tokens, double from, double to, double copies = 1) const;
  // Each for one micro-batch; products of matrices as 2 t a b operations.
  BlockWork AttentionWork() const;            ///< with MLA if the shape has a kv_rank
  BlockWork MlpWork(std::int64_t ffn) const;  ///< of inner size `ffn`, before TP divides it
  BlockWork RouterWork() const;               ///< and the copies into the order of experts and back
  BlockWork ExpertWork() const;     ///< top_k experts a token, evenly over EP, and the shared one
  BlockWork OptimizerWork() const;  ///< for a step; of the GPU's share under ZeRO 1

  const ModelShape shape_;
  const ParallelPlan plan_;
  const double tokens_;       ///< of a micro-batch
  const double norm_tokens_;  ///< those whose norms this GPU computes
};

}  // namespace heddle
