// SPDX-License-Identifier: GPL-2.0-only
/// How long a run will take still, from the share that was done over the last while.
#ifndef HEDDLE_CORE_APP_OUTPUT_PROGRESS_ESTIMATE_H_
#define HEDDLE_CORE_APP_OUTPUT_PROGRESS_ESTIMATE_H_

#include <deque>
#include <optional>

namespace heddle {

/// The time left by the speed in a window that slides: of 30 s, or of a third of the run so far if
/// that is longer. So a run that becomes slower or faster is followed, and a single burst of flows
/// that end together does not shake the figure.
class ProgressEstimate {
 public:
  /// A point in time [s since the start] and the share done [0, 1]; both must not decrease, else
  /// the point is left out.
  void Add(double wall_seconds, double share);
  /// Seconds; nothing while there is too little to go by: less than 3 s of run or 0.1 % of progress
  /// within the window, or more than 100 days left.
  std::optional<double> Left() const;

 private:
  struct Point {
    double wall, share;
  };
  std::deque<Point> points_;  ///< the window, and one point before it
};

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_OUTPUT_PROGRESS_ESTIMATE_H_
