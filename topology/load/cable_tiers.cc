// SPDX-License-Identifier: GPL-2.0-only
#include "topology/load/cable_tiers.h"

#include <algorithm>

#include "topology/graph/link_tiers.h"

namespace heddle {
namespace {

std::vector<std::uint8_t> KeysOf(const StaticPaths& paths) {
  const std::vector<std::uint8_t> levels = paths.NodeLevels();
  std::vector<std::uint8_t> keys(paths.cable_count());
  for (std::uint32_t cable = 0; cable < keys.size(); ++cable) {
    const CableEnds ends = paths.EndsOf(cable);
    keys[cable] = static_cast<std::uint8_t>(LinkTiers::KeyOf(levels[ends.from], levels[ends.to]));
  }
  return keys;
}

/// The keys that occur, ascending.
std::vector<std::uint8_t> Occurring(std::vector<std::uint8_t> keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace

std::vector<std::uint8_t> TierOfCables(const StaticPaths& paths) {
  std::vector<std::uint8_t> keys = KeysOf(paths);
  const std::vector<std::uint8_t> occurring = Occurring(keys);
  for (std::uint8_t& key : keys)
    key = static_cast<std::uint8_t>(std::lower_bound(occurring.begin(), occurring.end(), key) -
                                    occurring.begin());
  return keys;
}

std::vector<CableTier> TiersOf(const StaticPaths& paths, const LoadTotals& totals) {
  const std::vector<std::uint8_t> keys = KeysOf(paths);
  std::vector<CableTier> by_key(LinkTiers::kMost);
  for (std::uint32_t cable = 0; cable < keys.size(); ++cable) {
    CableTier& tier = by_key[keys[cable]];
    ++tier.cables;
    tier.messages += totals.cables[cable];
    tier.peak = std::max(tier.peak, totals.peaks[cable].messages);
    if (totals.cables[cable] == 0) ++tier.unused;
  }
  std::vector<CableTier> tiers;
  for (std::uint32_t key = 0; key < by_key.size(); ++key) {
    if (by_key[key].cables == 0) continue;
    by_key[key].name = LinkTiers::NameOf(key);
    tiers.push_back(std::move(by_key[key]));
  }
  return tiers;
}

}  // namespace heddle
