// SPDX-License-Identifier: GPL-2.0-only
/// What a workload cost one GPU, layer by layer, as SimAI writes it (ncclFlowModel_EndToEnd.csv): a
/// line of totals with its names, a line a layer, their sum, and the total time. Times in us.
///
/// Source: SimAI's Layer.cc and the files that it writes. Its habits are kept: a GB is 2^30 bytes;
/// bandwidths are rounded to 32 bits; without communication the algorithm bandwidth is "-nan" and
/// the bus bandwidth 0; what a GPU waits for after its last step counts as exposed weight gradient
/// of layer 0 only; the bubble time is a formula. Differs: groups have the sizes that ran, where
/// SimAI takes the data parallel size from `all_gpus` of the workload's header; waiting for other
/// pipeline stages is measured, where SimAI has none.
#ifndef HEDDLE_IO_EXPORT_EXPORT_END_TO_END_H_
#define HEDDLE_IO_EXPORT_EXPORT_END_TO_END_H_

#include <cstdint>
#include <optional>
#include <ostream>

#include "core/base/table.h"

namespace heddle {

/// The tables of a result that the report is made from.
struct EndToEndTables {
  Table jobs, ranks, operations, layers;
};

/// Whose report: by default rank 0 of the job, and job 0 or the one that has the GPU.
struct ReportChoice {
  std::optional<std::uint32_t> job, gpu;
};

/// Writes the report to `out`; the caller checks its state. The run is called as its job, or
/// "test1", SimAI's name, if that has none. Throws UserError if no such GPU ran in the job, its
/// program did not end, or a column is missing.
void ExportEndToEnd(const EndToEndTables& tables, const ReportChoice& choice, std::ostream& out);

}  // namespace heddle

#endif  // HEDDLE_IO_EXPORT_EXPORT_END_TO_END_H_
