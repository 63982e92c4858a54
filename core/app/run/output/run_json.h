// SPDX-License-Identifier: GPL-2.0-only
/// What `heddle run --json` prints: the figures of the summary.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/app/run/output/run_figures.h"
#include "io/table/json_document.h"

namespace heddle {

/// A run that has ended. `jobs`: tables "jobs", "collectives", "layers" and "ranks", or none.
struct EndedRun {
  const RunFigures& figures;
  const Outcome& outcome;
  const std::vector<Table>& jobs;
  std::uint32_t first_pass = 0;  ///< of collectives: those before it warm up
};

/// "finished" or "stalled", with all figures. `result`: file, or empty.
OrderedJson RunJson(const EndedRun& run, const std::string& result);

/// Returns the object without figures: `state` is "stopped" (a checkpoint, or the end of a profile)
/// or "complete already" (--restart auto).
OrderedJson RunWithoutFigures(const std::string& state, const std::string& result);

}  // namespace heddle
