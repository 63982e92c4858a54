// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/closed_form/group_spread.h"

#include <algorithm>

namespace heddle {
namespace {

/// `members` ascend.
GroupSpread SpreadOf(const std::vector<std::uint32_t>& members, std::uint32_t gpus_per_server) {
  GroupSpread spread;
  spread.ranks = static_cast<std::uint32_t>(members.size());
  spread.servers = 0;
  spread.fewest = spread.ranks;
  for (std::size_t begin = 0, end; begin < members.size(); begin = end) {
    const std::uint32_t server = members[begin] / gpus_per_server;
    end = begin;
    while (end < members.size() && members[end] / gpus_per_server == server) ++end;
    const auto locals = static_cast<std::uint32_t>(end - begin);
    spread.fewest = std::min(spread.fewest, locals);
    spread.most = std::max(spread.most, locals);
    ++spread.servers;
  }
  return spread;
}

}  // namespace

std::vector<GroupSpread> SpreadsOf(const ParallelGroups& groups, GroupType type,
                                   std::uint32_t gpus_per_server) {
  std::vector<GroupSpread> spreads;
  for (std::uint32_t group = 0; group < groups.count(type); ++group) {
    const GroupSpread spread = SpreadOf(groups.Members(type, group), gpus_per_server);
    if (std::find(spreads.begin(), spreads.end(), spread) == spreads.end())
      spreads.push_back(spread);
  }
  return spreads;
}

}  // namespace heddle
