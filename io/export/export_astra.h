// SPDX-License-Identifier: GPL-2.0-only
/// The statistics of ASTRA-SIM 1.0's two CSV files, EndToEnd.csv and detailed.csv, of one GPU's
/// job: one row a layer, times in us.
///
/// Source: ASTRA-SIM (2020), Layer::report. Kept: the columns, their order and names, six digits;
/// totals stand in the row of the first layer; what a GPU waits for after its last step is no
/// layer's exposed time. detailed.csv: first queue delays of a chunk by phase, then the network
/// delays of a message by phase. Differences: delays are means over all GPUs, where ASTRA-SIM takes
/// node 0's; every layer has the columns of the most phases, and empty cells for phases that it
/// lacks; heddle has no shared bus and no memory bus, whose columns are 0.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "core/base/table.h"

namespace heddle {

/// The tables of a result that the files are made of.
struct AstraTables {
  Table jobs, ranks, layers;
  Table phase_delays;  ///< only read by ExportAstraDetailed
};

/// Why a job has no end, from table "ranks": "the workload did not end on 3 of the 16 GPUs of job
/// 0"; empty if it has.
std::string WhyNotEnded(const Table& ranks, std::uint32_t job);

/// Writes EndToEnd.csv of rank 0 of a job; the caller checks the state of `out`. Throws UserError
/// if there is no such job, a column is missing, or the job did not end.
void ExportAstraEndToEnd(const AstraTables& tables, std::uint32_t job, std::ostream& out);
/// Writes detailed.csv of rank 0 of a job, which may be unfinished; else as above.
void ExportAstraDetailed(const AstraTables& tables, std::uint32_t job, std::ostream& out);

}  // namespace heddle
