// SPDX-License-Identifier: GPL-2.0-only
/// When a run saves a checkpoint, and when it ends early.
#pragma once

#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/system/signals.h"

namespace heddle {

/// The flags of `heddle run` about checkpoints, as given.
struct CheckpointArguments {
  std::string every = "auto";   ///< auto, never, or wall-clock time
  std::vector<std::string> at;  ///< simulated times; "every:TIME"
  std::string max_wall;         ///< wall-clock time; empty: no limit
  std::string restart;          ///< manifest, or "auto"; empty: start at time 0
};

/// Throws UsageError for a value that cannot be parsed.
void CheckCheckpointArguments(const CheckpointArguments& arguments);

/// The action wanted at a cut; if ranks differ, the largest value counts.
enum class CheckpointWish : int { kNone = 0, kSave = 1, kEnd = 2, kSaveAndEnd = 3 };

/// Decides at cuts. Wall-clock times are seconds since the program began; only the root's clock
/// counts.
class CheckpointSchedule {
 public:
  /// Default time between two checkpoints [s]. The time is longer if checkpoints would otherwise
  /// take more than this share of the run.
  static constexpr double kAutoInterval = 600, kAutoShare = 0.01;

  /// `first_cost`: estimated time of the first checkpoint [s].
  CheckpointSchedule(const CheckpointArguments& arguments, double first_cost);

  /// Returns the action due by the root's clock.
  CheckpointWish WishAt(double seconds, Time now) const;
  /// Returns the action that a signal to any rank asks for.
  static CheckpointWish WishOf(SignalRequest signal);
  /// Call after a checkpoint was written at `now`, or failed; it took `cost` seconds until
  /// `seconds`.
  void Saved(double seconds, double cost, Time now);
  /// The run continues from `now`: drops earlier simulated times.
  void StartAt(Time now) { PassOver(now); }

  /// Returns the next simulated time for which the user asked for a checkpoint; Time::Max() if
  /// there is none.
  Time next_time() const;
  /// Returns the longest time between two looks at the clock with which max_wall is kept [s].
  double longest_interval() const;
  /// Whether the wall-clock limit ends the run now.
  bool OutOfTime(double seconds) const;

 private:
  /// Drops the wanted simulated times up to `now`.
  void PassOver(Time now);

  double every_ = kAutoInterval;  ///< 0: never
  bool automatic_ = true;
  std::vector<Time> at_;  ///< ascending; future ones only
  Time period_, next_period_ = Time::Max();
  double max_wall_ = 0;    ///< 0: no limit
  double cost_;            ///< of a checkpoint, the largest so far [s]
  bool measured_ = false;  ///< whether cost_ was measured, not assumed
  double last_ = 0;        ///< end of the last checkpoint [s]
};

}  // namespace heddle
