// SPDX-License-Identifier: GPL-2.0-only
/// Order of a pass through the layers, by policy: each function adds the operations and the steps
/// to a builder.
///
/// Source: ASTRA-sim 1 (its workload layer), SimAI's Workload.cc for the transformer, with one
/// change of state as one kPause. The transformer is in transformer_steps.cc, the others in
/// policies.cc. The gradient of the first layer's input is not used: ASTRA-sim omits its
/// communication, and for DATA its computing. Of its priorities only HIGHEST is modelled, by the
/// scheduler of chunks. TP groups are neighbours in every policy; HYBRID_MODEL_DATA's model
/// parallel collectives are those of DP groups (io/simai/simai_workload.cc).
#pragma once

#include "collectives/pipeline/pipeline_options.h"
#include "collectives/program/program_builder.h"

namespace heddle {

/// MICRO: each layer's weight gradient phase, one after the other, blocking.
void BuildMicro(ProgramBuilder* builder);
/// DATA: forward computing, then backward the gradients of the weights, which are communicated
/// while later ones are computed.
void BuildData(ProgramBuilder* builder);
/// MODEL and the hybrids except DLRM: blocking forward collectives. A layer's input gradient is
/// communicated while the gradient of its weights is computed, and is then waited for. Weight
/// gradients overlap everything (MODEL has none: TP spans all).
void BuildModel(ProgramBuilder* builder, bool weight_gradients);
/// HYBRID_CUSTOMIZED: BuildModel() with the collectives that each layer's own policy has: DATA only
/// those of weight gradients, MODEL all others.
void BuildCustomized(const Workload& workload, ProgramBuilder* builder);
/// HYBRID_DLRM: data parallel MLPs. An all-to-all of the forward columns, that is layer 0's of the
/// embeddings, goes over all GPUs and overlaps; layer 0's is waited for at the last bottom layer.
/// The exchange back overlaps the bottom MLP, and layer 0's weight gradient. Both have the highest
/// priority. `waits_back`: the pass ends when the exchange back has; not so by
/// HYBRID_DLRM_ENHANCED.
void BuildDlrm(ProgramBuilder* builder, std::uint32_t last_bottom_layer, bool waits_back);
/// DISTRIBUTED_INFERENCE: forward, blocking.
void BuildInference(ProgramBuilder* builder);
/// HYBRID_TRANSFORMER_FWD_IN_BCKWD, with recomputation of activations and pipeline stages, which
/// work in the order that `pipeline` says.
void BuildTransformer(const Workload& workload, const ParallelGroups& groups,
                      const PipelineOptions& pipeline, ProgramBuilder* builder);

}  // namespace heddle
