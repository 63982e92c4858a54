// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/output/path_log.h"

#include <sstream>

#include "core/app/cli/output_text.h"
#include "core/app/setup/output_conflicts.h"
#include "io/export/export_path_log.h"
#include "io/result/output_path.h"

namespace heddle {

void CheckPathLog(const std::string& path, const RunArguments& run) {
  CheckOutputPath(path, run.force);
  CheckOwnFile("controller.log", path, run);
}

void WritePathLog(const std::string& path, const Outcome& outcome) {
  std::ostringstream text;
  ExportPathLog(outcome.controller[0], outcome.controller[1], outcome.flows, text);
  WriteText(path, text.str());
}

}  // namespace heddle
