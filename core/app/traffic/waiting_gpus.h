// SPDX-License-Identifier: GPL-2.0-only
/// Which GPUs of jobs wait when a run has stalled: no event is left, but programs have not ended.
#ifndef HEDDLE_CORE_APP_TRAFFIC_WAITING_GPUS_H_
#define HEDDLE_CORE_APP_TRAFFIC_WAITING_GPUS_H_

#include <string>

#include "collectives/execution/flow_coordinator.h"
#include "core/mpi/communicator.h"

namespace heddle {

/// The waiting GPUs with the lowest numbers, of all ranks, one line each; the text is at the root.
/// Collective.
std::string GatherWaiting(const Communicator& world, const FlowCoordinator& coordinator);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_TRAFFIC_WAITING_GPUS_H_
