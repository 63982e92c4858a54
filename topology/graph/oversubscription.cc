// SPDX-License-Identifier: GPL-2.0-only
#include "topology/graph/oversubscription.h"

#include <algorithm>
#include <map>

#include "topology/graph/tiers.h"

namespace heddle {

std::vector<TierBandwidth> TierBandwidths(const Graph& graph) {
  const std::vector<std::uint32_t> tiers = FindTiers(graph);
  std::map<std::uint32_t, double> down, up;
  for (const Link& link : graph.links()) {
    const auto [low, high] = std::minmax(tiers[link.a.value], tiers[link.b.value]);
    if (high < kLeafTier || low == high) continue;
    const double gbps = static_cast<double>(link.rate.bps) * 1e-9;
    down[high] += gbps;
    up[low] += gbps;
  }
  std::vector<TierBandwidth> rows;
  for (const auto& [tier, gbps] : down)
    rows.push_back({tier, TierName(graph, tier), gbps, up.count(tier) > 0 ? up[tier] : 0});
  return rows;
}

}  // namespace heddle
