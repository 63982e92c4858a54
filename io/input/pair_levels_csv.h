// SPDX-License-Identifier: GPL-2.0-only
/// Reader of patterns as comma-separated lines `source,destination[,level]`: ranks from 0, levels
/// from 0 (default 0).
///
/// The first line may be a header. Blank lines and lines that start with '#' are skipped. Levels
/// may come in any order, and levels without a line are skipped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/patterns/listed_pattern.h"

namespace heddle {

/// Most levels of a file.
inline constexpr std::uint32_t kMostListedLevels = 1'000'000;

/// `ranks`: of the pattern. `name`: of the file, for messages. Throws UserError with file and line
/// for the first mistake, a rank out of range, a rank that sends to itself, a file without a pair.
ListedLevels ParsePairLevels(std::string_view text, const std::string& name, std::uint32_t ranks);

}  // namespace heddle
