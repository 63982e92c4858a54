// SPDX-License-Identifier: GPL-2.0-only
/// Delays of a collective's chunks in one of its phases, over all groups, GPUs and passes that one
/// MPI rank saw.
#pragma once

#include <array>
#include <cstdint>

#include "collectives/phased/phase_delays.h"

namespace heddle {

struct PhaseRecord {
  /// Job, index of the operation within a pass, phase of a chunk: 0, the ready list, or 1, 2, ...
  using Key = std::array<std::uint32_t, 3>;
  Key key{};
  PhaseDelays delays;

  std::uint32_t job() const { return key[0]; }        ///< key's first part
  std::uint32_t operation() const { return key[1]; }  ///< index within a pass
  std::uint32_t phase() const { return key[2]; }      ///< of a chunk; 0: the ready list

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& key[0] & key[1] & key[2] & delays;
  }
};

}  // namespace heddle
