// SPDX-License-Identifier: GPL-2.0-only
/// The central controller's choices as CSV, the file that CC_LOG_FILE of the ECMP controller's
/// specification names (paths.csv):
/// `flow_id,sip,dip,sport,dport,n_hops,hops`. Columns: docs/formats/csv.md.
#ifndef HEDDLE_IO_EXPORT_EXPORT_PATH_LOG_H_
#define HEDDLE_IO_EXPORT_EXPORT_PATH_LOG_H_

#include <ostream>

#include "core/base/table.h"

namespace heddle {

/// Writes a line a decision that has a path, in the order of decisions, after a header line. Tables
/// are "controller/requests", "controller/paths" and "flows", from a result or as a run gathers
/// them. `flow_id` is the flow's row in `flows`, -1 where that has no row of it; its destination
/// port is then 100, that of every flow of a workload. A flow that was moved has a line a path.
/// Throws UserError for missing columns and paths of no decision. The caller checks the state of
/// `out`.
void ExportPathLog(const Table& requests, const Table& paths, const Table& flows,
                   std::ostream& out);

}  // namespace heddle

#endif  // HEDDLE_IO_EXPORT_EXPORT_PATH_LOG_H_
