// SPDX-License-Identifier: GPL-2.0-only
/// The clock that all ranks of a run read: the root's, found by round trips before the run, and
/// measured again afterwards.
#pragma once

#include <cstdint>
#include <string>

#include "core/mpi/clock_alignment.h"
#include "core/mpi/communicator.h"
#include "transport/run/physical/real_clock.h"

namespace heddle {

/// How well the clocks agree: the largest values of all ranks [ns].
struct ClockQuality {
  std::int64_t offset = 0;  ///< between two machines' clocks, before
  std::int64_t drift = 0;   ///< change of the offset during the run
  /// A time in the result is wrong by this at most: the errors of both measurements, and the drift.
  std::int64_t error = 0;
};

/// Returns a line of the summary: "clocks  agree within 0.8 us (...)".
std::string DescribeClocks(const ClockQuality& quality);

/// Functions are collective.
class SharedClock {
 public:
  /// `world` must outlive it.
  explicit SharedClock(const Communicator& world) : world_(world) {}

  /// Aligns the clocks; the run begins a little later, at the same time on all ranks.
  void Begin(RealClock* clock);
  /// Aligns the clocks again, after the run. Returns the same on all ranks.
  ClockQuality End() const;

 private:
  const Communicator& world_;
  ClockOffset before_;
};

}  // namespace heddle
