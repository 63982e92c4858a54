// SPDX-License-Identifier: GPL-2.0-only
#include "core/base/nearest_name.h"

#include <algorithm>
#include <utility>

namespace heddle {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// No known name is longer. Only this prefix of a longer word, which may be a whole file without a
/// blank, is compared.
constexpr std::size_t kLongestName = 256;

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

}  // namespace

std::vector<std::string> NearMisses(std::string_view word,
                                    const std::vector<std::string>& candidates, std::size_t most) {
  std::string lower(word.substr(0, kLongestName));
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& candidate : candidates) {
    std::string name = candidate;
    std::transform(name.begin(), name.end(), name.begin(), Lower);
    const std::size_t distance = EditDistance(lower, name);
    const bool contains = lower.size() >= 3 && name.find(lower) != std::string::npos;
    if (contains) {
      ranked.emplace_back(0, candidate);
    } else if (3 * distance <= std::max(lower.size(), name.size())) {
      ranked.emplace_back(distance, candidate);
    }
  }
  const auto nearer = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(ranked.begin(), ranked.end(), nearer);
  std::vector<std::string> found;
  for (std::size_t i = 0; i < std::min(most, ranked.size()); ++i) found.push_back(ranked[i].second);
  return found;
}

std::string Nearest(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = EditDistance(word, candidate);
    if (best == nullptr || distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best == nullptr ? std::string() : *best;
}

}  // namespace heddle
