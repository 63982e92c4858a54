// SPDX-License-Identifier: GPL-2.0-only
/// Makes a rank of a schedule from its operations and the pairs of which one waits for the other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/goal/goal_schedule.h"

namespace heddle {

/// For one rank after another.
class GoalRankBuilder {
 public:
  /// Adds an operation, and returns its index. What it waits for is added by Follow().
  std::uint32_t Add(const GoalOperation& operation);
  /// Returns the number of operations so far.
  std::uint32_t size() const { return static_cast<std::uint32_t>(rank_.operations.size()); }

  /// Makes `later` wait for the start or the end of `earlier`; both are indices. A pair may be
  /// given again, and counts again.
  void Follow(std::uint32_t later, std::uint32_t earlier, bool start);

  /// Returns the rank; the builder is empty then.
  GoalRank Take();

 private:
  struct Pair {
    std::uint32_t earlier, later;
  };
  /// Writes the followers of all pairs, from next[earlier] on, which it advances.
  void Place(const std::vector<Pair>& pairs, std::vector<std::uint32_t>* next);

  GoalRank rank_;
  std::vector<Pair> ends_, starts_;
};

/// Returns operations that wait for each other in a ring, each for the next and the last for the
/// first, the lowest number first; empty if there are none.
std::vector<std::uint32_t> FindCycle(const GoalRank& rank);

}  // namespace heddle
