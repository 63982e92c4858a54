// SPDX-License-Identifier: GPL-2.0-only
/// The records of flows of all ranks as tables, at the root (docs/formats/result.md): for any
/// backend that has flows.
#pragma once

#include <vector>

#include "core/base/table.h"
#include "core/mpi/communicator.h"
#include "transport/model/record/flow_statistics.h"
#include "transport/model/record/taken_flows.h"

namespace heddle {

/// Returns all ranks' records `mine` as the whole table "flows" in canonical order (source,
/// number); without rows on other ranks than the root. `origins`, `controlled`: as FlowTable()'s
/// (transport/run/fabric/record_tables.h). Collective.
Table GatherFlowTable(const Communicator& world, const FlowRecords& mine, bool origins,
                      bool controlled);

/// Returns the sums of all ranks' statistics `mine` as tables "flow_sizes", "slowdown_histogram"
/// and "fct_histogram"; without rows on other ranks than the root. Collective.
std::vector<Table> GatherStatisticsTables(const Communicator& world, const FlowStatistics& mine);

}  // namespace heddle
