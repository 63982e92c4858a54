// SPDX-License-Identifier: GPL-2.0-only
/// Suggestions for a misspelt name: the known names that are near it, or none.
///
/// The measure is the Levenshtein distance of the first 256 characters, ignoring case. A name is
/// near if at most a third of the longer one differs, if one is part of the other, or has its
/// letters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Whether two names are equal but for capitals (ASCII).
bool EqualLetters(std::string_view a, std::string_view b);

/// Returns up to `most` candidates that are near a misspelt `word`, the nearest first.
std::vector<std::string> NearMisses(std::string_view word,
                                    const std::vector<std::string>& candidates, std::size_t most);

/// Returns the candidate that is nearest to `word`, or empty if none is near.
std::string Nearest(std::string_view word, const std::vector<std::string>& candidates);
/// Returns " Did you mean 'NAME'?", or empty if no candidate is near.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& candidates);
/// Returns "; the nearest is NAME", or empty if no candidate is near.
std::string NearestIs(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace heddle
