// SPDX-License-Identifier: GPL-2.0-only
/// Measures the cost of messages between ranks, in a fraction of a second.
#pragma once

#include "core/mpi/communicator.h"

namespace heddle {

struct NetworkFigures {
  double latency_seconds = 0;   ///< half a round trip of a small message
  double bytes_per_second = 0;  ///< of messages of 1 MiB, in one direction
  /// Processor time for one of many small messages that are in flight together.
  double batch_seconds = 0;
};

/// Measures between the first rank and the last, which launchers place on the most distant machine,
/// while the others wait. Medians. Requires two ranks or more. Collective; the same figures on
/// every rank.
NetworkFigures ProbeNetwork(const Communicator& world);

}  // namespace heddle
