// SPDX-License-Identifier: GPL-2.0-only
#include "core/engine/window_profile.h"

#include <time.h>

#include <algorithm>

namespace heddle {
namespace {

double Nanoseconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double, std::nano>(duration).count();
}

/// Processor time of this thread. A system call, more expensive than the clock: for whole windows
/// only.
double ProcessorNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

}  // namespace

bool WindowProfile::BeginWindow(Time start, std::size_t domains) {
  const std::uint64_t window = windows_++;
  if (window % stride_ != 0) return false;
  if (samples_.size() == kMostSamples) Thin();
  totals_.resize(domains);
  samples_.push_back({window, start, {}});
  window_ns_.clear();
  processor_ns_ = ProcessorNanoseconds();
  begin_ = last_ = Clock::now();
  return true;
}

void WindowProfile::AfterRun(std::size_t domain, std::uint64_t events) {
  samples_.back().runs.push_back(
      {static_cast<std::uint32_t>(domain), static_cast<std::uint32_t>(events)});
  const Clock::time_point now = Clock::now();
  window_ns_.push_back(Nanoseconds(now - last_));
  last_ = now;
}

void WindowProfile::EndWindow(double blocked_seconds) {
  const double processor = ProcessorNanoseconds();
  const double elapsed = Nanoseconds(last_ - begin_);
  const double ours = elapsed > 0 ? std::min(1.0, (processor - processor_ns_) / elapsed) : 1;
  const double weight = static_cast<double>(stride_);
  const std::vector<Run>& runs = samples_.back().runs;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    totals_[runs[i].domain].measured_events += weight * runs[i].events;
    totals_[runs[i].domain].measured_ns += weight * ours * window_ns_[i];
  }
  edge_open_ = true;
  processor_ns_ = processor;
  blocked_before_ = blocked_seconds;
}

void WindowProfile::EndEdge(double blocked_seconds) {
  if (!edge_open_) return;
  edge_open_ = false;
  const double not_blocked =
      Nanoseconds(Clock::now() - last_) - (blocked_seconds - blocked_before_) * 1e9;
  edge_ns_ += std::max(0.0, std::min(not_blocked, ProcessorNanoseconds() - processor_ns_));
  edges_ += 1;
}

/// Keeps every other sample. The next window to record remains in the sample, because its number is
/// the stride times the number of samples, which is even.
void WindowProfile::Thin() {
  for (std::size_t i = 1; 2 * i < samples_.size(); ++i) samples_[i] = std::move(samples_[2 * i]);
  samples_.resize((samples_.size() + 1) / 2);
  stride_ *= 2;
}

}  // namespace heddle
