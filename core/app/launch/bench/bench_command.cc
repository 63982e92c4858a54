// SPDX-License-Identifier: GPL-2.0-only
/// `heddle bench`: a collective on a fabric, size by size and algorithm by algorithm, as nccl-tests
/// measure it on machines.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <system_error>
#include <thread>

#include "collectives/schedule/parse_operation.h"
#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/terminal.h"
#include "core/app/base/processes/launch_limits.h"
#include "core/app/launch/bench/bench_alternatives.h"
#include "core/app/launch/bench/bench_arguments.h"
#include "core/app/launch/bench/bench_causes.h"
#include "core/app/launch/bench/bench_table.h"
#include "core/app/launch/fabrics/fabric_arguments.h"
#include "core/app/launch/sweep/run_check.h"
#include "core/app/launch/sweep/sweep_launch.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/views/results/page.h"
#include "core/base/check.h"
#include "core/base/printable.h"
#include "io/analysis/result_view.h"
#include "io/input/file_kind.h"
#include "io/input/nccl_tests_text.h"
#include "io/input/text_file.h"

namespace heddle {
namespace {

std::string PathIn(const BenchArguments& given, const std::string& name) {
  return (std::filesystem::path(given.folder) / name).string();
}

/// What one column is made of.
struct BenchRun {
  std::string algorithm;  ///< empty: the run's own choice
  SweepRun run;
};

BenchRun RunOfBench(const BenchArguments& given, Operation operation, const std::string& algorithm,
                    const std::string& workload) {
  BenchRun made{algorithm, {}};
  made.run.name = algorithm.empty() ? "chosen" : algorithm;
  made.run.result = PathIn(given, made.run.name + ".h5");
  made.run.words = {"-n", given.fabric,    "-w",       workload,
                    "-o", made.run.result, "--record", "flows=none"};
  // Sizes find an idle fabric. The user's own value comes later, and counts.
  made.run.words.insert(made.run.words.end(), {"--set", "collective.window=10s"});
  if (!algorithm.empty())
    made.run.words.insert(made.run.words.end(),
                          {"--set", AlgorithmKey(operation) + "=" + algorithm});
  made.run.words.insert(made.run.words.end(), given.run_flags.begin(), given.run_flags.end());
  const bool own_restart =
      std::any_of(given.run_flags.begin(), given.run_flags.end(),
                  [](const std::string& flag) { return flag.rfind("--restart", 0) == 0; });
  if (given.force) {
    made.run.words.emplace_back("--force");
  } else if (!own_restart) {  // a table that was stopped goes on
    made.run.words.insert(made.run.words.end(), {"--restart", "auto"});
  }
  return made;
}

/// Throws the Error with which all runs would end, or for a log that has no times of `operation`.
void CheckBench(const BenchArguments& given, Operation operation, const FutureFile& workload) {
  CheckFolder(given.folder);
  const std::string algorithm = BenchAlgorithms(given, operation).front();
  // If all algorithms are run, some may be refused.
  const BenchRun run =
      RunOfBench(given, operation, given.algorithms == "all" ? "" : algorithm, workload.path);
  CheckRun(run.run.words, given.ranks, {workload});
  if (given.measured.empty()) return;
  const std::vector<NcclTestsSection> sections =
      ReadAs(FileKind::kNcclTests, given.measured,
             [&given] { return ParseNcclTests(ReadTextFile(given.measured), given.measured); });
  if (std::none_of(sections.begin(), sections.end(), [&](const NcclTestsSection& section) {
        return section.operation == operation || section.operation == Operation::kNone;
      })) {
    FailInput({given.measured, 0},
              fmt::format("times of {}, not of {}", ToText(sections.front().operation),
                          ToText(operation)),
              "what nccl-tests printed of the same operation");
  }
}

using Reasons = std::map<std::string, std::string>;  // by name of the run

/// Runs what has no complete result. Returns the first exit code that is not 0. Of all algorithms,
/// `reasons` gets why some failed.
int LaunchBench(const BenchArguments& given, const std::vector<BenchRun>& runs, Reasons* reasons) {
  LaunchPlan plan;
  plan.ranks = given.ranks;
  plan.json = given.json;
  plan.faster =
      "-- --backend analytical (closed forms, no queues), smaller sizes (-e), more ranks (--ranks)";
  const std::uint32_t cores = std::max(1U, std::thread::hardware_concurrency());
  plan.jobs = given.jobs > 0 ? given.jobs : std::max(1U, cores / given.ranks);
  for (const BenchRun& one : runs) {
    if (given.force || !IsDone(one.run)) {
      plan.runs.push_back(one.run);
    } else if (const std::string change = FindChange(one.run); !change.empty()) {
      throw FileError(Printable(one.run.result) + ": the result " + change +
                      ". Expected: the same inputs, --force to run again, or another -o");
    }
  }
  CheckProcesses("--ranks", plan.ranks, std::min<std::uint64_t>(plan.jobs, plan.runs.size()),
                 FindLaunchPlace());
  return plan.runs.empty() ? 0 : LaunchLocal(plan, given.algorithms == "all" ? reasons : nullptr);
}

/// Leaves out algorithms that the fabric refuses, if all were asked for. Returns whether any is
/// left.
bool DropRefused(Reasons reasons, std::vector<BenchRun>* runs) {
  for (const BenchRun& one : *runs) {
    if (IsDone(one.run)) continue;
    std::fprintf(stderr, "heddle: note: %s is left out: %s\n", one.run.name.c_str(),
                 PrintableLines(reasons[one.run.name]).c_str());
  }
  runs->erase(std::remove_if(runs->begin(), runs->end(),
                             [](const BenchRun& one) { return !IsDone(one.run); }),
              runs->end());
  return !runs->empty();
}

/// What was measured, as a curve of the page.
MeasuredCurve CurveOf(const BenchColumn& column, const std::vector<std::int64_t>& sizes,
                      const std::string& file) {
  MeasuredCurve curve{
      "measured: " + Printable(std::filesystem::path(file).filename().string()), {}, {}};
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    if (!column.cells[s]) continue;
    curve.bytes.push_back(sizes[s]);
    curve.bus_bandwidth.push_back(column.cells[s]->bus_bandwidth);
  }
  return curve;
}

void DescribeBench(const BenchArguments& given, Operation operation,
                   const std::vector<BenchRun>& runs) {
  BenchTable table;
  table.sizes = BenchSizes(given);
  ReportRequest request;
  BenchSurroundings around;
  std::uint32_t ranks = 0;
  for (const BenchRun& one : runs) {
    const ReportSource source(one.run.result);
    const std::vector<KindTimes> kinds = TimesOfKinds(source.reader().ReadTable("collectives"),
                                                      WarmupPasses(source.root()), given.warmups);
    if (!kinds.empty()) ranks = kinds.front().ranks;
    if (!given.measured.empty() && table.simulated.empty())
      around = SurroundingsOf(source, given, operation, table.sizes);
    table.simulated.push_back(SimulatedColumn(one.run.name, kinds, table.sizes));
    request.results.push_back(one.run.result);
  }
  table.operation = ToText(operation);
  table.fabric = given.fabric;
  table.group = given.group;
  table.ranks = ranks;
  if (!given.measured.empty()) {
    table.measured =
        MeasuredColumn(ReadTextFile(given.measured), given.measured, operation, ranks, table.sizes);
  }
  const std::vector<BenchCause> causes = LikelyCauses(table, around);
  const std::string differences = CausesText(table, causes);
  const std::string fastest = FastestText(table), page = PathIn(given, "report.html");
  if (!given.json) {
    PrintText("\n" + BenchText(table) + (fastest.empty() ? "" : "\n" + fastest + "\n") +
              (differences.empty() ? "" : "\n" + differences));
  }
  WriteText(PathIn(given, "bench.csv"), BenchCsv(table));
  request.by_size = true;
  request.title = TitleOf(table);
  if (!fastest.empty()) request.findings.push_back(fastest + ".");
  if (table.measured) request.measured = CurveOf(*table.measured, table.sizes, given.measured);
  WritePage(request, page);
  if (given.json) {
    OrderedJson document = BenchJson(table, page);
    document["causes"] = CausesJson(causes);
    return PrintJson(document);
  }
  PrintText(fmt::format("page: {}\n", Printable(page)));
}

}  // namespace

