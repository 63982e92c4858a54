// SPDX-License-Identifier: GPL-2.0-only
/// Finds the dimensions of a torus or a mesh from its cables.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace heddle {

/// Lengths of the dimensions, the first the fastest, each at least 2: nodes 0 to `nodes` - 1 are
/// numbered row by row, and each cable joins neighbours in one dimension, or its first and its last
/// node. A ring has one dimension. Empty if the cables make no such grid, or there are none.
std::vector<std::uint32_t> FindGrid(
    std::uint32_t nodes, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& cables);

/// Returns the coordinate of a node in a dimension.
std::uint32_t CoordinateIn(const std::vector<std::uint32_t>& lengths, std::size_t dimension,
                           std::uint32_t node);

}  // namespace heddle
