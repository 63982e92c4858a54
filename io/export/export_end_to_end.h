// SPDX-License-Identifier: GPL-2.0-only
/// The costs of a workload on one GPU, layer by layer, in SimAI's format
/// (ncclFlowModel_EndToEnd.csv): a line of totals with its names, one line for each layer, their
/// sum, the total time, and a line of heddle's own. Times in us.
///
/// Source: SimAI's Layer.cc and the files that it writes. Its conventions are kept: a GB is 2^30
/// bytes; bandwidths are rounded to 32 bits; the time that a GPU waits after its last step counts
/// as exposed weight gradient of layer 0 only. Differences: without communication bandwidths are 0,
/// where SimAI divides 0 by 0 and writes "-nan"; groups have the sizes of the run, where SimAI
/// takes the data parallel size from `all_gpus` of the workload's header; waiting for other
/// pipeline stages is measured, and its part before they sent is the bubble, where SimAI simulates
/// no stages and computes the bubble by a formula, whose value is in the last line.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>

#include "core/base/table.h"

namespace heddle {

/// The tables of a result from which the report is made.
struct EndToEndTables {
  Table jobs, ranks, operations, layers;
  Table collectives;  ///< only read if the job has several pipeline stages
};

/// The GPU of the report: by default rank 0 of the job, and job 0 or the job of the given GPU.
struct ReportChoice {
  std::optional<std::uint32_t> job, gpu;
};

/// Writes the report to `out`; the caller checks its state. The run has its job's name, or SimAI's
/// "test1" if the job has none. Throws UserError if no such GPU ran in the job, its program did not
/// end, or a column is missing.
void ExportEndToEnd(const EndToEndTables& tables, const ReportChoice& choice, std::ostream& out);

}  // namespace heddle
