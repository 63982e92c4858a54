// SPDX-License-Identifier: GPL-2.0-only
/// How far the operations of a rank are: which may start, which have started, and which wait for a
/// part of what they waited for.
///
/// Only these have an entry. The others wait for all that they wait for, or have ended, and need no
/// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/containers/flat_map.h"
#include "core/containers/node_window.h"
#include "core/containers/slot_pool.h"
#include "core/goal/goal_schedule.h"

namespace heddle {

class StateReader;
class StateWriter;

class GoalFrontier {
 public:
  enum class State : std::uint8_t {
    kWaiting,   ///< for `left` starts and ends
    kReleased,  ///< all that it waits for has happened
    kStarted,
  };
  struct Entry {
    GoalOperation operation;
    std::int64_t ready = 0;   ///< latest time given for what it waited for
    std::uint32_t index = 0;  ///< of the operation
    std::uint32_t left = 0;
    State state = State::kWaiting;
  };

  /// `schedule` must outlive it. Nothing is released.
  GoalFrontier(const GoalSchedule& schedule, std::uint32_t rank);

  /// Returns the number of operations of the rank.
  std::uint32_t size() const { return window_.size(); }
  std::uint64_t ended() const { return ended_; }  ///< number of operations
  bool done() const { return ended_ == size(); }  ///< Whether all operations have ended.

  /// Adds the entry of an operation that waits for nothing, at the rank's begin. Throws Error of
  /// code 6, as all that looks at operations.
  void ReleaseRoot(std::uint32_t operation);
  /// Returns the entry of an operation; null if it has none. Valid until an entry is added.
  Entry* Find(std::uint32_t operation);
  const Entry* Find(std::uint32_t operation) const;
  /// Returns the same of an operation that is released or has started. Throws InvariantError for
  /// others.
  Entry& At(std::uint32_t operation);
  const GoalOperation& OperationOf(std::uint32_t operation) { return At(operation).operation; }
  /// Marks an operation as started at `when`, and adds what that releases to `ready`, in order.
  void Start(std::uint32_t operation, std::int64_t when, std::vector<std::uint32_t>* ready);
  /// Takes the entry of an operation that ends at `when`, and adds what that releases to `ready`.
  void End(std::uint32_t operation, std::int64_t when, std::vector<std::uint32_t>* ready);

  /// Calls visit(entry) for all entries, in no order.
  template <class Visit>
  void ForEach(Visit visit) const {
    of_operation_.ForEach([&](std::uint64_t, std::uint32_t slot) { visit(entries_[slot]); });
  }
  /// Returns the first operation that is released or has started; size() if there is none.
  /// `count`: set to the number of these.
  std::uint32_t FirstLive(std::uint64_t* count) const;

  /// Returns memory in bytes, without the schedule's.
  std::size_t memory() const;

  /// Saves the entries, in the order of operations. `ready` is not saved.
  void Save(StateWriter* to) const;
  /// Loads what Save() wrote. Throws UserError for what no run of this rank can have saved.
  void Load(StateReader* from);

 private:
  /// Adds the entry of an operation that has none.
  Entry& Add(std::uint32_t operation);
  /// Counts down followers `from` to `to` of an operation.
  void CountDown(std::uint32_t operation, std::uint32_t from, std::uint32_t to, std::int64_t when,
                 std::vector<std::uint32_t>* ready);
  /// Throws UserError unless the entries are those between what has ended, reached from the roots,
  /// and what waits for all that it waits for. Sets ended_.
  void CheckEntries();

  const GoalSchedule* schedule_;
  std::uint32_t rank_;
  NodeWindow<GoalOperation> window_;
  FlatMap of_operation_;  ///< slots of entries_
  SlotPool<Entry> entries_;
  std::uint64_t ended_ = 0;
};

}  // namespace heddle
