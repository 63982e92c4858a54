// SPDX-License-Identifier: GPL-2.0-only
/// How a pass runs through the layers, by policy: each function fills a builder with the operations
/// and the steps.
///
/// Source: ASTRA-sim 1 (its workload layer), SimAI's Workload.cc for the transformer, one change of
/// state a kPause. The transformer is in transformer_steps.cc, the others in policies.cc. The
/// gradient of the first layer's input goes nowhere: ASTRA-sim leaves its communication out, and
/// for DATA its computing. Not modelled: ASTRA-sim's priorities among collectives (FIFO, LIFO), and
/// that HYBRID_DATA_MODEL has its data parallel groups within servers: TP groups are neighbours in
/// every policy.
#ifndef HEDDLE_COLLECTIVES_JOB_POLICIES_H_
#define HEDDLE_COLLECTIVES_JOB_POLICIES_H_

#include "collectives/job/program_builder.h"

namespace heddle {

/// MICRO: each layer's weight gradient phase, one after the other, blocking.
void BuildMicro(ProgramBuilder* builder);
/// DATA: forward computing; backward the gradient of the weights, which is communicated while the
/// rest is computed.
void BuildData(ProgramBuilder* builder);
/// MODEL and the hybrids but DLRM: blocking forward collectives; a layer's input gradient is
/// communicated while the gradient of its weights is computed, and waited for then; weight
/// gradients overlap everything (MODEL has none: TP spans all).
void BuildModel(ProgramBuilder* builder, bool weight_gradients);
/// HYBRID_DLRM: data parallel MLPs; exchanges of embeddings over all GPUs overlap the bottom MLP in
/// both directions.
void BuildDlrm(ProgramBuilder* builder, std::uint32_t last_bottom_layer);
/// DISTRIBUTED_INFERENCE: forward, blocking.
void BuildInference(ProgramBuilder* builder);
/// HYBRID_TRANSFORMER_FWD_IN_BCKWD, with recomputation of activations and pipeline stages.
void BuildTransformer(const Workload& workload, const ParallelGroups& groups,
                      ProgramBuilder* builder);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_JOB_POLICIES_H_
