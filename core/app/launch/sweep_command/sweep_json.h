// SPDX-License-Identifier: GPL-2.0-only
/// The object of `heddle sweep --json` (docs/formats/json.md).
#pragma once

#include <string>
#include <vector>

#include "core/app/launch/sweep/sweep_runs.h"
#include "core/app/launch/sweep_command/sweep_results.h"
#include "core/app/launch/sweep_table/sweep_table.h"
#include "io/table/json_document.h"

namespace heddle {

/// Returns what --collect prints: a row for each run.
OrderedJson SweepJson(const SweepTable& table, const std::vector<SweepRun>& runs,
                      const std::vector<SweepResult>& results);
/// Returns what --figures prints: a row for each file. Throws UserError for one that is no result.
OrderedJson FiguresJson(const std::vector<std::string>& results);

}  // namespace heddle
