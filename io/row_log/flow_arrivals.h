// SPDX-License-Identifier: GPL-2.0-only
/// Joins the tables `flows` and `arrivals` of the row logs (core/records/arrival_join.h): only
/// `flows` becomes a table of the result, with a column made from `arrivals`.
#pragma once

#include <memory>

#include "io/table/row_source.h"

namespace heddle {

/// Tables of the row logs: `flows` has at least src, number (u32), start_ps and fct_ps (i64),
/// `arrivals` src, number (u32) and time_ps (i64: arrival of the last byte); both sorted by (src,
/// number).
constexpr const char* kFlowTable = "flows";
constexpr const char* kArrivalTable = "arrivals";

/// `flows` with the column received_ps after fct_ps: time from start to arrival, -1 for a flow
/// without arrival. If a flow has several arrivals, the earliest counts, that of a column which is
/// there already included. Throws FileError if a column is missing or of another type.
std::unique_ptr<RowSource> JoinArrivals(std::unique_ptr<RowSource> flows,
                                        std::unique_ptr<RowSource> arrivals);

}  // namespace heddle
