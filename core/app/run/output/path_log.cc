// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/output/path_log.h"

#include <sstream>

#include "core/app/base/cli/output_text.h"
#include "io/analysis/controller_join.h"
#include "io/export/export_path_log.h"

namespace heddle {
void WritePathLog(const std::string& path, const Outcome& outcome) {
  std::ostringstream text;
  ExportPathLog(outcome.controller[0], outcome.controller[1], outcome.flows, text);
  WriteText(path, text.str());
}

void WritePathLog(const std::string& path, const ResultReader& result) {
  std::ostringstream text;
  ExportPathLog(result.ReadTable(kRequestTable), result.ReadTable(kPathTable),
                result.ReadTable("flows"), text);
  WriteText(path, text.str());
}

bool HasPathLog(const ResultReader& result) {
  return result.HasTable(kRequestTable) && result.HasTable(kPathTable) && result.HasTable("flows");
}

}  // namespace heddle
