// SPDX-License-Identifier: GPL-2.0-only
/// The smallest fat tree of a number of GPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "topology/sizes/even_sizes.h"

namespace heddle {

/// Sizes by level, GPUs first, as FatTree's -down and -up.
struct TreeSizes {
  std::vector<std::uint32_t> children, parents;
};

/// Finds the tree with the fewest levels (2 to 6, or `levels` if that is not 0), then the fewest
/// ports of the largest switch, at most `wish.radix`, then the fewest switches. Leaves have
/// `wish.ratio` GPU ports per cable up, within 10 %; levels above have as many cables up as down.
/// With `wish.rails` a leaf's servers fill as many leaves as a server has GPUs, and level 2 joins
/// whole ones of these. Empty if there is none.
std::optional<TreeSizes> FindTreeSizes(const SizeWish& wish, std::uint32_t levels = 0);

}  // namespace heddle
