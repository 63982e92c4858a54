// SPDX-License-Identifier: GPL-2.0-only
/// The most even torus, mesh or full mesh of a number of GPUs, and the ratio across its middle.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "topology/sizes/even_sizes.h"

namespace heddle {

enum class Line : std::uint8_t { kRing, kOpen, kFull };  ///< how a dimension's routers are linked

struct GridSizes {
  std::vector<std::uint32_t> lengths;  ///< the shortest first
  std::uint32_t gpus_per_router = 1;
};

/// What is fixed about a grid.
struct GridWish {
  SizeWish size;
  Line line = Line::kRing;
  bool has_ratio = false;             ///< whether size.ratio is asked for
  std::uint32_t dimensions = 3;       ///< without a ratio; with one, the fewest that are tried
  std::uint32_t gpus_per_router = 0;  ///< 0: 1, or as the ratio needs
};

/// Returns the GPU ports of one half of a grid per cable to the other half, of the dimension where
/// that is worst. Cables have equal rates.
double MiddleRatio(Line line, const GridSizes& sizes);

/// Finds the grid whose longest dimension is the shortest, at most four times the shortest; with a
/// ratio that of MiddleRatio() within 10 %, in the fewest dimensions, up to 6. Empty if there is
/// none.
std::optional<GridSizes> FindGridSizes(const GridWish& wish);

}  // namespace heddle
