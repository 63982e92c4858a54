// SPDX-License-Identifier: GPL-2.0-only
/// Flows as rows: the records of a rank's domains as tables that can be written during the run.
///
/// Two places know a flow: its sender has the row, its receiver the time of the last byte. They may
/// be on different ranks, so there are two tables with the key (src, number); the reader of the row
/// logs joins them.
#pragma once

#include <vector>

#include "core/base/table.h"
#include "core/mpi/communicator.h"
#include "core/records/flow_vocabulary.h"
#include "transport/model/record/taken_flows.h"
#include "transport/run/fabric/fabric.h"
#include "transport/run/fabric/record_tables.h"

namespace heddle {

/// Returns the records that this rank's domains have written since they dropped the last. Valid
/// until the next event, and until they are dropped.
std::vector<FlowLists> NewFlows(const Fabric& fabric);
/// Drops the records that NewFlows() returns; statistics and digest keep their flows.
void DropFlows(Fabric* fabric);

/// Returns this rank's flows that have not ended. At a cut only.
std::vector<FlowRecord> OpenFlows(const Fabric& fabric);

/// Returns all ranks' records `mine` as the whole table "flows" in canonical order (source,
/// number), at the root; empty on other ranks. Collective.
Table GatherFlows(const Communicator& world, const Fabric& fabric, const FlowRecords& mine);

}  // namespace heddle
