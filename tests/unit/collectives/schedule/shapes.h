// SPDX-License-Identifier: GPL-2.0-only
/// Groups for tests of schedules: regular ones, and servers that differ in size, order and rails.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule/group_shape.h"

namespace heddle {

/// Ranks on these GPUs of a fabric of 64 with 8 a server.
inline GroupShape OnGpus(const std::vector<std::uint32_t>& gpus) {
  std::vector<NodeId> members;
  for (const std::uint32_t gpu : gpus) members.emplace_back(gpu);
  return GroupShape(Graph(64, 0, 0, 8, "H100"), std::move(members));
}

/// Groups whose servers differ from each other in every respect.
inline std::vector<GroupShape> IrregularShapes() {
  std::vector<GroupShape> shapes;
  shapes.push_back(OnGpus({0, 1, 2, 8, 9, 17}));             // 3, 2 and 1 a server
  shapes.push_back(OnGpus({17, 8, 0, 9, 1, 2}));             // the same in another order
  shapes.push_back(OnGpus({3, 2, 1, 0, 8, 9, 10, 11}));      // rails in another order than ranks
  shapes.push_back(OnGpus({0, 1, 10, 11, 20, 21}));          // no rail in common
  shapes.push_back(OnGpus({0, 1, 9, 10, 16, 18}));           // rails of one server only
  shapes.push_back(OnGpus({0, 8, 16, 24, 32, 40, 48, 56}));  // one a server, one rail
  shapes.push_back(OnGpus({0, 9, 18, 27, 36}));              // one a server, all rails different
  shapes.push_back(OnGpus({0, 1, 2, 3, 4, 5, 6, 7, 8, 20, 22}));  // 8, 1 and 2
  return shapes;
}

/// Sizes that divide evenly and sizes that do not, down to less than a byte a rank.
inline std::vector<std::int64_t> SizesFor(const GroupShape& shape) {
  const std::int64_t n = shape.ranks();
  return {1, 7, n > 1 ? n - 1 : 1, n * shape.fewest_locals() * 24, 10'007};
}

}  // namespace heddle
