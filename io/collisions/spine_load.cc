// SPDX-License-Identifier: GPL-2.0-only
#include "io/collisions/spine_load.h"

#include <algorithm>
#include <map>

#include "core/base/table.h"
#include "topology/graph/tiers.h"

namespace heddle {

std::vector<SpineTier> LoadOfSpines(const Graph& graph, const Table& flows,
                                    const HopNumbers& numbers, const PortLists& paths) {
  const auto& size = GetColumn<std::int64_t>(flows, "size_bytes");
  const std::vector<std::uint32_t> tiers = FindTiers(graph);
  std::vector<SpineLoad> loads(graph.node_count());
  std::map<std::uint32_t, SpineTier> by_tier;
  for (std::size_t flow = 0; flow < paths.size(); ++flow) {
    const NodeId spine = MiddleSwitch(numbers, paths[flow]);
    if (!spine.valid()) continue;
    ++loads[spine.value].flows;
    loads[spine.value].bytes += size[flow];
    by_tier[tiers[spine.value]].tier = tiers[spine.value];
  }
  for (std::uint32_t node = 0; node < graph.node_count(); ++node) {
    const auto tier = by_tier.find(tiers[node]);
    if (tier == by_tier.end()) continue;
    loads[node].spine = NodeId(node);
    tier->second.spines.push_back(loads[node]);
  }
  std::vector<SpineTier> list;
  for (auto& [tier, spines] : by_tier) list.push_back(std::move(spines));
  return list;
}

SpineSums SumsOf(const SpineTier& tier) {
  SpineSums sums;
  std::uint32_t most_flows = 0;
  std::int64_t most_bytes = 0;
  for (const SpineLoad& spine : tier.spines) {
    sums.flows += spine.flows;
    sums.bytes += spine.bytes;
    sums.used += spine.flows > 0;
    most_flows = std::max(most_flows, spine.flows);
    most_bytes = std::max(most_bytes, spine.bytes);
  }
  const double count = static_cast<double>(tier.spines.size());
  if (sums.flows > 0) sums.flows_ratio = most_flows * count / static_cast<double>(sums.flows);
  if (sums.bytes > 0)
    sums.bytes_ratio = static_cast<double>(most_bytes) * count / static_cast<double>(sums.bytes);
  return sums;
}

std::vector<SpineLoad> FullestOf(const SpineTier& tier, std::size_t most) {
  std::vector<SpineLoad> spines = tier.spines;
  if (spines.size() <= most) return spines;
  std::stable_sort(spines.begin(), spines.end(),
                   [](const SpineLoad& a, const SpineLoad& b) { return a.flows > b.flows; });
  spines.resize(most);
  return spines;
}

}  // namespace heddle
