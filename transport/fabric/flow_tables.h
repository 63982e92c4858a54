// SPDX-License-Identifier: GPL-2.0-only
/// Flows as rows: what a rank's domains wrote down, as tables that can be written while the run
/// goes on.
///
/// A flow is known at two places: its sender has the row, its receiver the moment of the last byte.
/// They may be on different ranks, so there are two tables, both with the key (src, number); the
/// reader of the parts joins them.
#ifndef HEDDLE_TRANSPORT_FABRIC_FLOW_TABLES_H_
#define HEDDLE_TRANSPORT_FABRIC_FLOW_TABLES_H_

#include <vector>

#include "core/base/table.h"
#include "core/mpi/communicator.h"
#include "transport/fabric/fabric.h"
#include "transport/record/flow_records.h"

namespace heddle {

/// Senders' and receivers' records of some flows, in any order.
struct FlowRecords {
  std::vector<FlowRecord> flows;
  std::vector<FlowArrival> arrivals;

  void Append(const FlowRecords& more);
};

/// Takes what this rank's domains have written down since the last call; they forget it.
FlowRecords TakeFlows(Fabric* fabric);

/// This rank's flows that have not ended. At a cut only.
std::vector<FlowRecord> OpenFlows(const Fabric& fabric);

/// Table "flows" (docs/formats/result.md) without the column received_ps. Rows as given.
Table FlowTable(const Fabric& fabric, const std::vector<FlowRecord>& flows);

/// Table "arrivals": src, number, time_ps; several rows of one flow if all its ACKs were lost. Rows
/// as given.
Table ArrivalTable(const std::vector<FlowArrival>& arrivals);

/// All ranks' `mine` as the whole table "flows" in canonical order (source, number), at the root;
/// empty elsewhere. Collective.
Table GatherFlows(const Communicator& world, const Fabric& fabric, const FlowRecords& mine);

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_FABRIC_FLOW_TABLES_H_
