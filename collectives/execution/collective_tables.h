// SPDX-License-Identifier: GPL-2.0-only
/// What the ranks of the run wrote down about collectives, layers and time lines, as tables whose
/// rows no number of MPI ranks changes. docs/formats/result.md lists the columns.
///
/// All functions are collective; `records` are those of this MPI rank. Tables are whole at the root
/// and empty elsewhere.
#ifndef HEDDLE_COLLECTIVES_EXECUTION_COLLECTIVE_TABLES_H_
#define HEDDLE_COLLECTIVES_EXECUTION_COLLECTIVE_TABLES_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "collectives/execution/execution_records.h"
#include "collectives/job/job.h"
#include "collectives/schedule/collective_spec.h"
#include "core/base/table.h"
#include "core/mpi/communicator.h"

namespace heddle {

/// The algorithm of a group's collective: of a job, the index of the operation within the pass, and
/// the group's number.
using AlgorithmOf =
    std::function<AlgorithmChoice(std::uint32_t job, std::uint32_t op, std::uint32_t group)>;

/// Table "collectives": one row a (job, operation, group) that was issued, in this order. The
/// records that several MPI ranks have of one are joined: it starts with its first rank and ends
/// with its last. `algorithm_of` is called at the root, once a row.
Table GatherCollectives(const Communicator& world, const std::vector<Job>& jobs,
                        const std::vector<CollectiveRecord>& records,
                        const AlgorithmOf& algorithm_of);

/// Table "layers": one row a (job, rank, layer), in this order.
Table GatherLayers(const Communicator& world, const std::vector<Job>& jobs,
                   const std::vector<LayerRecord>& records);

/// Table "steps": one row an interval of a GPU's time line, by job, GPU, start, end, kind,
/// operation.
Table GatherSteps(const Communicator& world, const std::vector<Job>& jobs,
                  const std::vector<StepRecord>& records);
/// The same of the given records, in the order given; not collective.
Table StepTable(const std::vector<Job>& jobs, const std::vector<StepRecord>& rows);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_EXECUTION_COLLECTIVE_TABLES_H_
