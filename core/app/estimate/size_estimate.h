// SPDX-License-Identifier: GPL-2.0-only
/// What a run says of its result's size before it starts, and of the room that there is for it.
#ifndef HEDDLE_CORE_APP_ESTIMATE_SIZE_ESTIMATE_H_
#define HEDDLE_CORE_APP_ESTIMATE_SIZE_ESTIMATE_H_

#include <cstdint>
#include <string>

#include "core/app/setup/run_input.h"
#include "io/result/result_size.h"
#include "transport/record/flow_sample.h"

namespace heddle {

/// Rows that the run will write. `flows`: queue pairs planned; `time_line`: whether GPUs' steps are
/// kept.
ResultRows PlannedRows(const RunInput& input, std::int64_t flows, FlowSample sample,
                       bool time_line);

/// "about 1.2 GiB (59 M flows), while running 4.9 GiB beside it", with what monitors may add for a
/// simulated millisecond.
std::string DescribeSize(const RunInput& input, const ResultRows& rows);

/// "The whole run needs about 6.1 GiB", beside what monitors write.
std::string DescribeNeed(const ResultRows& rows);

/// A sentence if the file system of `output` has less room than the result and what is written
/// beside it need together; else, or if that cannot be asked, empty.
std::string WarningOfRoom(const std::string& output, const ResultRows& rows);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_ESTIMATE_SIZE_ESTIMATE_H_
