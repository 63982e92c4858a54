// SPDX-License-Identifier: GPL-2.0-only
/// What the page of a sweep knows of its table.
#pragma once

#include <string>
#include <vector>

#include "core/app/launch/sweep/sweep_runs.h"
#include "core/app/launch/sweep_command/sweep_results.h"
#include "core/app/launch/sweep_table/sweep_table.h"
#include "io/report/report.h"

namespace heddle {

/// Returns the axes, without values.
SweptRuns SweptOf(const SweepTable& table);

/// Returns a run's values as the page takes them: numbers and quantities as they are, so that they
/// have a place on an axis; labels, files and words as they are shown.
std::vector<std::string> PageValues(const SweepTable& table, const SweepRun& run);

/// What `heddle sweep --local` adds to its hint: a figure and axes that these runs have, as " (such
/// as with --plot busbw --x size --by topology)"; empty if there are none.
std::string PlotHint(const SweepTable& table, const std::vector<SweepRun>& runs,
                     const std::vector<SweepResult>& results);

}  // namespace heddle
