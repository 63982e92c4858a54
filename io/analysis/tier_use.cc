// SPDX-License-Identifier: GPL-2.0-only
#include "io/analysis/tier_use.h"

#include <algorithm>
#include <cstddef>

#include "io/analysis/port_totals.h"

namespace heddle {
namespace {

bool IsNvLink(const TierSum& tier) { return tier.name == "NVLink"; }

bool IsBetweenSwitches(const TierSum& tier) {
  return !IsNvLink(tier) && tier.name.find("host") == std::string::npos;
}

}  // namespace

std::vector<TierSum> SumTiers(const ReportSource& source) {
  std::vector<TierSum> tiers;
  for (const std::string& name : source.tiers().names())
    tiers.push_back({name, source.tiers().links(static_cast<std::uint32_t>(tiers.size()))});
  for (const PortTotals& port : ReadPortTotals(source)) {
    TierSum& tier = tiers[source.tiers().Of(port.port)];
    tier.utilisations += UtilisationOf(source, port);
    tier.sent_bytes += port.sent_bytes;
  }
  return tiers;
}

const TierSum* HottestTier(const std::vector<TierSum>& tiers) {
  const TierSum* hottest = nullptr;
  for (const TierSum& tier : tiers) {
    if (!IsNvLink(tier) && tier.mean() > (hottest == nullptr ? 0 : hottest->mean()))
      hottest = &tier;
  }
  return hottest;
}

double BytesAboveLeaves(const std::vector<TierSum>& tiers) {
  double bytes = 0;
  for (const TierSum& tier : tiers)
    bytes += IsBetweenSwitches(tier) ? static_cast<double>(tier.sent_bytes) : 0;
  return bytes;
}

double HighestUse(const Table& tier_load, const std::string& tier, double mean) {
  double highest = mean;
  const auto& tiers = GetColumn<std::string>(tier_load, "tier");
  const auto& use = GetColumn<double>(tier_load, "utilisation");
  for (std::size_t i = 0; i < tiers.size(); ++i) {
    if (tiers[i] == tier) highest = std::max(highest, use[i]);
  }
  return highest;
}

}  // namespace heddle
