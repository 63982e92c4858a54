// SPDX-License-Identifier: GPL-2.0-only
#include "core/patterns/grid_neighbours.h"

#include <algorithm>

namespace heddle {

std::vector<std::uint32_t> GridOf(std::uint32_t ranks, std::uint32_t dimensions) {
  if (dimensions == 1) return {ranks};
  std::vector<std::uint32_t> best;
  std::uint64_t least = ~std::uint64_t{0};
  for (std::uint64_t length = 1; length * length <= ranks; ++length) {
    if (ranks % length != 0) continue;
    std::vector<std::uint32_t> grid =
        GridOf(static_cast<std::uint32_t>(ranks / length), dimensions - 1);
    grid.push_back(static_cast<std::uint32_t>(length));
    std::uint64_t sum = 0;
    for (const std::uint32_t side : grid) sum += side;
    if (sum >= least) continue;
    least = sum;
    best = std::move(grid);
  }
  std::sort(best.begin(), best.end());
  return best;
}

void AddGridNeighbours(std::uint32_t ranks, std::uint32_t dimensions,
                       std::vector<RankPair>* pairs) {
  const std::vector<std::uint32_t> grid = GridOf(ranks, dimensions);
  std::vector<std::uint32_t> seen;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    seen.assign(1, rank);
    std::uint32_t stride = 1;
    for (const std::uint32_t length : grid) {
      const std::uint32_t place = rank / stride % length;
      for (const std::uint32_t to : {(place + 1) % length, (place + length - 1) % length}) {
        const std::uint32_t peer = rank - place * stride + to * stride;
        if (std::find(seen.begin(), seen.end(), peer) != seen.end()) continue;
        seen.push_back(peer);
        pairs->push_back({rank, peer});
      }
      stride *= length;
    }
  }
}

}  // namespace heddle
