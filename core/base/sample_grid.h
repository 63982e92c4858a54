// SPDX-License-Identifier: GPL-2.0-only
/// The times at which a monitor samples, from its start on: multiples of an interval, or, if it is
/// automatic, of an interval that follows the length of the run.
///
/// Automatic: 256 intervals of 1 us, then 128 of 2 us, 128 of 4 us, ...: a sample at t ends an
/// interval of t/256 to t/128, so a run of any length has some 128 to 256 intervals as long as its
/// last one, and longer intervals consist of whole shorter ones. No end is estimated; the times are
/// the same for every partition, rank and restart.
#pragma once

#include <cstdint>

#include "core/base/units.h"

namespace heddle {

class SampleGrid {
 public:
  static constexpr Time kAutomatic{0};
  static constexpr Time kFirstInterval = MicroSeconds(1);
  static constexpr std::int64_t kMostIntervals = 256;

  /// `interval` > 0, or kAutomatic.
  constexpr SampleGrid(Time start, Time interval) : start_(start), interval_(interval) {}

  /// Returns the time from which intervals count; no sample is taken there.
  constexpr Time start() const { return start_; }
  /// Returns the first sample after the start that is at `time` or later.
  constexpr Time AtOrAfter(Time time) const {
    const std::int64_t offset = time > start_ ? time.ps - start_.ps : 1;
    const std::int64_t width = IntervalOf(start_ + Time{offset}).ps;
    return start_ + Time{(offset + width - 1) / width * width};
  }
  /// Returns the last sample before `time`, or the start. Requires time > start.
  constexpr Time Before(Time time) const {
    const std::int64_t width = IntervalOf(time).ps;
    return start_ + Time{(time.ps - start_.ps - 1) / width * width};
  }
  /// Returns the length of the interval in which `time` lies; at a sample, of the one that ends
  /// there. Requires time > start.
  constexpr Time IntervalOf(Time time) const {
    if (interval_ != kAutomatic) return interval_;
    Time width = kFirstInterval;
    while (time.ps - start_.ps > width.ps * kMostIntervals) width = width * 2;
    return width;
  }
  /// Returns the number of samples after the start until `time`, `time` included.
  constexpr std::int64_t CountUntil(Time time) const {
    if (time <= start_) return 0;
    const std::int64_t width = IntervalOf(time).ps;
    const std::int64_t whole = (time.ps - start_.ps) / width;
    if (interval_ != kAutomatic) return whole;
    // Each doubling replaces 128 intervals by twice as many before it.
    std::int64_t doublings = 0;
    for (Time w = kFirstInterval; w.ps < width; w = w * 2) ++doublings;
    return whole + doublings * kMostIntervals / 2;
  }

 private:
  Time start_, interval_;
};

}  // namespace heddle
