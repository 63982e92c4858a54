// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/simai_closed_form/simai_manual.h"

namespace heddle {
namespace {

std::optional<float> TensorBandwidth(Operation operation, const GivenBandwidths& given) {
  if (operation == Operation::kAllReduce) return given.all_reduce;
  if (operation == Operation::kAllToAll) return given.all_to_all;
  return given.all_gather;
}

/// AllReduce is taken for one of TP; AllGather and ReduceScatter have no branch. Across servers
/// nothing has.
std::optional<float> ExpertBandwidth(Operation operation, bool tensor_inside,
                                     const BusBandwidthFile& given) {
  if (!tensor_inside) return std::nullopt;
  if (operation == Operation::kAllReduce) return given.tensor.all_reduce;
  if (operation == Operation::kAllToAll) return given.expert.all_to_all;
  return std::nullopt;
}

/// Bandwidth of DP or DP_EP, whose values are `own`.
std::optional<float> DataBandwidth(Operation operation, bool one_server, const GivenBandwidths& own,
                                   const BusBandwidthFile& given) {
  if (operation == Operation::kAllReduce)
    return one_server ? given.tensor.all_reduce : own.all_reduce;
  if (one_server) return std::nullopt;
  return own.all_gather;
}

}  // namespace

std::optional<float> SimaiManualBandwidth(const SimaiCollective& collective,
                                          const SimaiGroups& groups,
                                          const BusBandwidthFile& given) {
  if (collective.operation == Operation::kNone || !collective.group) return std::nullopt;
  const bool tensor_inside = static_cast<std::uint32_t>(groups.tensor) <= groups.gpus_per_server;
  const bool one_server =
      static_cast<std::uint32_t>(groups.gpus) == groups.gpus_per_server && tensor_inside;
  switch (*collective.group) {
    case GroupType::kTensor:
      return TensorBandwidth(collective.operation, given.tensor);
    case GroupType::kExpert:
      return ExpertBandwidth(collective.operation, tensor_inside, given);
    case GroupType::kData:
      return DataBandwidth(collective.operation, one_server, given.data, given);
    case GroupType::kDataExpert:
      return DataBandwidth(collective.operation, one_server, given.expert, given);
    default:
      return std::nullopt;
  }
}

SimaiTicks SimaiManualTime(const SimaiCollective& collective, const SimaiGroups& groups,
                           const BusBandwidthFile& given) {
  const std::optional<float> bandwidth = SimaiManualBandwidth(collective, groups, given);
  return bandwidth ? TicksOf(SimaiNanoseconds(collective, *bandwidth)) : 0;
}

}  // namespace heddle
