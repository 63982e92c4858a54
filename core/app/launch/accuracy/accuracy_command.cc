// SPDX-License-Identifier: GPL-2.0-only
/// `heddle accuracy`: the same workloads on the same fabrics with several backends, and how far
/// they are from the first.
#include <filesystem>
#include <set>
#include <system_error>
#include <variant>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/app/launch/accuracy/accuracy_arguments.h"
#include "core/app/launch/accuracy/accuracy_text.h"
#include "core/app/launch/sweep/sweep_launch.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/base/check.h"
#include "core/base/printable.h"

namespace heddle {
namespace {

/// A number among the attributes of a result's run; 0 if it has none.
double NumberOf(const ResultReader& result, const std::string& group, const std::string& name) {
  for (const Attribute& attribute : result.ReadAttributes(group)) {
    if (attribute.name != name) continue;
    if (const auto* real = std::get_if<double>(&attribute.value)) return *real;
    if (const auto* whole = std::get_if<std::int64_t>(&attribute.value))
      return static_cast<double>(*whole);
  }
  return 0;
}

double SecondsOf(const ResultReader& result) {
  return NumberOf(result, "run", "setup_seconds") + NumberOf(result, "run", "run_seconds");
}

/// Throws UsageError for two inputs whose results would have one name.
std::vector<SweepRun> AllRuns(const AccuracyArguments& given,
                              const std::vector<std::string>& backends) {
  std::vector<SweepRun> runs;
  std::set<std::string> names;
  for (const std::string& fabric : given.fabrics) {
    for (const std::string& workload : given.workloads) {
      for (const std::string& backend : backends) {
        runs.push_back(RunOf(given, fabric, workload, backend));
        if (names.insert(runs.back().name).second) continue;
        throw UsageError("two runs have the name " + Printable(runs.back().name) +
                         ". Expected: files with different names");
      }
    }
  }
  return runs;
}

/// Runs what has no complete result. Returns the first exit code that is not 0.
int Launch(const AccuracyArguments& given, const std::vector<SweepRun>& runs) {
  std::error_code error;
  std::filesystem::create_directories(given.folder, error);
  if (error) throw FileError(Printable(given.folder) + ": cannot be made: " + error.message());
  LaunchPlan plan;
  plan.logs = true;
  plan.json = given.json;
  plan.faster = "fewer layers (heddle workload --layers N --scale), fewer GPUs";
  for (const SweepRun& run : runs) {
    if (given.force || !IsDone(run)) {
      plan.runs.push_back(run);
    } else if (const std::string change = FindChange(run); !change.empty()) {
      throw FileError(Printable(run.result) + ": the result " + change +
                      ". Expected: the same inputs, --force to run again, or another -o");
    }
  }
  return plan.runs.empty() ? 0 : LaunchLocal(plan);
}

/// `runs`: in the order of AllRuns().
void Compare(const AccuracyArguments& given, const std::vector<std::string>& backends,
             const std::vector<SweepRun>& runs) {
  std::string csv = AccuracyHeader();
  std::vector<ComparedRuns> all;  // of the object
  std::size_t at = 0;
  for (const std::string& fabric : given.fabrics) {
    for (const std::string& workload : given.workloads) {
      const ResultReader reference(runs[at].result);
      for (std::size_t i = 1; i < backends.size(); ++i) {
        const ResultReader other(runs[at + i].result);
        const ComparedRuns compared{fabric,
                                    workload,
                                    backends[0],
                                    backends[i],
                                    SecondsOf(reference),
                                    SecondsOf(other),
                                    NumberOf(reference, "/", "packet_hops"),
                                    AccuracyOf(reference, other)};
        if (given.json) {
          all.push_back(compared);
        } else {
          PrintText(AccuracyText(compared));
        }
        csv += AccuracyLines(compared);
      }
      at += backends.size();
    }
  }
  if (!given.csv.empty()) WriteText(given.csv, csv);
  if (given.json) PrintJson(AccuracyDocument(all));
}

}  // namespace

int AccuracyCommand(const std::vector<std::string>& arguments) {
  AccuracyArguments given;
  CLI::App app(
      "Run workloads on fabrics with several backends, and say how far they are from the first.",
      "accuracy");
  AddArguments(&app, &given);
  app.footer(
      "Examples:\n"
      "  heddle accuracy -n fabric.txt -w step.txt\n"
      "  heddle accuracy -n hpn.txt rail.txt -w gpt.txt moe.txt --csv accuracy.csv");
  if (!ParseArguments(&app, arguments)) return 0;
  const std::vector<std::string> backends = BackendsOf(given);
  const std::vector<SweepRun> runs = AllRuns(given, backends);
  std::vector<InputFile> inputs;
  for (const std::string& file : given.fabrics) inputs.push_back({"-n", file});
  for (const std::string& file : given.workloads) inputs.push_back({"-w", file});
  if (!given.calibration.empty()) inputs.push_back({"--calibration", given.calibration});
  CheckJsonAlone(given.json, "--csv", given.csv);
  CheckOutputs({{"--csv", given.csv}}, inputs, given.force);
  const int code = Launch(given, runs);
  if (code == 0) Compare(given, backends, runs);
  return code;
}

}  // namespace heddle
