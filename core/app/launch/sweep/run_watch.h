// SPDX-License-Identifier: GPL-2.0-only
/// What a launcher says of runs while they go on: how long each is expected to take, as soon as the
/// run knows it, and how far it is.
#pragma once

#include <string>
#include <vector>

#include "core/app/launch/sweep/run_log.h"

namespace heddle {

/// The estimate of a run's time that is worth a line [s]; and that is worth advice.
constexpr double kLongRun = 10, kVeryLongRun = 60;

/// Seconds of "about 6 min" in a run's line "expected"; 0 if there are none, or under 1.
double ExpectedSeconds(const std::string& expected);

/// One run that goes on.
class RunWatch {
 public:
  /// `name`: of the run. `place`: "run 3 of 12"; empty: there is only one.
  RunWatch(std::string name, std::string place)
      : name_(std::move(name)), place_(std::move(place)) {}

  /// Lines to print now, without their ends. `log`: of the run so far. `elapsed_s`: since it began.
  /// Runs of less than kLongRun by their estimate, and than 15 s in fact, get none; the others one
  /// for the estimate, and one with their progress after 15, 30, 60, 120, 180, ... seconds.
  std::vector<std::string> Look(const RunLog& log, double elapsed_s);

 private:
  std::string name_, place_;
  double next_s_ = 15;  ///< when progress is due
  bool expected_ = false;
};

}  // namespace heddle
