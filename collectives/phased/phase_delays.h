// SPDX-License-Identifier: GPL-2.0-only
/// What chunks waited for in one phase of a collective: ASTRA-SIM's queue delays P0, P1, ... and
/// network delays P1, P2, ... as sums, so that the sums of several NPUs and MPI ranks may be
/// joined.
///
/// Source: ASTRA-SIM (ISPASS 2020), section V, and its code (StreamStat): a chunk's queue delay 0
/// is from its creation until it leaves the ready list, the others from entering a lane's queue
/// until its phase starts; a message's network delay is from when its receiver sent its own message
/// of that step until it has come. Not modelled: waiting for a shared bus or a memory bus.
#pragma once

#include <cstdint>

#include "core/base/units.h"

namespace heddle {

struct PhaseDelays {
  std::int64_t chunks = 0;
  Time queued;  ///< sum over the chunks
  std::int64_t messages = 0;
  Time network;  ///< sum over the messages

  /// Adds what other NPUs or MPI ranks counted of the same phase.
  void Join(const PhaseDelays& other) {
    chunks += other.chunks;
    queued += other.queued;
    messages += other.messages;
    network += other.network;
  }

  /// Whether all are at least 0, as a loaded one must be.
  bool valid() const {
    return chunks >= 0 && messages >= 0 && queued >= Time{0} && network >= Time{0};
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& chunks& queued& messages& network;
  }
};

}  // namespace heddle
