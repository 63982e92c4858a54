// SPDX-License-Identifier: GPL-2.0-only
/// What the runs of a sweep gave: their states, figures and reasons, and the table of them as CSV.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/app/launch/sweep/sweep_runs.h"
#include "core/app/launch/sweep_table/sweep_table.h"
#include "io/analysis/sweep_figures.h"

namespace heddle {

enum class RunState {
  kDone,     ///< the result is complete, and all work ended
  kStalled,  ///< the result is complete, and something never ended
  kFailed,   ///< there is no complete result, and the log says why
  kSaved,    ///< there is a checkpoint from which it goes on
  kMissing,  ///< it was not run, or runs now
};
/// "done", "stalled", "failed", "saved", "missing": as in table.csv.
const char* ToText(RunState state);

struct SweepResult {
  RunState state = RunState::kMissing;
  std::string reason;    ///< of one that failed or stalled, as in its log
  SweepFigures figures;  ///< of a complete result

  /// Whether there is a complete result, even of a run that stalled.
  bool complete() const { return state == RunState::kDone || state == RunState::kStalled; }
};

/// Reads results and, of runs that are not done, logs: RESULT.log, or the newest of Slurm's.
/// Returns one for each run. Throws UserError for results that cannot be read.
std::vector<SweepResult> ReadSweepResults(const SweepTable& table,
                                          const std::vector<SweepRun>& runs);

/// Returns the table, a line a run (docs/formats/sweep.md). `knees`: by run, as of MarkKnees().
std::string SweepCsv(const SweepTable& table, const std::vector<SweepRun>& runs,
                     const std::vector<SweepResult>& results,
                     const std::vector<std::optional<bool>>& knees);

}  // namespace heddle
