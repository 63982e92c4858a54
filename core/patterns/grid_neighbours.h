// SPDX-License-Identifier: GPL-2.0-only
/// Pairs of ranks that are neighbours on a grid, as ORCS's description has them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/patterns/level_pattern.h"

namespace heddle {

/// Lengths of a grid with `ranks` places, ascending, whose product is `ranks` and whose sum is the
/// least. A prime number of ranks makes a line.
std::vector<std::uint32_t> GridOf(std::uint32_t ranks, std::uint32_t dimensions);

/// Adds the messages by which every rank sends to the next and the previous rank in each dimension
/// of GridOf(), around the ends. No rank sends twice to one other, as it would along a dimension of
/// two places, nor to itself.
void AddGridNeighbours(std::uint32_t ranks, std::uint32_t dimensions, std::vector<RankPair>* pairs);

}  // namespace heddle
