// SPDX-License-Identifier: GPL-2.0-only
/// The error message of a run that is given up because a rank hangs.
#pragma once

#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/mpi/communicator.h"
#include "core/mpi/rank_watchdog.h"

namespace heddle {

/// The state of the run for the message. It must be known without a look at the disk, which may be
/// what hangs.
struct LostRun {
  Time now;                             ///< of simulated time
  std::string result;                   ///< a checkpoint exists
  bool saved = false;                   ///< there is a checkpoint
  bool flushed = false;                 ///< rows exist that heddle recover can use
  std::vector<std::string> hosts = {};  ///< by rank; empty: not known
  std::string waits = {};               ///< what this rank waits for; empty: not known
};

/// Returns the message of the rank that gives the run up.
std::string DescribeLoss(const RollCall& call, const Communicator& world, const LostRun& run);

}  // namespace heddle
