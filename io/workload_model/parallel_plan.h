// SPDX-License-Identifier: GPL-2.0-only
/// How a training step is divided over GPUs.
///
/// Groups are those of docs/formats/workload.md: with G GPUs, DP = G / (TP x CP x PP). Gradients
/// are reduced, and optimizer states divided, over DP x CP ranks, which EP divides. A pipeline
/// stage has layers / PP layers, unless the first or the last one has a number of its own. A
/// replica runs `micro_batches()` micro-batches a step.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/options/enum_words.h"
#include "core/traffic/workload.h"
#include "io/workload_model/model_shape.h"

namespace heddle {

/// Whose step is written.
enum class LineRules : std::uint8_t {
  kMegatron,  ///< the communication of Megatron-LM (core 0.13)
  kAicb,      ///< the lines and sizes of the files of AICB that come with SimAI, defects too
};

/// How ranks that share the positions of a sequence come to all keys and values. Source: NVIDIA's
/// Transformer Engine (pytorch/attention, context parallel), by the words of Megatron-LM's
/// --cp-comm-type.
enum class ContextExchange : std::uint8_t {
  kRing,       ///< p2p: they pass round a ring, each rank's under attention to those that it has
  kAllToAll,   ///< a2a: heads in place of positions, before and behind attention (Ulysses)
  kAllGather,  ///< allgather: all are gathered before attention, and their gradients reduced
};
/// The first is Megatron-LM's default.
constexpr auto WordsOf(ContextExchange) { return std::array{"p2p", "a2a", "allgather"}; }

struct ParallelPlan {
  std::int64_t gpus = 0;
  std::int64_t tensor = 1, pipeline = 1, virtual_pipeline = 1, expert = 1;
  std::int64_t context = 1;  ///< CP: ranks that share the positions of a sequence
  ContextExchange exchange = ContextExchange::kRing;
  std::int64_t micro_batch = 1;   ///< sequences
  std::int64_t global_batch = 0;  ///< sequences of a step, all replicas together
  /// Norms and residuals are split over TP by positions: ReduceScatter and AllGather where without
  /// there is an AllReduce.
  bool sequence_parallel = true;
  /// TP's AllGathers and ReduceScatters run under the products beside them (Megatron-LM:
  /// --tp-comm-overlap, NVIDIA's Transformer Engine). Needs sequence parallelism.
  bool tensor_overlap = false;
  /// Split over DP: 1 optimizer states (ZeRO 1), 3 parameters and gradients too (ZeRO 3, FSDP);
  /// 0: nothing.
  std::int64_t zero = 1;
  bool overlap_gradients = false;  ///< each block reduces its gradients as soon as it has them
  std::int64_t vocabulary_multiple = 128;  ///< the vocabulary is padded to a multiple of it x TP
  LineRules rules = LineRules::kMegatron;
  /// In which order stages work on micro-batches: a word of pipeline.schedule, or "file:NAME".
  std::string schedule = "1f1b";
  /// Forwards and backwards are done in pairs, one's exchanges with experts under the other.
  bool overlap_experts = false;
  /// Layers of the first and of the last stage; 0: as many as the others (Megatron-LM:
  /// --decoder-first-pipeline-num-layers, --decoder-last-pipeline-num-layers).
  std::int64_t first_layers = 0, last_layers = 0;
  /// All stages are described by one, which has the embedding and the output layer, as in SimAI's
  /// text. Else each stage has what the model has there.
  bool stages_alike = false;
  std::int64_t in_a_row = 0;  ///< micro-batches in a row on one chunk, if interleaved; 0: PP
  /// Of each layer only the input is kept, and its forward pass runs once more before its backward
  /// pass (Megatron-LM: --recompute-granularity full).
  bool recompute = false;
  bool fp8 = false;  ///< products of layers with their weights have FP8 numbers, all else BF16

  /// DP: replicas of the model that have sequences of their own.
  std::int64_t data() const { return gpus / (tensor * context * pipeline); }
  /// DP x CP: ranks with the same parameters.
  std::int64_t data_context() const { return gpus / (tensor * pipeline); }
  /// DP_EP: copies of each expert. Megatron-LM lays experts over the ranks of CP, too.
  std::int64_t data_expert() const { return data_context() / expert; }
  /// Returns the micro-batches of a replica in a step.
  std::int64_t micro_batches() const { return global_batch / (micro_batch * data()); }
  /// Returns the share of a step in which a stage waits for the first and the last micro-batch to
  /// pass the others, without communication: (p - 1) / (m + p - 1) (Narayanan et al., SC 2021,
  /// section 2.2).
  double fill_share() const {
    const auto stages = static_cast<double>(pipeline);
    return (stages - 1) / (static_cast<double>(micro_batches()) + stages - 1);
  }
  /// Whether a GPU holds a share of the parameters, and gathers a layer's for its computing.
  bool shards_parameters() const { return zero == 3; }
  /// Sequence parallel, and there is what to split.
  bool splits_sequence() const { return sequence_parallel && tensor > 1; }
  /// Whether TP communicates under products.
  bool overlaps_tensor() const { return tensor_overlap && splits_sequence(); }
  /// Returns the parts of the model that a stage holds, as its schedule has them.
  std::int64_t chunks() const { return schedule == "dualpipev" ? 2 : virtual_pipeline; }
  /// Whether stages have lines of their own.
  bool has_unlike_stages() const { return pipeline > 1 && !stages_alike; }
  /// Whether a stage holds the embedding. DualPipe runs the pipeline from both ends, so that the
  /// last stage holds a copy of the first one.
  bool has_embedding(PipelinePart part) const;
  /// Whether it holds the last norm and the output layer. DualPipeV's first stage does.
  bool has_output(PipelinePart part) const;
  /// Returns the number of GPUs of a group; kData: DP x CP; kAll: the GPUs of one stage.
  std::int64_t SizeOf(GroupType group) const;
};

/// Tokens of a micro-batch that a TP group has: those of its share of the positions.
inline std::int64_t TokensOf(const ModelShape& shape, const ParallelPlan& plan) {
  return shape.sequence * plan.micro_batch / plan.context;
}
/// Returns the vocabulary with what is added so that TP divides it.
std::int64_t PaddedVocabulary(const ModelShape& shape, const ParallelPlan& plan);

/// Layers of a stage, by the kind of their MLP.
struct StageLayers {
  std::int64_t dense = 0, with_experts = 0;

  std::int64_t all() const { return dense + with_experts; }
};
/// Returns the layers of a stage; with one stage all. Requires that CheckPlan() accepts both. A
/// model's layers without experts are at the first stage, or count as layers with experts if they
/// do not fit there, if stages are alike, or if a stage has several chunks.
StageLayers StageLayersOf(const ModelShape& shape, const ParallelPlan& plan, PipelinePart part);
/// Returns those of the stage with the most layers.
StageLayers MostLayersOf(const ModelShape& shape, const ParallelPlan& plan);

/// Throws UserError for a size that does not divide what it must, with the nearest that do, and for
/// sizes that are too large for the file's numbers.
void CheckPlan(const ModelShape& shape, const ParallelPlan& plan);

}  // namespace heddle
