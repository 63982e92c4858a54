// SPDX-License-Identifier: GPL-2.0-only
/// The jobs, their ranks and the operations of one pass as tables. docs/formats/result.md lists the
/// columns.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/execution/execution_records.h"
#include "collectives/job/job.h"
#include "core/base/table.h"
#include "core/mpi/communicator.h"

namespace heddle {

/// Counts the ranks that take part in an operation: all of its group, or two if one sends to
/// another.
std::uint32_t RanksOf(const Job& job, const ProgramOp& op);

// GatherJobs and GatherRanks are collective; `finishes` are those of this MPI rank's GPUs. Tables
// are complete at the root only.

/// Makes the table "jobs": one row a job, by number. A job ends when the last of its GPUs does; -1
/// if one of them did not.
Table GatherJobs(const Communicator& world, const std::vector<Job>& jobs,
                 const std::vector<FinishRecord>& finishes);

/// Makes the table "ranks": one row for each (job, rank): where it was placed, and when its program
/// ended.
Table GatherRanks(const Communicator& world, const std::vector<Job>& jobs,
                  const std::vector<FinishRecord>& finishes);

/// Makes the table "operations": one row a communication of one pass, by job and operation.
Table OperationTable(const std::vector<Job>& jobs);

}  // namespace heddle
