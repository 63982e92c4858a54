// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/path_log.h"

#include <filesystem>
#include <sstream>
#include <vector>

#include "collectives/job.h"
#include "core/app/output_text.h"
#include "io/export_path_log.h"
#include "io/output_path.h"

namespace heddle {

void CheckPathLog(const std::string& path, const RunArguments& run) {
  CheckOutputPath(path, run.force);
  std::vector<std::string> others = {run.output, run.topology, run.trace, run.flows, run.workload, run.conf, run.failures};
  for (const std::string& job : run.jobs) others.push_back(ParseJobSpec(job).workload);
  const auto resolved = [](const std::string& name) { return std::filesystem::weakly_canonical(name); };
  for (const std::string& other : others) {
    if (other.empty() || resolved(other) != resolved(path)) continue;
    throw UserError("controller.log: " + path + " is another file of this run. Expected: a file of its own");
  }
}

void WritePathLog(const std::string& path, const Outcome& outcome) {
  std::ostringstream text;
  ExportPathLog(outcome.controller[0], outcome.controller[1], outcome.flows, text);
  WriteText(path, text.str());
}

}  // namespace heddle
