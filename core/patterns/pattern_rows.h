// SPDX-License-Identifier: GPL-2.0-only
/// Patterns as rows: a name, what it expects after the name, and the function that lists a level.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/patterns/level_pattern.h"
#include "core/patterns/two_patterns.h"

namespace heddle {

/// What a pattern without random numbers needs to know.
struct PatternShape {
  std::uint32_t ranks = 0;
  std::uint64_t argument = 0;  ///< K
};
/// Adds the pairs of a level, from 0; none: the pattern ended before it. May throw UserError.
using LevelOf = void (*)(const PatternShape& shape, std::uint64_t level,
                         std::vector<RankPair>* pairs);

struct PatternRow {
  const char* name;
  LevelOf level_of;           ///< null: a class of its own
  const char* argument = "";  ///< what is expected after the name; empty: nothing
  std::uint32_t given = 0;    ///< the argument that the name holds, as in 4neighbor
  /// Throws UserError for an argument out of range; null: all integers from 1.
  void (*check)(std::uint64_t argument) = nullptr;
};

/// Returns the row of a name as the description has it. Throws UserError for an unknown name.
const PatternRow& DescribedPattern(const std::string& name);

/// Where a program means something else by a name than the description.
struct PatternRules {
  std::vector<PatternRow> instead;  ///< in the place of the described rows of the same names
  BetweenRuns between_runs = BetweenRuns::kStartAgain;  ///< of ptrnvsptrn
};

}  // namespace heddle
