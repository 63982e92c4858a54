// SPDX-License-Identifier: GPL-2.0-only
/// A schedule of GOAL as data: what each rank computes, sends and receives, and what waits for
/// what.
///
/// Source: Hoefler et al., "Group Operation Assembly Language" (2009); the files of LogGOPSim and
/// ATLAHS (docs/formats/goal.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/containers/node_window.h"
#include "core/goal/goal_operation.h"

namespace heddle {

class GoalStore;

/// Its operations are in memory, or those of a long schedule in its store.
struct GoalSchedule {
  std::string file;  ///< its name for messages, printable
  bool is_text = true;
  std::vector<GoalRank> ranks;       ///< without operations if they are in the store
  std::shared_ptr<GoalStore> store;  ///< has the operations of all ranks; null: has none
  std::uint64_t window = 0;          ///< operations of all ranks that stay in memory; 0: all

  /// Sets a rank, once. Once there are more operations than the window, all go to the store. Throws
  /// Error of code 6.
  void Put(std::uint32_t number, GoalRank rank);

  /// Returns the number of ranks; numbers are below it.
  std::size_t rank_count() const { return ranks.size(); }
  /// Returns a rank with its operations; valid until another rank is asked for. This and what
  /// follows throw Error of code 6 if the store cannot be read.
  const GoalRank& Rank(std::uint32_t rank) const;
  /// Returns the head of a rank.
  GoalRankHead Head(std::uint32_t rank) const;
  /// Returns one operation, which must exist.
  GoalOperation At(std::uint32_t rank, std::uint32_t operation) const;
  /// Whether there is such an operation.
  bool Has(std::uint32_t rank, std::uint32_t operation) const;
  /// Returns a window on a rank's operations, with its share of this one's. The schedule must
  /// outlive it.
  NodeWindow<GoalOperation> WindowOf(std::uint32_t rank) const;
  /// Returns the number of operations of a rank.
  std::uint32_t CountOperations(std::uint32_t rank) const;
  /// Returns the number of operations of all ranks.
  std::uint64_t CountOperations() const;
  /// Returns memory in bytes, itself included; without what windows hold.
  std::size_t memory() const;
  /// Returns where an operation is: "FILE:812", or of a binary schedule "operation 812 of rank 5 in
  /// FILE".
  std::string PlaceOf(std::uint32_t rank, std::uint32_t operation) const;
};

}  // namespace heddle
