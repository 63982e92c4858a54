// SPDX-License-Identifier: GPL-2.0-only
/// What chunks waited for in the phases of collectives, as a table whose rows do not depend on the
/// number of MPI ranks. docs/formats/result.md lists the columns.
#pragma once

#include <map>
#include <vector>

#include "collectives/execution/phase_record.h"
#include "collectives/job/job.h"
#include "core/base/table.h"
#include "core/mpi/communicator.h"

namespace heddle {

/// Makes the table "phase_delays": one row for each (job, operation, phase of a chunk), in this
/// order; sums over GPUs, groups and passes. Collective; `mine` are those of this MPI rank. The
/// table is complete at the root and empty on other ranks.
Table GatherPhaseDelays(const Communicator& world, const std::vector<Job>& jobs,
                        const std::map<PhaseRecord::Key, PhaseDelays>& mine);

}  // namespace heddle
