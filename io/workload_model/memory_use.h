// SPDX-License-Identifier: GPL-2.0-only
/// What a GPU's memory holds during a training step.
///
/// Sources: Megatron-LM's page on the distributed optimizer (bytes of parameters, gradients and
/// Adam's state); Korthikanti et al., "Reducing Activation Recomputation in Large Transformer
/// Models", MLSys 2023, sections 4.1 to 4.3 (activations of a layer). Attention keeps no scores, as
/// with FlashAttention. A gated MLP keeps the inputs of its product too. With
/// recomputation a layer keeps its input, and one layer at a time all else. DualPipe's GPUs hold
/// two stages.
///
/// Not modelled: dropout's masks, FP8 copies, buffers of communication, and what the allocator
/// loses.
#pragma once

#include "io/workload_model/parallel_plan.h"

namespace heddle {

/// In bytes, of the GPU that holds most: one of the first pipeline stage, with the output layer as
/// the file has it (step_workload.h).
struct MemoryUse {
  double parameters = 0;   ///< BF16; with ZeRO 3 a share, and those that are gathered
  double gradients = 0;    ///< FP32; likewise
  double optimizer = 0;    ///< Adam's, with FP32 parameters; divided among replicas by ZeRO 1
  double activations = 0;  ///< of all micro-batches that are open at once
  double open_micro_batches = 1;  ///< ParallelPlan::open_micro_batches()

  double total() const { return parameters + gradients + optimizer + activations; }  ///< all
};

/// Requires that CheckPlan() accepts both.
MemoryUse MemoryOf(const ModelShape& shape, const ParallelPlan& plan);

/// Returns the bytes that one layer's activations take for one micro-batch, nothing recomputed.
/// `with_experts`: whether it has experts, each of which sees as many tokens as the others.
double LayerActivations(const ModelShape& shape, const ParallelPlan& plan, bool with_experts);

}  // namespace heddle
