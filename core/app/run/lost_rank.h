// SPDX-License-Identifier: GPL-2.0-only
/// What the user is told when a run is given up, as a rank hangs.
#ifndef HEDDLE_CORE_APP_RUN_LOST_RANK_H_
#define HEDDLE_CORE_APP_RUN_LOST_RANK_H_

#include <string>

#include "core/base/units.h"
#include "core/mpi/communicator.h"
#include "core/mpi/rank_watchdog.h"

namespace heddle {

/// How far the run was, for the message. Nothing of it is looked up on a disk, which may be what
/// hangs.
struct LostRun {
  Time now;              ///< of simulated time
  std::string result;    ///< path; empty: none
  bool saved = false;    ///< there is a checkpoint
  bool flushed = false;  ///< there is something for heddle recover
};

/// The message of the rank that gives the run up.
std::string DescribeLoss(const RollCall& call, const Communicator& world, const LostRun& run);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_RUN_LOST_RANK_H_
