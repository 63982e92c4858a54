// SPDX-License-Identifier: GPL-2.0-only
#include "topology/graph/link_tiers.h"

#include <algorithm>

#include "topology/graph/tiers.h"

namespace heddle {
namespace {

enum Way : std::uint32_t { kWithin = 0, kUp = 1, kDown = 2 };

std::string LevelName(std::uint32_t level) {
  static const char* const kNames[] = {"host", "leaf", "spine", "core"};
  return level < 4 ? kNames[level] : "level " + std::to_string(level);
}

}  // namespace

std::string LinkTiers::NameOf(std::uint32_t key) {
  if (key == 0) return "NVLink";
  const std::uint32_t lower = (key - 1) / 3, way = (key - 1) % 3;
  const std::string below = LevelName(lower), above = LevelName(way == kWithin ? lower : lower + 1);
  return way == kDown ? above + " to " + below : below + " to " + above;
}

LinkTiers::LinkTiers(const Graph& graph) : levels_(graph.node_count()), index_(kMost) {
  const std::vector<std::uint32_t> layers = FindTiers(graph);
  for (std::uint32_t node = 0; node < layers.size(); ++node) {
    const std::uint32_t level =
        layers[node] == kGpuTier ? 0 : std::min(layers[node] - kLeafTier + 1, kMostLevel);
    levels_[node] = layers[node] == kNvSwitchTier ? kNvLevel : static_cast<std::uint8_t>(level);
  }
  std::vector<Tier> by_key(kMost);
  for (const Link& link : graph.links()) {
    for (const std::uint32_t key : {Key(link.a, link.b), Key(link.b, link.a)}) {
      ++by_key[key].links;
      by_key[key].rate_bps += static_cast<double>(link.rate.bps);
    }
  }
  for (std::uint32_t key = 0; key < kMost; ++key) {
    if (by_key[key].links == 0) continue;
    index_[key] = static_cast<std::uint8_t>(tiers_.size());
    by_key[key].name = NameOf(key);
    tiers_.push_back(std::move(by_key[key]));
  }
}

std::vector<std::string> LinkTiers::Names() {
  constexpr std::uint32_t kBeyond = 2;  // links up from the last level and down to it
  std::vector<std::string> names;
  for (std::uint32_t key = 0; key < kMost - kBeyond; ++key) names.push_back(NameOf(key));
  return names;
}

std::uint32_t LinkTiers::KeyOf(std::uint8_t from, std::uint8_t to) {
  const std::uint32_t a = from, b = to;
  if (a == kNvLevel || b == kNvLevel) return 0;
  // Neighbours are at most one level apart: ensured by DeclareTiers() and by FindTiers().
  return 1 + 3 * std::min(a, b) + (a == b ? kWithin : a < b ? kUp : kDown);
}

}  // namespace heddle
