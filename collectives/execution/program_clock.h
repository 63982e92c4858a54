// SPDX-License-Identifier: GPL-2.0-only
/// What the runner of a GPU's collectives reports to the GPU's program: a list of steps, a graph,
/// or whatever else decides when an operation is issued.
#pragma once

#include <cstdint>

#include "core/base/units.h"

namespace heddle {

/// The two calls come once for each operation that the program issued (CollectiveRunner::Issue), in
/// this order, perhaps within that call. Between them the operation's communicator begins the next
/// one that waits for it; that one may end at once, so calls for later operations may come between.
/// What a program does may depend on the times in the calls, never on their order.
class ProgramClock {
 public:
  /// Notes that `operation`, issued at `issued`, ended on this GPU at `at`. Nothing may be issued
  /// within this call.
  virtual void Ended(std::uint32_t operation, Time issued, Time at) = 0;
  /// Lets what waits for the end of `operation`, at `at`, go on and issue operations.
  virtual void MayGoOn(std::uint32_t operation, Time at) = 0;

 protected:
  ~ProgramClock() = default;
};

}  // namespace heddle
