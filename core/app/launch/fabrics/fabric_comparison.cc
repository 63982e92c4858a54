// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/fabrics/fabric_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <thread>

#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/terminal.h"
#include "core/app/base/processes/launch_limits.h"
#include "core/app/launch/fabrics/fabric_json.h"
#include "core/app/launch/sweep/run_check.h"
#include "core/app/launch/sweep/sweep_launch.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/views/results/page.h"
#include "core/base/check.h"
#include "core/base/printable.h"
#include "io/input/text_file.h"

namespace heddle {
namespace {

constexpr const char* kPage = "report.html";
constexpr const char* kCollective = "collective.txt";

std::string InFolder(const FabricArguments& given, const std::string& name) {
  return (std::filesystem::path(given.folder) / name).string();
}

/// Writes a file of this command, unless it is there with the same text. Throws FileError for one
/// with another text, unless --force.
void WriteInput(const std::string& path, const std::string& text,
                const std::vector<InputFile>& inputs, bool force) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && ReadTextFile(path) == text) return;
  CheckOutputs({{"-o", path}}, inputs, force);
  WriteText(path, text);
}

SweepRun RunOf(const FabricArguments& given, const ComparedFabric& fabric,
               const std::string& workload) {
  SweepRun run;
  run.name = fabric.name;
  run.result = InFolder(given, fabric.name + ".h5");
  run.words = {"-n", fabric.file, "-w", workload, "-o", run.result};
  // What the reasons are read from: time lines, and rows of all flows as far as memory allows.
  for (const char* kept : {"timeline=all", "flows=auto:4000000"})
    run.words.insert(run.words.end(), {"--record", kept});
  run.words.insert(run.words.end(), given.run_flags.begin(), given.run_flags.end());
  const bool own_restart =
      std::any_of(given.run_flags.begin(), given.run_flags.end(),
                  [](const std::string& flag) { return flag.rfind("--restart", 0) == 0; });
  if (given.force) {
    run.words.emplace_back("--force");
  } else if (!own_restart) {  // a comparison that was stopped goes on
    run.words.insert(run.words.end(), {"--restart", "auto"});
  }
  return run;
}

/// Throws the Error with which a run that has no result would end. `collective`: of the workload
/// that is not there yet; its path is empty if there is one.
void CheckInputs(const FabricArguments& given, const std::vector<ComparedFabric>& fabrics,
                 const FutureFile& collective) {
  CheckFolder(given.folder);
  for (const ComparedFabric& fabric : fabrics) {
    const SweepRun run =
        RunOf(given, fabric, collective.path.empty() ? given.workload : collective.path);
    if (!given.force && IsDone(run)) continue;
    std::vector<FutureFile> future;
    if (!fabric.text.empty()) future.push_back({fabric.file, fabric.text});
    if (!collective.path.empty()) future.push_back(collective);
    CheckRun(run.words, given.ranks, future);
  }
}

/// What takes less time than runs with these flags.
std::string FasterThan(const std::vector<std::string>& run_flags) {
  const auto names = [&](const char* backend) {
    for (std::size_t i = 0; i < run_flags.size(); ++i) {
      if (run_flags[i] == std::string("--backend=") + backend) return true;
      if (run_flags[i] == backend && i > 0 && run_flags[i - 1] == "--backend") return true;
    }
    return false;
  };
  std::string text;
  if (!names("flow") && !names("analytical"))
    text = "-- --backend flow (messages as fluids, with collisions and DCQCN: seconds), ";
  if (!names("analytical")) text += "-- --backend analytical (closed forms, no queues), ";
  return text + "fewer layers (heddle workload --layers N --scale), more ranks (--ranks)";
}

/// Runs what has no complete result. Returns the first exit code that is not 0.
int Launch(const FabricArguments& given, const std::vector<SweepRun>& runs) {
  LaunchPlan plan;
  plan.ranks = given.ranks;
  plan.json = given.json;
  plan.faster = FasterThan(given.run_flags);
  const std::uint32_t cores = std::max(1U, std::thread::hardware_concurrency());
  plan.jobs = given.jobs > 0 ? given.jobs : std::max(1U, cores / given.ranks);
  for (const SweepRun& run : runs) {
    if (given.force || !IsDone(run)) {
      plan.runs.push_back(run);
    } else if (const std::string change = FindChange(run); !change.empty()) {
      throw FileError(Printable(run.result) + ": the result " + change +
                      ". Expected: the same inputs, --force to run again, or another -o");
    }
  }
  CheckProcesses("--ranks", plan.ranks, std::min<std::uint64_t>(plan.jobs, plan.runs.size()),
                 FindLaunchPlace());
  return plan.runs.empty() ? 0 : LaunchLocal(plan);
}

