// SPDX-License-Identifier: GPL-2.0-only
/// `heddle workload`: a training step from the shape of a model, for `heddle run -w` and SimAI.
#include <cstdio>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/views/workload/workload_arguments.h"
#include "core/app/views/workload/workload_summary.h"
#include "core/base/printable.h"
#include "io/simai/workload_text.h"

namespace heddle {
int WorkloadCommand(const std::vector<std::string>& arguments) {
  WorkloadArguments given;
  if (!ParseWorkloadArguments(arguments, &given)) return 0;
  CheckOutputs({{"-o", given.output}}, {{"--compute-table", given.compute_table}}, given.force);
  const WorkloadRequest request = MakeWorkloadRequest(given);
  const Workload workload = MakeStepWorkload(request.shape, request.plan, request.speed);
  const std::string summary = WorkloadSummary(request, workload, given.output);
  WriteText(given.output, WorkloadText(workload, WorkloadCommandText(arguments)));
  for (const std::string& note : request.notes)
    std::fprintf(stderr, "heddle: note: %s\n", PrintableLines(note).c_str());
  if (given.output.empty() || IsStandardOutput(given.output))
    std::fputs(PrintableLines(summary).c_str(), stderr);
  else
    PrintText(summary);
  return 0;
}

}  // namespace heddle
