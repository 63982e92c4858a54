// SPDX-License-Identifier: GPL-2.0-only
/// When a run saves itself, and when it ends before its end.
#ifndef HEDDLE_CORE_APP_SETUP_CHECKPOINT_SCHEDULE_H_
#define HEDDLE_CORE_APP_SETUP_CHECKPOINT_SCHEDULE_H_

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

/// Throws UsageError for what cannot be read.
void CheckCheckpointArguments(const CheckpointArguments& arguments);

/// Wishes at a cut; where ranks differ the largest holds.
enum class CheckpointWish : int { kNone = 0, kSave = 1, kEnd = 2, kSaveAndEnd = 3 };

/// Decides at cuts. Times of the wall clock are seconds since the program began; only the root's
/// count.
class CheckpointSchedule {
 public:
  /// Between two checkpoints unless the user says otherwise [s]; or as much more as it takes for
  /// them to be this share of the time.
  static constexpr double kAutoInterval = 600, kAutoShare = 0.01;

  /// `first_cost`: what the first checkpoint will take, as far as can be guessed [s].
  CheckpointSchedule(const CheckpointArguments& arguments, double first_cost);

  /// What is due, as a root that looks at its clock sees it.
  CheckpointWish WishAt(double seconds, Time now) const;
  /// What a signal to any rank wants.
  static CheckpointWish WishOf(SignalRequest signal);
  /// A checkpoint was written at `now`, or could not be; it took `cost` seconds until `seconds`.
  void Saved(double seconds, double cost, Time now);
  /// The run goes on from `now`: simulated times before are over.
  void StartAt(Time now) { PassOver(now); }

  /// The next simulated time at which a checkpoint was asked for; Time::Max() if there is none.
  Time next_time() const;
  /// Longest time between two looks at the clock with which max_wall can be kept [s].
  double longest_interval() const;
  /// Whether the wall clock ends the run at this moment.
  bool OutOfTime(double seconds) const;

 private:
  void PassOver(Time now);

  double every_ = kAutoInterval;  ///< 0: never
  bool automatic_ = true;
  std::vector<Time> at_;  ///< ascending, those to come
  Time period_, next_period_ = Time::Max();
  double max_wall_ = 0;    ///< 0: none
  double cost_;            ///< of a checkpoint, the largest so far [s]
  bool measured_ = false;  ///< cost_ is no guess any more
  double last_ = 0;        ///< when the last one ended [s]
};

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_SETUP_CHECKPOINT_SCHEDULE_H_
