// SPDX-License-Identifier: GPL-2.0-only
/// How far the clocks of ranks are apart, by round trips to the root.
///
/// The root sends, a rank answers with its time, and the answer's time lies between the root's two:
/// half a round trip is the error. Of many round trips the shortest counts (Cristian,
/// "Probabilistic clock synchronization", 1989).
#pragma once

#include <cstdint>

#include "core/mpi/communicator.h"

namespace heddle {

struct ClockOffset {
  std::int64_t offset = 0;  ///< this rank's clock plus this is the root's [ns]
  std::int64_t error = 0;   ///< of the offset, at most [ns]
};

/// Measures this rank's clock against the root's. `now`: the clock of a rank [ns]. One rank after
/// the other, `rounds` (>= 1) round trips each. Collective.
ClockOffset MeasureClockOffset(const Communicator& world, std::int64_t (*now)(), int rounds);

}  // namespace heddle
