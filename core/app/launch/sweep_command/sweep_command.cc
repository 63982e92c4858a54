// SPDX-License-Identifier: GPL-2.0-only
/// `heddle sweep`: starts many runs from one table, as local processes or as a Slurm array, and
/// collects their results.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/terminal.h"
#include "core/app/base/processes/launch_limits.h"
#include "core/app/base/processes/own_program.h"
#include "core/app/launch/sweep/run_check.h"
#include "core/app/launch/sweep/run_log.h"
#include "core/app/launch/sweep/shell_line.h"
#include "core/app/launch/sweep/sweep_launch.h"
#include "core/app/launch/sweep/sweep_runs.h"
#include "core/app/launch/sweep_command/sweep_arguments.h"
#include "core/app/launch/sweep_command/sweep_json.h"
#include "core/app/launch/sweep_command/sweep_knee.h"
#include "core/app/launch/sweep_command/sweep_page.h"
#include "core/app/launch/sweep_command/sweep_plot.h"
#include "core/app/launch/sweep_command/sweep_results.h"
#include "core/app/launch/sweep_command/sweep_text.h"
#include "core/app/launch/sweep_table/sweep_table.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/views/results/page.h"
#include "core/base/printable.h"
#include "io/analysis/sweep_figures.h"
#include "io/report/report.h"
#include "io/table/csv_field.h"

