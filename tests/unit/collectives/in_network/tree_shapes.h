// SPDX-License-Identifier: GPL-2.0-only
/// Groups whose rails have trees of switches that add, for tests of schedules.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "collectives/schedule/group_shape.h"

namespace heddle {

/// Of each rail one switch.
inline GroupShape OneSwitch(std::uint32_t ranks, std::uint32_t locals) {
  GroupShape shape(ranks, locals);
  shape.AddTreesOfOneSwitch();
  return shape;
}

/// Leaves of two servers each below a root; of more than eight servers, a tier more of two leaves
/// each.
inline GroupShape WithTrees(std::uint32_t servers, std::uint32_t locals) {
  GroupShape shape(servers * locals, locals);
  std::vector<AggregationTree> trees(locals);
  std::uint32_t node = 1000;
  for (AggregationTree& tree : trees) {
    const std::uint32_t leaves = (servers + 1) / 2;
    const std::uint32_t middle = servers > 8 ? (leaves + 1) / 2 : 0;
    tree.above.assign(1 + middle, 0);
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf)
      tree.above.push_back(middle > 0 ? 1 + leaf / 2 : 0);
    for (std::size_t k = 0; k < tree.above.size(); ++k) tree.switches.emplace_back(node++);
    for (std::uint32_t server = 0; server < servers; ++server)
      tree.of_member.push_back(1 + middle + server / 2);
  }
  shape.SetTrees(std::move(trees));
  return shape;
}

}  // namespace heddle