/// Why the causes are not those of single messages; empty: they are.
std::string WhyNoMessages(const std::vector<FabricResult>& results) {
  for (const FabricResult& result : results) {
    if (result.figures.backend == "analytical") {
      return "closed forms know no queues and no collisions: they say what a fabric can reach, and "
             "packets (without --backend) what hashes leave of it";
    }
    if (!result.figures.why.has_messages) {
      return "there are more than 4 million flows, whose rows were not kept: so collectives are "
             "not taken apart; -- --record flows=all keeps them";
    }
  }
  return "";
}

Comparison Describe(const FabricArguments& given, const std::vector<ComparedFabric>& fabrics,
                    const std::vector<SweepRun>& runs) {
  Comparison made;
  for (std::size_t i = 0; i < fabrics.size(); ++i)
    made.results.push_back({fabrics[i], ReadFabricFigures(runs[i].result), runs[i].result});
  std::string text = "\n" + FabricTable(made.results, WantsColours(1)) + "\n";
  for (const std::string& verdict : Verdicts(made.results)) text += verdict + "\n";
  std::vector<std::string> notes;
  if (std::string why = WhyNoMessages(made.results); !why.empty()) notes.push_back(std::move(why));
  for (const std::string& note : notes) text += "note: " + note + "\n";
  if (!given.json) PrintText(text);
  ReportRequest request;
  for (const SweepRun& run : runs) request.results.push_back(run.result);
  request.findings = Verdicts(made.results);
  made.page = InFolder(given, kPage);
  WritePage(request, made.page);
  if (given.json) {
    PrintJson(FabricsJson(made.results, notes, made.page));
  } else {
    PrintText(fmt::format("page: {}\n", Printable(made.page)));
  }
  return made;
}

}  // namespace

std::vector<std::string> FilesOfComparison(const FabricArguments& given,
                                           const std::vector<ComparedFabric>& fabrics) {
  std::vector<std::string> files;
  for (const ComparedFabric& fabric : fabrics) {
    if (!fabric.text.empty()) files.push_back(fabric.file);
    for (const char* end : {".h5", ".log"}) files.push_back(InFolder(given, fabric.name + end));
  }
  if (given.workload.empty()) files.push_back(InFolder(given, kCollective));
  files.push_back(InFolder(given, kPage));
  return files;
}

Comparison CompareFabrics(const FabricArguments& given,
                          const std::vector<ComparedFabric>& fabrics) {
  RequireCharts();
  FutureFile collective;
  if (given.workload.empty()) {
    collective = {InFolder(given, kCollective),
                  CollectiveWorkload(given.collective, ParseSizes(given.sizes))};
  }
  CheckInputs(given, fabrics, collective);
  std::error_code error;
  std::filesystem::create_directories(given.folder, error);
  if (error) throw FileError(Printable(given.folder) + ": cannot be made: " + error.message());
  std::vector<InputFile> inputs = {{"-w", given.workload}};
  for (const ComparedFabric& fabric : fabrics) {
    if (fabric.text.empty()) inputs.push_back({"FABRIC", fabric.file});
  }
  std::string workload = given.workload;
  if (workload.empty()) {
    workload = collective.path;
    WriteInput(workload, collective.text, inputs, given.force);
  }
  std::vector<SweepRun> runs;
  for (const ComparedFabric& fabric : fabrics) {
    for (const std::string& note : fabric.notes)
      std::fprintf(stderr, "heddle: note: %s: %s\n", Printable(fabric.name).c_str(),
                   PrintableLines(note).c_str());
    if (!fabric.text.empty()) WriteInput(fabric.file, fabric.text, inputs, given.force);
    runs.push_back(RunOf(given, fabric, workload));
  }
  // The page is this command's own if a result is.
  const bool again = std::any_of(runs.begin(), runs.end(), IsDone);
  CheckOutputs({{"-o", InFolder(given, kPage)}}, inputs, given.force || again);
  const int code = Launch(given, runs);
  return code == 0 ? Describe(given, fabrics, runs) : Comparison{code, {}, ""};
}

}  // namespace heddle
