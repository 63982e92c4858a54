// SPDX-License-Identifier: GPL-2.0-only
/// The file that controller.log (CC_LOG_FILE) names: the controller's choices as CSV, written when
/// a run ends.
#pragma once

#include <string>

#include "core/app/run/output/run_figures.h"
#include "io/result/result_reader.h"

namespace heddle {

/// Writes the log at the root after a run: `outcome` has the tables. Throws FileError.
void WritePathLog(const std::string& path, const Outcome& outcome);
/// Writes the log from the tables of a complete result. Throws Error.
void WritePathLog(const std::string& path, const ResultReader& result);
/// Whether a result has the tables.
bool HasPathLog(const ResultReader& result);

}  // namespace heddle
