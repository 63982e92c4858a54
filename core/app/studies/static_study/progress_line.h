// SPDX-License-Identifier: GPL-2.0-only
/// A line that says how many runs of a study are done.
#pragma once

#include <chrono>
#include <cstdint>

namespace heddle {

/// On a terminal one line that is rewritten five times a second; in a log a line each ten seconds.
/// To standard error.
class ProgressLine {
 public:
  /// `of`: all runs. Not shown: nothing is printed.
  ProgressLine(std::uint64_t of, bool shown);
  /// Takes the line away.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Shows `done` runs (> 0) and the time left, unless the last line is too recent.
  void Show(std::uint64_t done);

 private:
  using Clock = std::chrono::steady_clock;

  std::uint64_t of_;
  bool shown_, in_place_, printed_ = false;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

}  // namespace heddle
