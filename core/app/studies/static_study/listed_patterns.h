// SPDX-License-Identifier: GPL-2.0-only
/// Patterns that are listed elsewhere: pairs of a file, and collectives, whose steps are levels.
#pragma once

#include <cstdint>

#include "core/patterns/level_patterns.h"

namespace heddle {

/// Reads "pairs:FILE" (io/input/pair_levels_csv.h) and makes "collective:OPERATION[,ALGORITHM]
/// [,SIZE]" as `heddle collective` lists it, of 16 MiB by default: a message is in the level after
/// the last one that it waits for. Servers have `gpus_per_server` consecutive ranks; NVSwitches do
/// not take part. A list is made once, and kept.
ListLevels ListPatterns(std::uint32_t gpus_per_server);

}  // namespace heddle
