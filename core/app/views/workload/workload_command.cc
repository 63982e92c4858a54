// SPDX-License-Identifier: GPL-2.0-only
/// `heddle workload`: a training step from the shape of a model, for `heddle run -w` and SimAI.
#include <fmt/format.h>

#include <cstdio>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/run/plans/plan_options.h"
#include "core/app/views/workload/workload_arguments.h"
#include "core/app/views/workload/workload_summary.h"
#include "core/base/check.h"
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
  CheckPlanOptions(plan, IsPlanFile(given.family) ? given.family : "heddle workload");
  const Workload workload = MakeStepWorkload(plan.shape, plan.parallel, plan.speed);
  if (const std::string key = workload.BeyondText(); !key.empty() && !given.as_plan)
    throw UserError(key +
                    ": SimAI's text has no place for it. Expected: --as-plan, and heddle run -w "
                    "PLAN.toml");
  const std::string summary = WorkloadSummary(plan, workload, given.output);
  const std::string command = WorkloadCommandText(arguments);
  WriteText(given.output,
            given.as_plan ? PlanText(request, command) : WorkloadText(workload, command));
  const std::string settings = given.as_plan || given.output.empty() ? "" : SettingsText(plan);
  if (!settings.empty())
    std::fprintf(stderr, "heddle: note: the file does not say %s: set it in each run\n",
                 PrintableLines(settings).c_str());
  for (const std::string& note : plan.notes)
    std::fprintf(stderr, "heddle: note: %s\n", PrintableLines(note).c_str());
  if (given.output.empty() || IsStandardOutput(given.output))
    std::fputs(PrintableLines(summary).c_str(), stderr);
  else
    PrintText(summary);
  return 0;
}

}  // namespace heddle
