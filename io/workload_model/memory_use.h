// SPDX-License-Identifier: GPL-2.0-only
/// What a GPU's memory holds during a training step.
///
/// Sources: Megatron-LM's page on the distributed optimizer (bytes of parameters, gradients and
/// Adam's state); Korthikanti et al., "Reducing Activation Recomputation in Large Transformer
/// Models", MLSys 2023: activations of a layer (section 4.1) under tensor and sequence parallelism
/// (4.2.1, 4.2.2), micro-batches that are open at once (4.2.3), what the output layer adds (4.3),
/// and recomputation of whole layers (section 5): a layer keeps its input, and one layer at a time
/// all else. Attention keeps no scores, as with FlashAttention. A gated MLP keeps both factors of
/// its product. Experts keep their tokens as TP has gathered them. DualPipe's GPUs hold two stages.
///
/// Not modelled: masks of dropout, FP8 copies, choices of routers, buffers of communication, CUDA's
/// context, and what the allocator loses; kUsualMemoryShare leaves room for them.
#pragma once

#include "io/workload_model/parallel_plan.h"

namespace heddle {

/// Up to this share of a GPU's memory a step that these formulas describe has been seen to run.
/// Source: Fujii et al., "Accelerating Large Language Model Training with 4D Parallelism and Memory
/// Consumption Estimator" (arXiv 2411.06465, 2024): of 454 runs on A100 and H100 none ended for
/// lack of memory where the sum of parameters, gradients, optimizer states and activations was
/// below 80 % of it; above, buffers and fragmentation decide.
constexpr double kUsualMemoryShare = 0.8;

/// What a pipeline schedule makes a GPU hold at once.
struct StageLoad {
  /// Micro-batches whose activations are kept at the first and at the last stage; parts of one
  /// where stages have chunks of layers.
  double first = 1, last = 1;
  std::int64_t stages = 1;  ///< whose parameters a GPU has: 2 with DualPipe
};
/// Returns what the plan's schedule holds (docs/models/pipelines.md, Schedules): with 1F1B as many
/// micro-batches as stages at the first, and one at the last. With V interleaved chunks of a stage,
/// each of G micro-batches in a row, 2 (PP - 1 - s) + (V - 1) G + 1 V-ths of a micro-batch at stage
/// s (section 4.2.3: with G = PP 1 + (PP - 1) / (PP V) times as much as 1F1B at the first). In
/// pairs these are one more, of one stage two micro-batches. Of a file's table it returns what 1F1B
/// holds.
StageLoad UsualLoad(const ParallelPlan& plan);

/// In bytes, of the GPU that holds most: one of the first stage, or of the last, which has the
/// output layer.
struct MemoryUse {
  double parameters = 0;   ///< BF16; with ZeRO 3 a share, and those that are gathered
  double gradients = 0;    ///< FP32; likewise
  double optimizer = 0;    ///< Adam's, with FP32 parameters; divided among replicas by ZeRO 1
  double activations = 0;  ///< of all micro-batches that are open at once
  double open_micro_batches = 1;  ///< of how many these are, at that stage

  double total() const { return parameters + gradients + optimizer + activations; }  ///< all
};

/// Requires that CheckPlan() accepts both.
MemoryUse MemoryOf(const ModelShape& shape, const ParallelPlan& plan, const StageLoad& load);
/// The same with UsualLoad().
MemoryUse MemoryOf(const ModelShape& shape, const ParallelPlan& plan);

/// Returns the bytes that one layer's activations take for one micro-batch, nothing recomputed.
/// `with_experts`: whether it has experts, each of which sees as many tokens as the others.
double LayerActivations(const ModelShape& shape, const ParallelPlan& plan, bool with_experts);

/// Returns the bytes that the last norm, the output layer and the loss keep for one micro-batch:
/// their inputs, and the product with the vocabulary in FP32.
double OutputActivations(const ModelShape& shape, const ParallelPlan& plan);

}  // namespace heddle
