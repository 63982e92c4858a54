// SPDX-License-Identifier: GPL-2.0-only
/// Records of collectives, layers and time lines as tables, whose rows do not depend on the number
/// of MPI ranks. docs/formats/result.md lists the columns.
///
/// All functions are collective; `records` are those of this MPI rank. Tables are complete at the
/// root and empty on other ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "collectives/execution/execution_records.h"
#include "collectives/job/job.h"
#include "collectives/schedule/collective_spec.h"
#include "core/base/table.h"
#include "core/mpi/communicator.h"
#include "core/records/collective_rows.h"

namespace heddle {

/// What is known of a group's collective before it runs.
struct CollectivePlan {
  AlgorithmChoice choice;
  Time ideal;  ///< its least time (least_times.h); 0: not known
};
/// By job, index of the operation within the pass, number of the group.
using PlanOf =
    std::function<CollectivePlan(std::uint32_t job, std::uint32_t op, std::uint32_t group)>;

/// Returns what this rank recorded, as rows of its log; not collective. `plan_of` is called once a
/// record.
std::vector<CollectivePart> PartsOf(const std::vector<Job>& jobs,
                                    const std::vector<CollectiveRecord>& records,
                                    const PlanOf& plan_of);

/// Makes the table "collectives": one row for each (job, operation, group) that was issued, in this
/// order. Records of one collective from several MPI ranks are joined: it starts with its first
/// rank and ends with its last. `plan_of` is called at the root, once a record.
Table GatherCollectives(const Communicator& world, const std::vector<Job>& jobs,
                        const std::vector<CollectiveRecord>& records, const PlanOf& plan_of);

/// Returns the records of all MPI ranks by job, rank and layer.
std::vector<LayerRecord> GatherSortedLayers(const Communicator& world,
                                            const std::vector<LayerRecord>& records);
/// Makes the table "layers" of the given records, a row each; not collective.
Table LayerTable(const std::vector<Job>& jobs, const std::vector<LayerRecord>& rows);
/// Makes the table "layers": one row for each (job, rank, layer), in this order.
Table GatherLayers(const Communicator& world, const std::vector<Job>& jobs,
                   const std::vector<LayerRecord>& records);

/// Makes the table "steps": one row an interval of a GPU's time line, by job, GPU, start, end,
/// kind, operation.
Table GatherSteps(const Communicator& world, const std::vector<Job>& jobs,
                  const std::vector<StepRecord>& records);
/// Makes the same table for the given records, in the order given; not collective.
Table StepTable(const std::vector<Job>& jobs, const std::vector<StepRecord>& rows);

}  // namespace heddle
