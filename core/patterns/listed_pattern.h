// SPDX-License-Identifier: GPL-2.0-only
/// A pattern whose levels are written down: of a file, or of a collective.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/patterns/level_pattern.h"

namespace heddle {

/// Levels in their order. Equal levels are kept once: a ring of n ranks repeats one 2 n times.
class ListedLevels {
 public:
  /// Appends a level, with its pairs in the order of the pattern; an empty level is skipped.
  void Add(std::vector<RankPair> pairs);
  /// Returns the number of levels, repeated ones included.
  std::size_t size() const { return order_.size(); }
  /// Returns the pairs of a level below size().
  const std::vector<RankPair>& operator[](std::size_t level) const {
    return different_[order_[level]];
  }

 private:
  std::vector<std::vector<RankPair>> different_;
  std::vector<std::uint32_t> order_;                       ///< of different_, by level
  std::multimap<std::uint64_t, std::uint32_t> by_digest_;  ///< of different_
};

/// Makes the pattern of these levels, which are the same in every run.
std::unique_ptr<LevelPattern> MakeListedPattern(std::shared_ptr<const ListedLevels> levels);

}  // namespace heddle
