// SPDX-License-Identifier: GPL-2.0-only
/// The remaining wall-clock time of a run, from its recent rate of progress.
#pragma once

#include <deque>
#include <optional>

namespace heddle {

/// The remaining time by the rate in a sliding window: 30 s, or a third of the run so far if that
/// is longer. The window follows a run that becomes slower or faster, and smooths bursts of flows
/// that end together.
class ProgressEstimate {
 public:
  /// Adds a point: time [s since the start] and share done [0, 1]. A point at which either
  /// decreases is ignored.
  void Add(double wall_seconds, double share);
  /// Returns the remaining time [s]; none with too little data: less than 3 s of run or 0.1 % of
  /// progress within the window, or more than 100 days left.
  std::optional<double> Left() const;

 private:
  struct Point {
    double wall, share;
  };
  std::deque<Point> points_;  ///< the window, and one point before it
};

}  // namespace heddle
