// SPDX-License-Identifier: GPL-2.0-only
/// The table of a sweep for people: what varies, times and bandwidths, why runs failed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/app/launch/sweep/sweep_runs.h"
#include "core/app/launch/sweep_command/sweep_axes.h"
#include "core/app/launch/sweep_command/sweep_results.h"
#include "core/app/launch/sweep_table/sweep_table.h"

namespace heddle {

/// Returns rows of texts under heads, the first `left` columns to the left, others to the right.
std::string ColumnText(const std::vector<std::vector<std::string>>& rows, std::size_t left);

/// Returns a line a run: the axes that vary; time of a step, of which exposed, bus bandwidth (of
/// flows: completion, p99 and slowdown), and the difference of the time to the first run of the
/// same traffic. "" without runs that have a result.
std::string SweepText(const SweepTable& table, const std::vector<SweepRun>& runs,
                      const std::vector<SweepResult>& results);

/// Returns a line for each reason for which runs failed or stalled, with the runs; "" if none did.
std::string FailureText(const std::vector<SweepRun>& runs, const std::vector<SweepResult>& results);

/// Whether what the key says is sent, so that times of runs that differ in it cannot be compared.
bool IsTrafficKey(const std::string& key);

}  // namespace heddle
