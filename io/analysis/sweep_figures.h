// SPDX-License-Identifier: GPL-2.0-only
/// Key figures of results as lines of CSV, for sweeps and scaling studies (docs/formats/sweep.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/result/result_reader.h"
#include "io/table/json_document.h"

namespace heddle {

/// Holds the key figures of one result; what it does not have is missing.
struct SweepFigures {
  std::optional<double> completion_us;  ///< of a workload, its last GPU; of flows, the last
  /// A step of the job whose step is longest, and what its GPUs only waited for the network in it.
  std::optional<double> step_us, exposed_us;
  /// Means of finished collectives, in 10^9 byte/s, as nccl-tests count them.
  std::optional<double> busbw_gbyte_per_s, algbw_gbyte_per_s;
  std::optional<std::int64_t> flows, finished_flows;
  std::optional<double> slowdown_p50, slowdown_p99, fct_p99_us;
  std::optional<std::int64_t> drops, pauses, packet_hops, ranks;
  std::optional<double> run_seconds;  ///< by the clock on the wall
  std::optional<std::int64_t> restarts;
  /// Of requests to a language model (io/served/served_figures.h).
  std::optional<std::int64_t> requests, finished_requests;
  std::optional<double> ttft_p50_us, ttft_p99_us, tpot_p50_us, tpot_p99_us;
  std::optional<double> kept, goodput_per_s;
};
/// Reads the figures from tables and attributes. Throws UserError as ReadFlowSummary().
SweepFigures FiguresOf(const ResultReader& result);

/// Returns the columns in their order; a missing figure is null in JSON.
PrintedColumns<SweepFigures> FigureColumns();

/// Returns the keys of the columns, separated by commas.
std::string FiguresHeader();
/// Returns the figures in that order; empty fields for missing ones, as for a run without a result.
std::string FiguresLine(const SweepFigures& figures);

}  // namespace heddle
