// SPDX-License-Identifier: GPL-2.0-only
/// Events and time of a rank's domains in a sample of the windows, recorded during a run.
///
/// Windows are sampled at a constant stride that is the same on all ranks; it doubles when there
/// are kMostSamples. The clock is read after every domain; because processors are shared, the
/// thread's processor time of the whole window gives the share that was ours. Times are weighted by
/// the stride in force, so that sums are estimates for all windows. All figures except times depend
/// on the simulated events only.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "core/base/units.h"

namespace heddle {

class WindowProfile {
 public:
  static constexpr std::size_t kMostSamples = 1024;

  /// A domain that ran in a sampled window.
  struct Run {
    std::uint32_t domain = 0;  ///< index in this rank's post office
    std::uint32_t events = 0;
  };
  struct Sample {
    std::uint64_t window = 0;  ///< number of windows before it
    Time start;
    std::vector<Run> runs;
  };
  /// Totals of a domain of this rank, by its index in the post office.
  struct Total {
    double measured_events = 0, measured_ns = 0;
  };

  /// Counts a window, and returns whether it is sampled. Call it for every window, the other
  /// functions only then.
  bool BeginWindow(Time start, std::size_t domains);
  /// Records that a domain has run `events` events since the call before.
  void AfterRun(std::size_t domain, std::uint64_t events);
  /// Adds the window's times to the totals. `blocked_seconds`: total time so far that the rank has
  /// waited for others.
  void EndWindow(double blocked_seconds);
  /// Records the time of the edge after the exchange, without waiting for others. Does nothing if
  /// the window was not sampled.
  void EndEdge(double blocked_seconds);

  /// Returns the number of windows, sampled or not.
  std::uint64_t windows() const { return windows_; }
  /// Returns the sampled windows in their order, at most kMostSamples.
  const std::vector<Sample>& samples() const { return samples_; }
  /// Returns the totals by domain, estimated for all windows.
  const std::vector<Total>& totals() const { return totals_; }
  /// Returns the mean time of an edge on this rank, without waiting for others [ns].
  double mean_edge_ns() const { return edges_ > 0 ? edge_ns_ / edges_ : 0; }

 private:
  using Clock = std::chrono::steady_clock;
  /// Keeps every other sample and doubles the stride.
  void Thin();

  std::uint64_t windows_ = 0, stride_ = 1;
  bool edge_open_ = false;
  Clock::time_point begin_, last_;
  double processor_ns_ = 0;  ///< processor time of this thread at the start of the window or edge
  std::vector<double> window_ns_;  ///< times of the runs in this sample
  double blocked_before_ = 0;
  std::vector<Sample> samples_;
  std::vector<Total> totals_;
  double edge_ns_ = 0, edges_ = 0;
};

}  // namespace heddle