namespace heddle {
namespace {

std::vector<std::string> WordsOf(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// One sweep, from the table to the requested action.
class Sweep {
 public:
  explicit Sweep(const SweepArguments& arguments)
      : arguments_(arguments), table_(ReadSweepTable(arguments.table)) {
    plan_.ranks = arguments.ranks.value_or(table_.ranks);
    plan_.force = arguments.force;
    plan_.jobs = std::max<std::uint32_t>(arguments.jobs, 1);
    plan_.launcher = WordsOf(arguments.launcher);
    runs_ = ExpandSweep(table_);
    if (arguments.row && *arguments.row >= runs_.size()) {
      throw UsageError(fmt::format("--row {}: {} has {} runs. Expected: 0 to {}", *arguments.row,
                                   arguments.table, runs_.size(), runs_.size() - 1));
    }
  }

  int DryRun() const {
    CheckInputs(true);
    std::string text;
    std::size_t all_done = 0;
    for (std::size_t row = 0; row < runs_.size(); ++row) {
      const bool done = IsDone(runs_[row]);
      all_done += done ? 1 : 0;
      if (!Wanted(row)) continue;
      const std::string change = done ? FindChange(runs_[row]) : "";
      text += fmt::format("{} {}{}\n  {}\n", row, runs_[row].name,
                          !done            ? ""
                          : change.empty() ? " (done)"
                                           : " (done, but it " + change + ")",
                          ShellLine(CommandOf(plan_, runs_[row])));
    }
    PrintText(text + fmt::format("{} runs, {} done\n", runs_.size(), all_done));
    return 0;
  }

  int Local() {
    for (const std::size_t row : Missing()) plan_.runs.push_back(runs_[row]);
    plan_.logs = !arguments_.row;
    if (plan_.runs.empty()) std::printf("nothing to do: every result is complete\n");
    CheckProcesses(arguments_.ranks ? "--ranks" : "ranks", plan_.ranks,
                   std::min<std::uint64_t>(plan_.jobs, plan_.runs.size()),
                   FindLaunchPlace(plan_.launcher));
    if (!plan_.logs) return LaunchLocal(plan_);
    CheckInputs(false);
    const int code = LaunchLocal(plan_);
    const std::vector<SweepResult> results = ReadSweepResults(table_, runs_);
    const std::string text = SweepText(table_, runs_, results);
    if (text.empty()) return code;
    PrintText(text);
    PrintText(fmt::format("heddle sweep {} --collect writes table.csv and a page{}\n",
                          ShellLine({arguments_.table}), PlotHint(table_, runs_, results)));
    return code;
  }

  /// Writes workloads here, once, because the array's tasks may all start at the same time.
  int Slurm() const {
    const std::vector<std::size_t> missing = Missing();
    if (missing.empty()) {
      std::printf("nothing to do: every result is complete\n");
      return 0;
    }
    CheckInputs(true);
    for (const std::size_t row : missing) WriteInputs(runs_[row], arguments_.force);
    std::vector<std::string> words = {
        "sbatch",
        "--array=" + ArrayText(missing) +
            (arguments_.jobs == 0 ? "" : fmt::format("%{}", arguments_.jobs)),
        fmt::format("--ntasks={}", plan_.ranks),
        "--job-name=" + std::filesystem::path(arguments_.table).stem().string(),
        "--output=" + (std::filesystem::path(table_.output) / "%x-%A_%a.log").string()};
    words.insert(words.end(), arguments_.sbatch.begin(), arguments_.sbatch.end());
    words.push_back(arguments_.script.empty() ? FindSweepScript() : arguments_.script);
    words.push_back(arguments_.table);
    if (std::getenv("HEDDLE") == nullptr) setenv("HEDDLE", OwnPath().c_str(), 1);
    PrintText(ShellLine(words) + "\n");
    BecomeProcess(words);
  }

  /// Writes OUTPUT/table.csv, and OUTPUT/report.html if the program can draw charts; prints the
  /// table. Returns 0, or kDifferent if runs failed.
  int Collect() const {
    Missing();  // refuses results of another table
    const std::vector<SweepResult> results = ReadSweepResults(table_, runs_);
    const std::string failures = FailureText(runs_, results);
    std::vector<std::size_t> done;
    for (std::size_t row = 0; row < runs_.size(); ++row) {
      if (results[row].complete()) done.push_back(row);
    }
    if (done.empty()) {
      throw UserError(fmt::format(
          "{}: no run is complete. Expected: heddle sweep --local or --slurm before{}{}",
          arguments_.table, failures.empty() ? "" : "\n",
          failures.substr(0, failures.rfind('\n'))));
    }
    std::optional<SweepPlot> plot;
    if (!arguments_.plot.figure.empty()) plot = FindPlot(arguments_.plot, table_, runs_);
    const std::string csv = (std::filesystem::path(table_.output) / "table.csv").string();
    CheckCollected(csv);
    WriteText(csv, SweepCsv(table_, runs_, results,
                            MarkKnees(runs_.size(), FindKnees(table_, runs_, results))));
    if (!arguments_.json)
      PrintText(plot ? PlotText(*plot, table_, runs_, results) : SweepText(table_, runs_, results));
    PrintBeside(fmt::format("{}: {} of {} runs\n", csv, done.size(), runs_.size()),
                arguments_.json);
    Report(done, plot ? PlotOfPage(*plot, results, done) : std::optional<SweptPlot>(),
           KneeSentences(table_, runs_, results));
    if (arguments_.json) PrintJson(SweepJson(table_, runs_, results));
    if (failures.empty()) return 0;
    PrintBeside(failures, arguments_.json);
    return static_cast<int>(ExitCode::kDifferent);
  }

 private:
  bool Wanted(std::size_t row) const { return !arguments_.row || *arguments_.row == row; }

  /// Reads the inputs of runs that are not done, as these would, and throws the Error with which
  /// one would end; it names the run. With `warn`, prints what they would warn of.
  void CheckInputs(bool warn) const {
    CheckFolder(table_.output);
    std::vector<SweepRun> runs;
    for (std::size_t row = 0; row < runs_.size(); ++row) {
      if (Wanted(row) && !IsDone(runs_[row])) runs.push_back(runs_[row]);
    }
    WarningCount warnings;
    const std::vector<std::size_t> checked = RunsToCheck(runs);
    for (const std::size_t row : checked) {
      const SweepRun& run = runs[row];
      std::vector<FutureFile> future;
      if (!run.workload_file.empty()) future.push_back({run.workload_file, run.workload_text});
      try {
        warnings.Add(CheckRun(run.words, plan_.ranks, future));
      } catch (const Error& error) {
        throw Error(error.code(), fmt::format("{}: run '{}': {}", arguments_.table,
                                              Printable(run.name), error.what()));
      }
    }
    if (!warn) return;
    for (const std::string& line : warnings.Lines(checked.size())) PrintWarning(line);
  }

  /// The selected runs without a complete result, ascending. Throws UserError for a result of
  /// another table, or of files changed since: it is neither done nor missing, and the user must
  /// decide.
  std::vector<std::size_t> Missing() const {
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < runs_.size(); ++row) {
      if (!Wanted(row)) continue;
      if (!IsDone(runs_[row])) {
        rows.push_back(row);
      } else if (const std::string change = FindChange(runs_[row]); !change.empty()) {
        throw UserError(
            fmt::format("{}: {}, which is not what {} says now. Expected: its results only; delete "
                        "that one, or give the "
                        "table another output",
                        runs_[row].result, change, arguments_.table));
      }
    }
    return rows;
  }

  std::string PagePath() const {
    return (std::filesystem::path(table_.output) / "report.html").string();
  }

  /// Throws for files of --collect that exist, without --force, or are inputs.
  void CheckCollected(const std::string& csv) const {
    const std::vector<OutputFile> outputs = {{"--collect", csv}, {"--collect", PagePath()}};
    std::map<std::string, InputFile> inputs = {{arguments_.table, {"TABLE", arguments_.table}}};
    for (const SweepRun& run : runs_) {
      for (const InputFile& input : InputsOf(run)) inputs.emplace(input.path, input);
    }
    std::vector<InputFile> others;
    for (const auto& [path, input] : inputs) others.push_back(input);
    for (const OutputFile& output : outputs) CheckOutputs({output}, others, arguments_.force);
  }

  /// Writes the page of the results of `done`, which are indices of runs, if the program can draw.
  void Report(const std::vector<std::size_t>& done, std::optional<SweptPlot> plot,
              std::vector<std::string> findings) const {
    const std::size_t shown = std::min(done.size(), kMostSweptRuns);
    ReportRequest request;
    request.findings = std::move(findings);
    request.title = table_.label.empty() ? std::filesystem::path(arguments_.table).stem().string()
                                         : table_.label;
    request.sweep = SweptOf(table_);
    SweptRuns& sweep = *request.sweep;
    if (plot) plot->values.resize(shown);
    sweep.plot = std::move(plot);
    for (std::size_t i = 0; i < shown; ++i) {
      request.results.push_back(runs_[done[i]].result);
      sweep.values.push_back(PageValues(table_, runs_[done[i]]));
    }
    try {
      WritePage(std::move(request), PagePath());
    } catch (const FileError& error) {
      std::fprintf(stderr, "heddle: note: no report: %s\n", PrintableLines(error.what()).c_str());
      return;
    }
    PrintBeside(
        fmt::format("{}: {} runs{}\n", PagePath(), shown,
                    shown < done.size() ? ", the first of the table; a page has no more" : ""),
        arguments_.json);
  }

  const SweepArguments& arguments_;
  const SweepTable table_;
  std::vector<SweepRun> runs_;
  LaunchPlan plan_;
};

int PrintFigures(const SweepArguments& given) {
  if (given.json) {
    PrintJson(FiguresJson(given.figures));
    return 0;
  }
  std::string text = "result," + FiguresHeader() + "\n";
  for (const std::string& result : given.figures)
    text += CsvField(result) + "," + FiguresLine(FiguresOf(ResultReader(result))) + "\n";
  WriteText("-", text);
  return 0;
}

}  // namespace

int SweepCommand(const std::vector<std::string>& arguments) {
  SweepArguments given;
  if (!ParseSweepArguments(arguments, &given)) return 0;
  if (!given.figures.empty()) return PrintFigures(given);
  Sweep sweep(given);
  if (given.dry_run) return sweep.DryRun();
  if (given.local) return sweep.Local();
  if (given.slurm) return sweep.Slurm();
  return sweep.Collect();
}

}  // namespace heddle
