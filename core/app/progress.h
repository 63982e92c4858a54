// SPDX-License-Identifier: GPL-2.0-only
/// One line that says how far the run is: rewritten in place on a terminal, a new line every so often in a log.
#ifndef HEDDLE_CORE_APP_PROGRESS_H_
#define HEDDLE_CORE_APP_PROGRESS_H_

#include <chrono>
#include <cstdint>

#include "core/units.h"

namespace heddle {

class Progress {
 public:
  struct State {
    Time now;
    std::int64_t flows_finished = 0, flows = 0;
    std::int64_t packet_hops = 0;
    std::int64_t delivered_bytes = 0, expected_bytes = 0;  ///< data on the wire, for the share done
    double memory_mib = 0;                                 ///< largest process
  };
  explicit Progress(bool quiet);
  void Show(const State& state);
  /// End the line.
  void Done();

 private:
  using Clock = std::chrono::steady_clock;
  bool quiet_, terminal_, shown_ = false;
  Clock::time_point start_ = Clock::now();
  double next_log_ = 2;  ///< seconds; intervals grow, so that logs stay short
};

/// Resident memory of this process at its highest [MiB].
double PeakMemoryMib();

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_PROGRESS_H_
