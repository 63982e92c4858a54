// SPDX-License-Identifier: GPL-2.0-only
/// The clock of a run whose traffic is real: time since its beginning, as all ranks count it.
#pragma once

#include <chrono>
#include <cstdint>

#include "core/base/units.h"

namespace heddle {

class RealClock {
 public:
  /// Returns the machine's monotonic clock [ns].
  static std::int64_t Nanoseconds() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  /// Sets that the run begins when this machine's clock shows `zero` [ns]. Without this call Now()
  /// is 0.
  void BeginAt(std::int64_t zero) {
    zero_ = zero;
    running_ = true;
  }
  /// Returns the time since the beginning; negative just before it.
  Time Now() const { return running_ ? NanoSeconds(Nanoseconds() - zero_) : Time{0}; }

 private:
  std::int64_t zero_ = 0;
  bool running_ = false;
};

}  // namespace heddle
