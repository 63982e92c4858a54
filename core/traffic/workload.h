// SPDX-License-Identifier: GPL-2.0-only
/// A training workload as data: the layers of one iteration, their compute times and what they
/// communicate.
///
/// Plain data like core/traffic/flow_request.h: `io` reads it from files, `collectives` runs it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/units.h"

namespace heddle {

/// Collective operations. Buffer conventions are NCCL's, with `bytes` the full buffer: AllGather's
/// output, ReduceScatter's input, AllToAll's buffer for all peers, SendRecv's message.
enum class Operation : std::uint8_t {
  kNone,
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kBroadcast,
  kReduce,
  kSendRecv
};
/// Returns "ALLREDUCE" and so on, as SimAI's files name it; "NONE".
const char* ToText(Operation operation);

/// Communicators of a training job (SimAI's groups, MockNcclGroup.cc): tensor, data, pipeline,
/// expert parallel, and data parallel among the replicas of an expert. kAll: all GPUs of a pipeline
/// stage, as ASTRA-SIM's collectives over all dimensions. kContext: ranks that share the positions
/// of their sequences; they hold the same parameters, so kData's groups have them all. kListed: any
/// ranks, as a trace lists them.
enum class GroupType : std::uint8_t {
  kTensor,
  kData,
  kPipeline,
  kExpert,
  kDataExpert,
  kAll,
  kContext,
  kListed
};
/// Number of the types in which each rank has one group: all but kListed, which is the last.
constexpr int kGroupTypes = 7;
/// Returns "TP", "DP", "PP", "EP", "DP_EP", "ALL", "CP", "LISTED".
const char* ToText(GroupType type);

/// What one phase of a layer does: compute, then communicate.
struct LayerPhase {
  Time compute;
  Operation operation = Operation::kNone;
  GroupType group = GroupType::kTensor;
  std::int64_t bytes = 0;
  /// It communicates while it computes, and ends when both are done. SimAI's files do not have it.
  bool together = false;
};

/// Execution policy of the layers: which phases block, and the group type of a collective without
/// one. Names are ASTRA-sim's.
enum class Policy : std::uint8_t {
  kMicro,  ///< each layer's weight gradient collective, one after the other
  kData,
  kModel,
  kHybridDataModel,
  kHybridModelData,
  kHybridTransformer,
  kTransformerFwdInBckwd,  ///< SimAI's
  kHybridDlrm,
  kHybridDlrmEnhanced,  ///< kHybridDlrm, whose exchange back is not waited for
  kHybridCustomized,    ///< each layer has a policy of its own
  kDistributedInference,
};
/// Returns the name as ASTRA-sim's files have it: "HYBRID_DATA_MODEL".
const char* ToText(Policy policy);
/// Whether the layers are those of a DLRM, with a bottom part that last_bottom_layer ends.
constexpr bool IsDlrm(Policy policy) {
  return policy == Policy::kHybridDlrm || policy == Policy::kHybridDlrmEnhanced;
}

/// Parameters that are sharded over replicas (ZeRO 3, FSDP). A unit is the lines from one that
/// begins it to the next. Its parameters are gathered under the computing of the unit that comes
/// before, forward, and again backward. In bytes of the whole. SimAI's files have no units.
struct GatheredParameters {
  bool begins = false;       ///< a unit begins here
  bool kept = false;         ///< from the forward to the backward pass: they are gathered once
  std::int64_t common = 0;   ///< over GroupType::kData
  std::int64_t experts = 0;  ///< over GroupType::kDataExpert
};

/// One layer: forward pass, gradient of its input, gradient of its weights.
/// Parts of a pipeline: the end that has the embedding, the end that has the output layer, and what
/// lies between them.
enum class PipelinePart : std::uint8_t { kFirst, kMiddle, kLast };
constexpr int kPipelineParts = 3;

/// The parts of a pipeline that a line belongs to; all of them in SimAI's files, which describe all
/// stages by one.
struct PipelineParts {
  std::array<bool, kPipelineParts> parts = {true, true, true};

  bool has(PipelinePart part) const { return parts[static_cast<std::size_t>(part)]; }
  /// Whether all stages have the line.
  bool everywhere() const { return parts[0] && parts[1] && parts[2]; }
};

struct Layer {
  std::string name;
  LayerPhase forward, input_gradient, weight_gradient;
  GatheredParameters gathered;  ///< of the unit that begins here
  PipelineParts place;
  /// Gradients of a tied embedding that the first and the last stage send each other before the
  /// input gradient's phase ends; 0: none.
  std::int64_t tied_bytes = 0;
  Time update;  ///< time from the end of this layer's communication until it counts as finished
  std::int64_t line = 0;  ///< line number in the file
  /// Policy whose communications the layer has; of HYBRID_CUSTOMIZED only.
  Policy policy = Policy::kHybridDataModel;
};

/// Sizes of the parallel groups; 0: not given.
struct ParallelSizes {
  std::int64_t tensor = 0, expert = 0, pipeline = 0;
  std::int64_t context = 0;  ///< SimAI's files do not have it
};

struct Workload {
  std::string name;  ///< name of the workload's file
  Policy policy = Policy::kTransformerFwdInBckwd;
  ParallelSizes sizes;
  std::int64_t virtual_pipeline = 1;       ///< vpp
  std::int64_t gradient_accumulation = 1;  ///< ga: micro-batches of one iteration
  std::int64_t all_gpus = 0;               ///< of the header; 0: not given
  /// Layers by the second line; more than there are if the file is truncated; 0: not given.
  std::int64_t announced_layers = 0;
  std::int64_t pipeline_bytes = 0;     ///< pp_comm: size of one activation sent to the next stage
  std::int64_t last_bottom_layer = 0;  ///< of HYBRID_DLRM and _ENHANCED
  bool inference = false;              ///< mode: 1; only the forward steps are run
  bool named_groups = false;           ///< a micro-benchmark whose lines name their groups
  bool gathers_shards = false;         ///< an ALLGATHER's bytes are one rank's: ASTRA-SIM 1.0
  std::vector<std::int64_t> checkpoints,
      checkpoint_initiates;  ///< numbers of layers, from the header
  std::vector<Layer> layers;

  /// Whether parameters are gathered ahead, which only plans have.
  bool gathers_parameters() const;
  /// Whether positions of sequences are split over context parallel groups, likewise.
  bool splits_context() const { return sizes.context > 1; }
  /// Whether stages have lines of their own, likewise.
  bool has_unlike_stages() const;
  /// Whether tensor parallel groups communicate under their own lines' computing, likewise.
  bool overlaps_tensor() const;
  /// Returns what the workload has that SimAI's text has no place for, but for its stages: a key of
  /// a plan and its value; empty: nothing.
  std::string BeyondText() const;
};

}  // namespace heddle
