// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/estimate/memory_estimate.h"

#include <algorithm>
#include <cstddef>

#include "collectives/execution/execution_records.h"
#include "io/row_log/sort_row_log.h"
#include "transport/model/record/flow_records.h"

namespace heddle {
namespace {

/// Allocated over used size of an array, on average: arrays double when they are full.
constexpr double kReserve = 1.5;
/// State of a collective's message in flight: its names, and the counts at its receiver and sender
/// (collectives/execution/participation.h) [byte].
constexpr double kExecution = 64;
/// A row of the flow table from which the summary is made [byte].
constexpr double kTableRow = 100;
/// Memory of sorting and merging row logs.
constexpr SortLimits kSort;
/// Memory to sort a row log: twice its largest run; a row during sorting, and one that waits to be
/// merged [byte].
constexpr double kMostSorted = 2.0 * kSort.bytes, kSortedRow = 2 * 160, kMergedRow = 160;
/// Entry of a collective in the index of records; its row, and that of a step, while they are
/// written to the log; a row of /collectives, with six texts [byte].
constexpr double kRecordIndex = 48, kLoggedRecord = 110, kLoggedStep = 130, kShownCollective = 320;
/// A row log's buffers, chunks under compression and HDF5's own memory [byte].
constexpr double kOutputBuffers = 6 << 20;

void Grow(MemoryAccount* account, Structure structure, double bytes) {
  account->Add(structure, static_cast<std::size_t>(std::max(bytes, 0.0)));
}

/// Every cut sorts its rows and writes them as a run. At the end the runs are merged, or sorted
/// again if there are many.
double WritingMemory(double rows, double cuts) {
  const double sorting = std::min(kMostSorted, rows / cuts * kSortedRow);
  const double merging = cuts > kMostUnsortedRuns
                             ? std::min(kMostSorted, rows * kSortedRow)
                             : std::min(rows, cuts * kSort.block_rows) * kMergedRow;
  return sorting + merging;
}

}  // namespace

MemoryAccount GrowthOfOutput(const OpenTraffic& open, double rows, double written, double cuts) {
  MemoryAccount growth;
  if (open.posted) Grow(&growth, Structure::kExecution, open.all_flows() * kExecution);
  Grow(&growth, Structure::kRecords,
       rows * (sizeof(FlowRecord) + sizeof(FlowArrival) + kTableRow) * kReserve);
  if (written > 0) Grow(&growth, Structure::kOutput, kOutputBuffers + WritingMemory(written, cuts));
  return growth;
}

MemoryAccount GrowthOfJobs(double collectives, double steps, double shown) {
  MemoryAccount growth;
  const double collective = sizeof(CollectiveRecord) * kReserve + kRecordIndex + kLoggedRecord;
  const double step = sizeof(StepRecord) * kReserve + kLoggedStep;
  Grow(&growth, Structure::kRecords,
       collectives * collective + steps * step + shown * kShownCollective);
  return growth;
}

}  // namespace heddle
