// SPDX-License-Identifier: GPL-2.0-only
#include "core/options/nearest_name.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace heddle {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// No known name is longer. Only this prefix of a longer word, which may be a whole file without a
/// blank, is compared.
constexpr std::size_t kLongestName = 256;
/// Shorter words are parts of too many names.
constexpr std::size_t kShortestPart = 3;

/// Levenshtein distance of the first `kLongestName` characters, ignoring case.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  a = a.substr(0, kLongestName);
  b = b.substr(0, kLongestName);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (Lower(a[i - 1]) == Lower(b[j - 1]) ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({replaced, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row[b.size()];
}

/// Whether the letters of `part` are in `whole`, in this order, and at least half of it.
bool IsAbbreviation(std::string_view part, std::string_view whole) {
  if (part.size() < kShortestPart || 2 * part.size() < whole.size()) return false;
  std::size_t found = 0;
  for (const char c : whole) found += found < part.size() && part[found] == c ? 1 : 0;
  return found == part.size();
}

/// Rank of a candidate, the smaller the nearer; none if it is far. Both texts are in lower case.
std::optional<std::size_t> Distance(std::string_view word, std::string_view name) {
  const std::size_t distance = EditDistance(word, name);
  if (word.size() >= kShortestPart && name.find(word) != std::string_view::npos) return 0;
  const bool swapped =
      word.size() == name.size() && std::is_permutation(word.begin(), word.end(), name.begin());
  const bool extends = name.size() >= 2 && word.substr(0, name.size()) == name;
  if (3 * distance <= std::max(word.size(), name.size()) || swapped || extends ||
      IsAbbreviation(word, name))
    return distance;
  return std::nullopt;
}

std::string LowerCase(std::string_view text) {
  std::string lower(text.substr(0, kLongestName));
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  return lower;
}

}  // namespace

bool EqualLetters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

std::vector<std::string> NearMisses(std::string_view word,
                                    const std::vector<std::string>& candidates, std::size_t most) {
  const std::string lower = LowerCase(word);
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& candidate : candidates) {
    if (const auto distance = Distance(lower, LowerCase(candidate)))
      ranked.emplace_back(*distance, candidate);
  }
  const auto nearer = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(ranked.begin(), ranked.end(), nearer);
  std::vector<std::string> found;
  for (std::size_t i = 0; i < std::min(most, ranked.size()); ++i) found.push_back(ranked[i].second);
  return found;
}

std::string Nearest(std::string_view word, const std::vector<std::string>& candidates) {
  const std::vector<std::string> found = NearMisses(word, candidates, 1);
  return found.empty() ? std::string() : found.front();
}

std::string DidYouMean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string name = Nearest(word, candidates);
  return name.empty() ? name : " Did you mean '" + name + "'?";
}

std::string NearestIs(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string name = Nearest(word, candidates);
  return name.empty() ? name : "; the nearest is " + name;
}

}  // namespace heddle
