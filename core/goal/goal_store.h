// SPDX-License-Identifier: GPL-2.0-only
/// Operations of a schedule that do not stay in memory: in a file without a name, those of one rank
/// loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/spill_file.h"
#include "core/containers/node_window.h"
#include "core/goal/goal_operation.h"

namespace heddle {

class GoalStore {
 public:
  /// Throws Error of code 6 if no file can be made.
  explicit GoalStore(std::size_t ranks) : heads_(ranks), places_(ranks) {}

  /// Writes the operations and followers of a rank, and empties both. Throws Error of code 6.
  void Put(std::uint32_t number, GoalRank* rank);
  /// Returns a rank that was put; valid until another one is asked for. Throws Error of code 6.
  const GoalRank& Load(std::uint32_t rank);
  /// Returns an operation of a rank, which must have it. Throws Error of code 6.
  GoalOperation At(std::uint32_t rank, std::uint32_t operation) const;
  /// Returns the head of a rank; without operations until it is put.
  const GoalRankHead& head(std::uint32_t rank) const { return heads_[rank]; }
  /// Returns where the operations of a rank are in file().
  const SpilledNodes& place(std::uint32_t rank) const { return places_[rank]; }
  const SpillFile& file() const { return file_; }
  /// Returns memory in bytes, itself included.
  std::size_t memory() const;

 private:
  static constexpr std::uint32_t kNone = ~0U;

  SpillFile file_;
  std::vector<GoalRankHead> heads_;   ///< by rank
  std::vector<SpilledNodes> places_;  ///< by rank
  GoalRank loaded_;
  std::uint32_t number_ = kNone;  ///< of the loaded one
};

}  // namespace heddle