int BenchCommand(const std::vector<std::string>& arguments) {
  BenchArguments given;
  std::vector<std::string> words = arguments;
  given.run_flags = TakeRunFlags(&words);
  CLI::App app(
      "Run a collective on a fabric, size by size, and print times and bandwidths as nccl-tests "
      "do.\nFlags behind -- are those of heddle run.",
      "bench");
  AddBenchArguments(&app, &given);
  app.footer(
      Examples({"heddle bench allreduce -n fabric.txt -b 1KiB -e 64MiB",
                "heddle bench allreduce -n fabric.txt --algorithms all --group DP",
                "heddle bench alltoall -n fabric.txt --measured nccl.log -- --set CC_MODE=3"}));
  if (!ParseArguments(&app, words)) return 0;
  CheckRunFlags("bench", given.run_flags);
  CheckProcesses("--ranks", given.ranks, 1, FindLaunchPlace());
  const Operation operation = ParseOperation("OPERATION", given.operation);
  CheckColumnNames(given, operation);
  const std::vector<std::string> algorithms = BenchAlgorithms(given, operation);
  const std::string text = BenchWorkload(given, operation);
  RequireCharts();
  std::vector<InputFile> inputs = {{"-n", given.fabric}, {"--measured", given.measured}};
  const std::string workload = PathIn(given, "sizes.txt");
  std::vector<BenchRun> runs;
  for (const std::string& algorithm : algorithms)
    runs.push_back(RunOfBench(given, operation, algorithm, workload));
  CheckBench(given, operation, {workload, text});
  std::error_code error;
  std::filesystem::create_directories(given.folder, error);
  if (error) throw FileError(Printable(given.folder) + ": cannot be made: " + error.message());
  // Page and table are this command's own if a result is.
  const bool again =
      std::any_of(runs.begin(), runs.end(), [](const BenchRun& one) { return IsDone(one.run); });
  CheckOutputs({{"-o", PathIn(given, "report.html")}, {"-o", PathIn(given, "bench.csv")}}, inputs,
               given.force || again);
  if (!std::filesystem::exists(workload, error) || ReadTextFile(workload) != text) {
    CheckOutputs({{"-o", workload}}, inputs, given.force);
    WriteText(workload, text);
  }
  Reasons reasons;
  const int code = LaunchBench(given, runs, &reasons);
  if (code != 0 && !(given.algorithms == "all" && DropRefused(reasons, &runs))) return code;
  DescribeBench(given, operation, runs);
  return 0;
}

}  // namespace heddle
