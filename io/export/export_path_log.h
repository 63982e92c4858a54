// SPDX-License-Identifier: GPL-2.0-only
/// The central controller's decisions as CSV, in the format of CC_LOG_FILE of the ECMP controller's
/// specification (paths.csv): `flow_id,sip,dip,sport,dport,n_hops,hops`. Columns:
/// docs/formats/csv.md.
#pragma once

#include <ostream>

#include "core/base/table.h"

namespace heddle {

/// Writes a header, then one line for each decision with a path, in the order of decisions. Tables
/// are "controller/requests", "controller/paths" and "flows", from a result or as gathered by a
/// run. `flow_id` is the flow's row in `flows`, or -1 without a row; the destination port is then
/// 100, as in every flow of a workload. A rerouted flow has one line for each path. Throws
/// UserError for missing columns, and for paths without a decision. The caller checks the state of
/// `out`.
void ExportPathLog(const Table& requests, const Table& paths, const Table& flows,
                   std::ostream& out);

}  // namespace heddle
