// SPDX-License-Identifier: GPL-2.0-only
/// The file that controller.log (CC_LOG_FILE) names: the controller's choices as CSV, written when
/// a run ends.
#ifndef HEDDLE_CORE_APP_OUTPUT_PATH_LOG_H_
#define HEDDLE_CORE_APP_OUTPUT_PATH_LOG_H_

#include <string>

#include "core/app/output/run_figures.h"
#include "core/app/setup/run_arguments.h"

namespace heddle {

/// Checks that the file can be written (an existing one with --force only) and is not another file
/// of the run. Throws Error.
void CheckPathLog(const std::string& path, const RunArguments& run);

/// Throws FileError.
void WritePathLog(const std::string& path, const Outcome& outcome);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_OUTPUT_PATH_LOG_H_
