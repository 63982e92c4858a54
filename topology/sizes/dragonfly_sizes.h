// SPDX-License-Identifier: GPL-2.0-only
/// The smallest dragonfly, or dragonfly+, of a number of GPUs.
#pragma once

#include <cstdint>
#include <optional>

#include "topology/sizes/even_sizes.h"

namespace heddle {

/// Sizes of either: of a dragonfly+, `routers` are the leaves of a group, and it has as many spines
/// as a leaf has GPUs, which bear the global links.
struct DragonflySizes {
  std::uint32_t gpus_per_router = 0, routers = 0, groups = 0;
  std::uint32_t global_links = 0;  ///< of a router, or of a spine
};

/// The sizes given by the user; 0: free.
struct DragonflyWish {
  SizeWish size;
  bool has_spines = false;  ///< a dragonfly+
  DragonflySizes given;
};

/// Finds the sizes with the fewest ports of a switch. A group has `wish.size.ratio` GPU ports per
/// global cable, within 10 %, and whole servers. A dragonfly has at least twice as many routers in
/// a group as GPUs at a router, as Kim et al. advise, unless both are given. Empty if there are
/// none.
std::optional<DragonflySizes> FindDragonflySizes(const DragonflyWish& wish);

}  // namespace heddle
