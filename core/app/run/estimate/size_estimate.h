// SPDX-License-Identifier: GPL-2.0-only
/// The expected size of a run's result, printed before the run starts, and a check of free disk
/// space.
#pragma once

#include <cstdint>
#include <string>

#include "core/app/run/setup/run_input.h"
#include "io/schema/result_size.h"
#include "transport/model/record/flow_sample.h"

namespace heddle {

/// What is recorded of a run.
struct PlannedRecords {
  std::int64_t flows = 0;         ///< queue pairs planned
  FlowSample sample;              ///< of them
  std::uint64_t collectives = 0;  ///< planned
  FlowSample operations{0};       ///< of the jobs', whose collectives have rows
  bool time_line = false;         ///< whether GPUs' steps are recorded
};

/// Returns rows that the run will write.
ResultRows PlannedRows(const RunInput& input, const PlannedRecords& records);

/// "about 1.2 GiB (59 M flows), while running 4.9 GiB beside it", and what monitors add for each
/// simulated millisecond. `has_flows`: false leaves the number of flows out.
std::string DescribeSize(const RunInput& input, const ResultRows& rows, bool has_flows);

/// "The whole run needs about 6.1 GiB", not counting what monitors write.
std::string DescribeNeed(const ResultRows& rows);

/// Returns a warning if the file system of `output` has less free space than the result and the
/// temporary files beside it need; empty otherwise, or if the free space is unknown.
std::string WarningOfRoom(const std::string& output, const ResultRows& rows);

}  // namespace heddle
