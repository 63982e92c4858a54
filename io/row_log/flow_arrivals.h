// SPDX-License-Identifier: GPL-2.0-only
/// The receiver's half of a flow, joined to the sender's.
///
/// The last byte of a flow arrives on the rank of its receiver, which may be another one than the
/// sender's and which knows nothing of its start. So ranks stream two tables, `flows` and
/// `arrivals`, and only the first becomes one of the result, with a column of the second.
#ifndef HEDDLE_IO_ROW_LOG_FLOW_ARRIVALS_H_
#define HEDDLE_IO_ROW_LOG_FLOW_ARRIVALS_H_

#include <memory>

#include "io/table/row_source.h"

namespace heddle {

/// Streamed tables: `flows` has at least src, number (u32), start_ps and fct_ps (i64), `arrivals`
/// src, number (u32) and time_ps (i64: when the last byte arrived); both by (src, number).
constexpr const char* kFlowTable = "flows";
constexpr const char* kArrivalTable = "arrivals";

/// `flows` with the column received_ps behind fct_ps: from start to arrival, -1 for a flow without
/// one. Of several arrivals of a flow the earliest counts. Throws FileError if a column is missing.
std::unique_ptr<RowSource> JoinArrivals(std::unique_ptr<RowSource> flows,
                                        std::unique_ptr<RowSource> arrivals);

}  // namespace heddle

#endif  // HEDDLE_IO_ROW_LOG_FLOW_ARRIVALS_H_
