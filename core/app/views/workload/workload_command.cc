// SPDX-License-Identifier: GPL-2.0-only
/// `heddle workload`: a training step from the shape of a model, for `heddle run -w` and SimAI.
#include <cstdio>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/views/workload/workload_arguments.h"
#include "core/app/views/workload/workload_summary.h"
#include "core/base/printable.h"
#include "io/plan/plan_file.h"
#include "io/simai/workload_text.h"

namespace heddle {
int WorkloadCommand(const std::vector<std::string>& arguments) {
  WorkloadArguments given;
  if (!ParseWorkloadArguments(arguments, &given)) return 0;
  CheckOutputs({{"-o", given.output}},
               {{"--compute-table", given.request.compute_table},
                {"the plan", IsPlanFile(given.family) ? given.family : std::string()}},
               given.force);
  const PlanRequest request = RequestOf(given);
  const StepPlan plan = PlanOf(given, request);
  const Workload workload = MakeStepWorkload(plan.shape, plan.parallel, plan.speed);
  const std::string summary = WorkloadSummary(plan, workload, given.output);
  const std::string command = WorkloadCommandText(arguments);
  WriteText(given.output,
            given.as_plan ? PlanText(request, command) : WorkloadText(workload, command));
  if (const std::int64_t chunks = plan.parallel.virtual_pipeline; chunks > 1)
    std::fprintf(stderr,
                 "heddle: note: VPP %lld is written; stages are interleaved by "
                 "pipeline.schedule=interleaved and pipeline.chunks=%lld\n",
                 static_cast<long long>(chunks), static_cast<long long>(chunks));
  for (const std::string& note : plan.notes)
    std::fprintf(stderr, "heddle: note: %s\n", PrintableLines(note).c_str());
  if (given.output.empty() || IsStandardOutput(given.output))
    std::fputs(PrintableLines(summary).c_str(), stderr);
  else
    PrintText(summary);
  return 0;
}

}  // namespace heddle
