// SPDX-License-Identifier: GPL-2.0-only
/// Two patterns at once on separate ranks, so that one is noise for the other: ptrnvsptrn of ORCS.
#pragma once

#include <cstdint>
#include <memory>

#include "core/patterns/level_pattern.h"

namespace heddle {

/// What happens to the second pattern's level between two runs.
enum class BetweenRuns {
  kStartAgain,
  kGoOn,  ///< with a first pattern of no level, all runs but the first are empty
};

/// `first` has the ranks 0 to `first_ranks` - 1, `second` the others. Levels of both run side by
/// side; a second pattern with fewer levels than the first begins again, one with more goes on
/// alone.
std::unique_ptr<LevelPattern> MakeTwoPatterns(std::unique_ptr<LevelPattern> first,
                                              std::uint32_t first_ranks,
                                              std::unique_ptr<LevelPattern> second,
                                              BetweenRuns between);

}  // namespace heddle
