// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/steps/step_layout.h"

#include <algorithm>

#include "core/base/check.h"

namespace heddle {
namespace {

/// Ranks by domain, in the order of the domains' first ranks.
std::vector<std::vector<std::uint32_t>> NearRanks(const std::vector<std::uint32_t>& domain_of) {
  std::vector<std::uint32_t> domains;
  std::vector<std::vector<std::uint32_t>> groups;
  for (std::uint32_t rank = 0; rank < domain_of.size(); ++rank) {
    const auto known = std::find(domains.begin(), domains.end(), domain_of[rank]);
    const auto group = static_cast<std::size_t>(known - domains.begin());
    if (known == domains.end()) {
      domains.push_back(domain_of[rank]);
      groups.emplace_back();
    }
    groups[group].push_back(rank);
  }
  return groups;
}

}  // namespace

StepLayout LayOutStep(const std::vector<std::uint32_t>& domain_of_rank) {
  HEDDLE_EXPECT(!domain_of_rank.empty());
  std::vector<std::vector<std::uint32_t>> groups = NearRanks(domain_of_rank);
  const std::size_t near = groups[0].size();
  const bool even = std::all_of(groups.begin(), groups.end(),
                                [&](const auto& group) { return group.size() == near; });
  if (!even) {
    groups.clear();
    for (std::uint32_t rank = 0; rank < domain_of_rank.size(); ++rank) groups.push_back({rank});
  }
  StepLayout layout;
  layout.near = static_cast<std::uint32_t>(groups[0].size());
  layout.groups = static_cast<std::uint32_t>(groups.size());
  layout.place_of.resize(domain_of_rank.size());
  for (const auto& group : groups) {
    for (const std::uint32_t rank : group) {
      layout.place_of[rank] = static_cast<std::uint32_t>(layout.rank_of.size());
      layout.rank_of.push_back(rank);
    }
  }
  return layout;
}

}  // namespace heddle
