// SPDX-License-Identifier: GPL-2.0-only
/// Why a run stalled: no event is left, but flows or GPUs are waiting.
#ifndef HEDDLE_CORE_APP_RUN_STALL_REPORT_H_
#define HEDDLE_CORE_APP_RUN_STALL_REPORT_H_

#include <string>

#include "collectives/execution/flow_coordinator.h"
#include "core/app/output/run_summary.h"
#include "core/mpi/communicator.h"

namespace heddle {

/// The waiting GPUs with the lowest numbers, of all ranks, one line each; the text is at the root.
/// Collective.
std::string GatherWaiting(const Communicator& world, const FlowCoordinator& coordinator);

/// Names the collective of a job's flow; null for traces (`coordinator` null). Uses the
/// coordinator, which must outlive the function.
NameOfCollective CollectiveNames(const FlowCoordinator* coordinator);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_RUN_STALL_REPORT_H_
