// SPDX-License-Identifier: GPL-2.0-only
/// Why a run stalled: nothing is left to happen, and there are flows or GPUs that wait.
#ifndef HEDDLE_CORE_APP_RUN_STALL_REPORT_H_
#define HEDDLE_CORE_APP_RUN_STALL_REPORT_H_

#include <string>

#include "collectives/execution/flow_coordinator.h"
#include "core/app/output/run_summary.h"
#include "core/mpi/communicator.h"

namespace heddle {

/// The GPUs with the lowest numbers that wait, whichever ranks they are on, a line each; the text
/// is at the root. Collective.
std::string GatherWaiting(const Communicator& world, const FlowCoordinator& coordinator);

/// What a flow of a job belongs to; null for traces (`coordinator` null). Asks the coordinator,
/// which has to outlive it.
NameOfCollective CollectiveNames(const FlowCoordinator* coordinator);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_RUN_STALL_REPORT_H_
