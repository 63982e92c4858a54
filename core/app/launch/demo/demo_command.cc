// SPDX-License-Identifier: GPL-2.0-only
/// `heddle demo`: in an empty folder, from nothing to two fabrics beside each other.
#include <filesystem>
#include <system_error>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/processes/launch_limits.h"
#include "core/app/base/processes/own_program.h"
#include "core/app/launch/demo/demo_plan.h"
#include "core/app/launch/demo/demo_text.h"
#include "core/app/launch/fabrics/fabric_arguments.h"
#include "core/app/launch/fabrics/fabric_comparison.h"
#include "core/app/launch/fabrics/fabric_files.h"
#include "core/app/launch/sweep/sweep_launch.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/views/results/page.h"
#include "core/app/views/workload/workload_arguments.h"
#include "core/base/check.h"
#include "io/input/text_file.h"
#include "io/simai/workload_text.h"

namespace heddle {
namespace {

/// The file that `heddle workload` writes for these arguments.
std::string StepText(const std::vector<std::string>& arguments) {
  WorkloadArguments given;
  ParseWorkloadArguments(arguments, &given);
  const StepPlan plan = PlanOf(given, RequestOf(given));
  return WorkloadText(MakeStepWorkload(plan.shape, plan.parallel, plan.speed),
                      WorkloadCommandText(arguments));
}

/// Throws FileError if files of the demo exist and the folder is not a demo's. It is one if its
/// step is the demo's; then CompareFabrics() looks at the other files.
void CheckFolder(const DemoPlan& plan, const std::string& step_text,
                 const std::vector<std::string>& files, bool force) {
  std::error_code ignored;
  const bool own =
      std::filesystem::is_regular_file(plan.step, ignored) && ReadTextFile(plan.step) == step_text;
  std::vector<OutputFile> outputs = {{"-o", plan.step}};
  for (const std::string& file : files) outputs.push_back({"-o", file});
  CheckOutputs(outputs, {}, force || own);
}

/// A chapter of the installed guide, or of the tree that this program was built in; empty if
/// neither is there.
std::string FindGuide() {
  const std::filesystem::path folder = std::filesystem::path(OwnPath()).parent_path();
  for (const char* place : {"../share/doc/heddle/guide", "../../docs/guide"}) {
    const std::filesystem::path page =
        (folder / place / "05-comparing-fabrics.md").lexically_normal();
    std::error_code ignored;
    if (std::filesystem::is_regular_file(page, ignored)) return page.string();
  }
  return "";
}

}  // namespace

int DemoCommand(const std::vector<std::string>& arguments) {
  DemoArguments given;
  if (!ParseDemoArguments(arguments, &given)) return 0;
  CheckProcesses("heddle compare-fabrics --ranks", 1, 1, FindLaunchPlace());
  RequireCharts();
  const DemoPlan plan = MakeDemoPlan(given);
  FabricArguments compared;
  ParseFabricArguments(plan.comparison, &compared);
  const std::vector<ComparedFabric> fabrics = ChooseFabrics(compared);
  const std::string step_text = StepText(plan.workload);
  std::error_code error;
  std::filesystem::create_directories(given.folder, error);
  if (error) throw FileError(Printable(given.folder) + ": cannot be made: " + error.message());
  CheckFolder(plan, step_text, FilesOfComparison(compared, fabrics), given.force);
  WriteText(plan.step, step_text);
  PrintText(DemoHead(plan));
  const Comparison made = CompareFabrics(compared, fabrics);
  if (made.code == 0) PrintText(DemoNext(plan, made, FindGuide()));
  return made.code;
}

}  // namespace heddle
