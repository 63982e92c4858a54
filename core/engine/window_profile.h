// SPDX-License-Identifier: GPL-2.0-only
/// What the domains of a rank do in a sample of the windows: events and time. Recorded while a run
/// goes on.
///
/// Windows are sampled at a constant stride that is the same on all ranks; it doubles when there
/// are kMostSamples. The clock is read after every domain; the processor time of the whole window
/// says which part of it was ours, as processors are shared. Times are weighed by the stride that
/// was in force, so that sums are estimates for all windows. What is not a time depends on the
/// simulated events only.
#ifndef HEDDLE_CORE_ENGINE_WINDOW_PROFILE_H_
#define HEDDLE_CORE_ENGINE_WINDOW_PROFILE_H_

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
    std::uint32_t domain = 0;  ///< as the post office counts them on this rank
    std::uint32_t events = 0;
  };
  struct Sample {
    std::uint64_t window = 0;  ///< how many windows were before it
    Time start;
    std::vector<Run> runs;
  };
  /// Of a domain of this rank, as the post office counts them.
  struct Total {
    double measured_events = 0, measured_ns = 0;
  };

  /// Call it for every window; whether it is sampled. Only then the others are called.
  bool BeginWindow(Time start, std::size_t domains);
  void AfterRun(std::size_t domain, std::uint64_t events);
  /// `blocked_seconds`: what the rank has waited for others, so far.
  void EndWindow(double blocked_seconds);
  /// After the exchange at the edge: what it took besides waiting for others. Does nothing if the
  /// window was not sampled.
  void EndEdge(double blocked_seconds);

  std::uint64_t windows() const { return windows_; }
  const std::vector<Sample>& samples() const { return samples_; }
  const std::vector<Total>& totals() const { return totals_; }
  /// Time of an edge on this rank, without waiting for others [ns].
  double mean_edge_ns() const { return edges_ > 0 ? edge_ns_ / edges_ : 0; }

 private:
  using Clock = std::chrono::steady_clock;
  void Thin();

  std::uint64_t windows_ = 0, stride_ = 1;
  bool edge_open_ = false;
  Clock::time_point begin_, last_;
  double processor_ns_ = 0;        ///< of this thread, when the window or the edge began
  std::vector<double> window_ns_;  ///< of the sample's runs
  double blocked_before_ = 0;
  std::vector<Sample> samples_;
  std::vector<Total> totals_;
  double edge_ns_ = 0, edges_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_CORE_ENGINE_WINDOW_PROFILE_H_
