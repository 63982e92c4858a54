// SPDX-License-Identifier: GPL-2.0-only
/// The outcome of each flow as CSV, in the format of export_flow_csv.py of the ECMP controller's
/// specification (flows.csv):
/// `flow_id,src_gpu,dst_gpu,sport,spine_switch,fct_ns,slowdown,cc_assigned`, and `hops`. Columns:
/// docs/formats/csv.md.
#pragma once

#include <cstddef>
#include <ostream>

#include "core/base/table.h"
#include "io/collisions/flow_lanes.h"
#include "topology/graph/graph.h"
#include "topology/routes/routes.h"

namespace heddle {

/// Tables of a result: "flows" and, with a controller, "controller/requests" and "controller/paths"
/// (null without).
struct FlowTables {
  const Table* flows = nullptr;
  const Table* requests = nullptr;
  const Table* paths = nullptr;
  bool sprayed = false;              ///< packets of a flow took several paths: no spine is named
  const FlowLanes* lanes = nullptr;  ///< null: flows have none
};

/// Writes a header and one line for each finished flow, in the order of rows, and returns the
/// number of unfinished ones, which are left out. Throws UserError for missing columns, and for
/// ends that the graph does not connect. The caller checks the state of `out`.
std::size_t ExportFlowsCsv(const Graph& graph, const Routes& routes, const FlowTables& tables,
                           std::ostream& out);

}  // namespace heddle
