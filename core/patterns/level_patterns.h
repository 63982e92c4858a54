// SPDX-License-Identifier: GPL-2.0-only
/// Patterns by name (level_pattern.h): those of ORCS as its description has them, and others that
/// users of AI fabrics need. A program that means something else by a name brings its own rows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/patterns/level_pattern.h"
#include "core/patterns/listed_pattern.h"
#include "core/patterns/pattern_rows.h"

namespace heddle {

/// Makes the levels of a pattern that is listed elsewhere: "pairs" of a file, a "collective".
/// `argument`: what follows the name. Throws UserError.
using ListLevels = std::function<std::shared_ptr<const ListedLevels>(
    const std::string& name, const std::string& argument, std::uint32_t ranks)>;

/// Words of a pattern: "bruck", "neighbor:4", "shift:3", "ptrnvsptrn:tree::bisect". Parts of
/// ptrnvsptrn: the first has ranks 0 to `first_ranks` - 1, the second the others.
struct PatternRequest {
  std::string text = "bisect";
  std::uint32_t ranks = 0;
  std::uint32_t first_ranks = 2;  ///< of ptrnvsptrn only; below `ranks`
  PatternRules rules = {};
  ListLevels list = nullptr;  ///< null: such patterns are refused
};

/// Throws UserError for an unknown name, or an argument that is missing, superfluous or out of
/// range.
std::unique_ptr<LevelPattern> MakeLevelPattern(const PatternRequest& request);

/// Returns the pattern that these ranks make of an argument beyond them: "incast:71" of incast:1000
/// over 72 ranks. Empty if the argument counts as it is. For a request that MakeLevelPattern()
/// takes.
std::string PatternOfTheseRanks(const PatternRequest& request);

/// Returns the names of patterns, with the arguments that they take: "neighbor:K".
std::vector<std::string> LevelPatternNames();

}  // namespace heddle
