// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/simai_closed_form/simai_automatic.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "collectives/simai_closed_form/simai_size_ratio.h"
#include "core/base/check.h"

namespace heddle {
namespace {

/// Times of collectives above 1 byte and below 1 MiB [ns]; other numbers of ranks: 0.
struct FixedTime {
  int ranks;
  SimaiTicks time;
};
constexpr FixedTime kFixedTimes[] = {{2, 10'000},   {4, 12'000},   {8, 15'000},   {16, 66'000},
                                     {32, 135'000}, {64, 200'000}, {128, 320'000}};
constexpr std::uint64_t kFixedBelow = 1'048'576;

SimaiTicks FixedTimeOf(int ranks) {
  for (const FixedTime& fixed : kFixedTimes) {
    if (fixed.ranks == ranks) return fixed.time;
  }
  return 0;
}

/// SimAI's mixed arithmetic: an int and a uint32_t make a uint32_t.
std::uint32_t Unsigned(int number) { return static_cast<std::uint32_t>(number); }

/// NICs pass through single precision; from 2^31 on the processor makes them the lowest number.
int NicCount(std::uint32_t nics) {
  const auto single = static_cast<float>(nics);
  if (single >= 2147483648.0F) return std::numeric_limits<int>::min();
  return static_cast<int>(single);
}

SimaiServers TensorServers(const SimaiGroups& groups) {
  const int nics = NicCount(groups.nics_per_server);
  const std::uint32_t tensor = Unsigned(groups.tensor);
  if (tensor <= groups.gpus_per_server) return {1, groups.tensor, nics};
  return {static_cast<int>(tensor / groups.gpus_per_server),
          static_cast<int>(groups.gpus_per_server), nics};
}

SimaiServers ExpertServers(int ranks, const SimaiGroups& groups) {
  const std::uint32_t tensor = Unsigned(groups.tensor);
  const std::uint32_t inside = groups.gpus_per_server / tensor;
  const std::uint32_t all = tensor * Unsigned(ranks);
  if (all <= groups.gpus_per_server)
    return {1, static_cast<int>(inside), NicCount(groups.nics_per_server)};
  const std::uint32_t sharing = std::min(tensor, groups.gpus_per_server);
  return {static_cast<int>(all / groups.gpus_per_server), std::max(static_cast<int>(inside), 1),
          NicCount(groups.nics_per_server / sharing)};
}

/// Servers of a data parallel group whose ranks are `stride` GPUs apart.
SimaiServers DataServers(int ranks, std::uint32_t stride, const SimaiGroups& groups) {
  if (stride <= groups.gpus_per_server)
    return {ranks, static_cast<int>(groups.gpus_per_server / stride),
            NicCount(groups.nics_per_server / stride)};
  return {ranks, 1, NicCount(groups.nics_per_server / groups.gpus_per_server)};
}

std::uint32_t DataExpertStride(const SimaiGroups& groups) {
  const std::uint32_t stride = Unsigned(groups.tensor) * Unsigned(groups.expert);
  if (stride == 0)
    throw UserError(
        "a collective of DP_EP, and no ep: in the header; SimAI crashes there (SIGFPE). Expected: "
        "ep: in the header");
  return stride;
}

struct TableAndNodes {
  SimaiRatioTable table;
  int nodes;
};

int NodesOf(std::uint32_t gpus, const SimaiGroups& groups) {
  return static_cast<int>(gpus / groups.gpus_per_server);
}

TableAndNodes ExpertTable(int ranks, const SimaiGroups& groups) {
  const std::uint32_t tensor = Unsigned(groups.tensor);
  const std::uint32_t all = tensor * Unsigned(ranks);
  if (all <= groups.gpus_per_server) return {SimaiRatioTable::kAllToAll, 1};
  if (tensor >= groups.gpus_per_server) return {SimaiRatioTable::kAllToAll, 9};
  return {SimaiRatioTable::kAllToAll, NodesOf(all, groups)};
}

/// None: no table, the ratio is 1.
std::optional<TableAndNodes> TableOf(const SimaiCollective& collective, const SimaiGroups& groups,
                                     bool nvlink_bound) {
  const std::uint32_t tensor = Unsigned(groups.tensor);
  const bool all_to_all = collective.operation == Operation::kAllToAll;
  if (collective.group == GroupType::kExpert && all_to_all)
    return ExpertTable(collective.ranks, groups);
  if (collective.group != GroupType::kTensor || collective.operation == Operation::kAllReduce)
    return std::nullopt;
  // At one whole server, tensor = gpus_per_server, both forms give one node.
  const int nodes = tensor <= groups.gpus_per_server ? 1 : NodesOf(tensor, groups);
  if (all_to_all) return TableAndNodes{SimaiRatioTable::kAllToAll, nodes};
  return TableAndNodes{nvlink_bound ? SimaiRatioTable::kNvlink : SimaiRatioTable::kNic, nodes};
}

}  // namespace

std::optional<SimaiServers> SimaiServersOf(const SimaiCollective& collective,
                                           const SimaiGroups& groups) {
  if (!collective.group) return std::nullopt;
  if (collective.group == GroupType::kTensor) return TensorServers(groups);
  if (collective.ranks <= 1) return std::nullopt;
  switch (*collective.group) {
    case GroupType::kExpert:
      return ExpertServers(collective.ranks, groups);
    case GroupType::kData:
      return DataServers(collective.ranks, Unsigned(groups.tensor), groups);
    case GroupType::kDataExpert:
      return DataServers(collective.ranks, DataExpertStride(groups), groups);
    default:
      return std::nullopt;
  }
}

float SimaiRatioOf(const SimaiCollective& collective, const SimaiGroups& groups,
                   bool nvlink_bound) {
  const std::optional<TableAndNodes> found = TableOf(collective, groups, nvlink_bound);
  if (!found) return 1;
  if (collective.bytes > kSimaiLastRatioSize)
    throw UserError(
        fmt::format("{} of {} bytes: SimAI's tables end at {} bytes, and it ends without a result "
                    "there. Expected: at most that size",
                    ToText(collective.operation), collective.bytes, kSimaiLastRatioSize));
  return SimaiSizeRatio(found->table, collective.bytes, found->nodes);
}

SimaiTicks SimaiAutomaticTime(const SimaiCollective& collective, const SimaiGroups& groups,
                              const SimaiRates& rates) {
  if (collective.operation == Operation::kNone) return 0;
  if (collective.bytes > 1 && collective.bytes < kFixedBelow) return FixedTimeOf(collective.ranks);
  const std::optional<SimaiServers> servers = SimaiServersOf(collective, groups);
  if (!servers) return 0;
  const SimaiBusBandwidth bus = SimaiBusBandwidthOf(collective.operation, *servers, rates);
  const float ratio = SimaiRatioOf(collective, groups, bus.nvlink_bound);
  return TicksOf(SimaiNanoseconds(collective, ratio * bus.value));
}

}  // namespace heddle
