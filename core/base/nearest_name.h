// SPDX-License-Identifier: GPL-2.0-only
/// Suggestions for a misspelt name: the known names that are nearest to it.
///
/// The measure is the Levenshtein distance of the first 256 characters, ignoring case.
#ifndef HEDDLE_CORE_BASE_NEAREST_NAME_H_
#define HEDDLE_CORE_BASE_NEAREST_NAME_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Up to `most` candidates for a misspelt `word`, the nearest first: by edit distance, or because
/// they contain the word.
std::vector<std::string> NearMisses(std::string_view word,
                                    const std::vector<std::string>& candidates, std::size_t most);

/// The candidate with the smallest edit distance to `word`, or empty if there is none.
std::string Nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace heddle

#endif  // HEDDLE_CORE_BASE_NEAREST_NAME_H_
