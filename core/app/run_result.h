// SPDX-License-Identifier: GPL-2.0-only
/// The result file of a run: its tables, and the attributes that say what was run.
#ifndef HEDDLE_CORE_APP_RUN_RESULT_H_
#define HEDDLE_CORE_APP_RUN_RESULT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/app/run_setup.h"
#include "core/app/summary.h"
#include "core/table.h"
#include "io/result_writer.h"

namespace heddle {

/// What was run, and how it went.
struct RunRecord {
  const RunArguments* arguments;
  const RunInput* input;
  const RunFigures* figures;
  std::uint32_t ranks;
  std::uint64_t flows_digest;
  Time lookahead;  ///< of the engine's windows
};

/// Writes all tables, merges the monitors' sorted part files up to commit `last_commit`, closes the result and deletes the parts.
/// `job_tables`: of workloads, or none. Throws FileError; the parts stay then.
void WriteRunResult(const RunRecord& run, const Outcome& outcome, const std::vector<Table>& job_tables,
                    const std::vector<std::string>& monitor_parts, std::uint64_t last_commit, ResultWriter* writer);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_RUN_RESULT_H_
