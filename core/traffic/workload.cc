// SPDX-License-Identifier: GPL-2.0-only
#include "core/traffic/workload.h"

#include <algorithm>

namespace heddle {

const char* ToText(Operation operation) {
  switch (operation) {
    case Operation::kNone:
      return "NONE";
    case Operation::kAllReduce:
      return "ALLREDUCE";
    case Operation::kAllGather:
      return "ALLGATHER";
    case Operation::kReduceScatter:
      return "REDUCESCATTER";
    case Operation::kAllToAll:
      return "ALLTOALL";
    case Operation::kBroadcast:
      return "BROADCAST";
    case Operation::kReduce:
      return "REDUCE";
    case Operation::kSendRecv:
      return "SENDRECV";
  }
  return "";
}

const char* ToText(GroupType type) {
  static constexpr const char* kNames[] = {"TP", "DP", "PP", "EP", "DP_EP", "ALL", "CP", "LISTED"};
  return kNames[static_cast<int>(type)];
}

const char* ToText(Policy policy) {
  switch (policy) {
    case Policy::kMicro:
      return "MICRO";
    case Policy::kData:
      return "DATA";
    case Policy::kModel:
      return "MODEL";
    case Policy::kHybridDataModel:
      return "HYBRID_DATA_MODEL";
    case Policy::kHybridModelData:
      return "HYBRID_MODEL_DATA";
    case Policy::kHybridTransformer:
      return "HYBRID_TRANSFORMER";
    case Policy::kTransformerFwdInBckwd:
      return "HYBRID_TRANSFORMER_FWD_IN_BCKWD";
    case Policy::kHybridDlrm:
      return "HYBRID_DLRM";
    case Policy::kHybridDlrmEnhanced:
      return "HYBRID_DLRM_ENHANCED";
    case Policy::kHybridCustomized:
      return "HYBRID_CUSTOMIZED";
    case Policy::kDistributedInference:
      return "DISTRIBUTED_INFERENCE";
  }
  return "";
}

bool Workload::gathers_parameters() const {
  return std::any_of(layers.begin(), layers.end(),
                     [](const Layer& layer) { return layer.gathered.begins; });
}

bool Workload::overlaps_tensor() const {
  const auto overlaps = [](const LayerPhase& phase) {
    return phase.together && phase.operation != Operation::kNone &&
           phase.group == GroupType::kTensor;
  };
  return std::any_of(layers.begin(), layers.end(), [&](const Layer& layer) {
    return overlaps(layer.forward) || overlaps(layer.input_gradient);
  });
}

std::string Workload::BeyondText() const {
  if (gathers_parameters()) return "zero = 3";
  if (splits_context()) return "cp = " + std::to_string(sizes.context);
  return overlaps_tensor() ? "tp_comm_overlap = true" : "";
}

bool Workload::has_unlike_stages() const {
  return std::any_of(layers.begin(), layers.end(),
                     [](const Layer& layer) { return !layer.place.everywhere(); });
}

}  // namespace heddle
