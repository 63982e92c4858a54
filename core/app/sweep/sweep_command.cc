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

#include "core/app/arguments/output_conflicts.h"
#include "core/app/cli/commands.h"
#include "core/app/cli/output_text.h"
#include "core/app/cli/parse_arguments.h"
#include "core/app/cli/terminal.h"
#include "core/app/results/page.h"
#include "core/app/sweep/launch_limits.h"
#include "core/app/sweep/run_check.h"
#include "core/app/sweep/run_log.h"
#include "core/app/sweep/shell_line.h"
#include "core/app/sweep/sweep_launch.h"
#include "core/app/sweep/sweep_runs.h"
#include "core/app/sweep_table/sweep_table.h"
#include "core/base/printable.h"
#include "io/analysis/sweep_figures.h"
#include "io/report/report.h"
#include "io/table/csv_field.h"

namespace heddle {
namespace {

struct SweepArguments {
  std::string table, launcher, script;
  std::vector<std::string> sbatch, figures;
  std::optional<std::size_t> row;
  std::optional<std::uint32_t> ranks;
  std::uint32_t jobs = 0;  ///< 0: not given
  bool dry_run = false, local = false, slurm = false, collect = false, force = false;
};

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
    if (plan_.logs) CheckInputs(false);
    return LaunchLocal(plan_);
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

  /// Writes OUTPUT/table.csv, and OUTPUT/report.html if the program can draw charts.
  int Collect() const {
    const std::vector<std::size_t> missing = Missing();
    std::string text = "run";
    for (const SweepAxis& axis : table_.axes) text += "," + CsvField(axis.key);
    text += ",state," + FiguresHeader() + "\n";
    std::vector<std::size_t> done;
    for (std::size_t row = 0; row < runs_.size(); ++row) {
      const SweepRun& run = runs_[row];
      text += CsvField(run.name);
      for (const std::string& value : run.values) text += "," + CsvField(value);
      const bool is_done = !std::binary_search(missing.begin(), missing.end(), row);
      text += is_done ? ",done," + FiguresLine(ResultReader(run.result)) + "\n"
                      : ",missing," + NoFigures() + "\n";
      if (is_done) done.push_back(row);
    }
    if (done.empty())
      throw UserError(arguments_.table +
                      ": no run is complete. Expected: heddle sweep --local or --slurm before");
    const std::string csv = (std::filesystem::path(table_.output) / "table.csv").string();
    CheckCollected(csv);
    WriteText(csv, text);
    PrintText(fmt::format("{}: {} of {} runs\n", csv, done.size(), runs_.size()));
    Report(done);
    return 0;
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
  void Report(const std::vector<std::size_t>& done) const {
    const std::size_t shown = std::min(done.size(), kMostSweptRuns);
    ReportRequest request;
    request.title = std::filesystem::path(arguments_.table).stem().string();
    SweptRuns& sweep = request.sweep.emplace();
    for (const SweepAxis& axis : table_.axes) sweep.axes.push_back(axis.key);
    for (std::size_t i = 0; i < shown; ++i) {
      request.results.push_back(runs_[done[i]].result);
      sweep.values.push_back(runs_[done[i]].values);
    }
    try {
      WritePage(std::move(request), PagePath());
    } catch (const FileError& error) {
      std::fprintf(stderr, "heddle: note: no report: %s\n", PrintableLines(error.what()).c_str());
      return;
    }
    PrintText(
        fmt::format("{}: {} runs{}\n", PagePath(), shown,
                    shown < done.size() ? ", the first of the table; a page has no more" : ""));
  }

  const SweepArguments& arguments_;
  const SweepTable table_;
  std::vector<SweepRun> runs_;
  LaunchPlan plan_;
};

void CheckModes(const SweepArguments& arguments) {
  const int modes = static_cast<int>(arguments.dry_run) + static_cast<int>(arguments.local) +
                    static_cast<int>(arguments.slurm) + static_cast<int>(arguments.collect);
  if (!arguments.figures.empty()) {
    if (modes == 0 && arguments.table.empty()) return;
    throw UsageError("--figures needs no table. Expected: heddle sweep --figures RESULT.h5 ...");
  }
  if (arguments.table.empty())
    throw UsageError("no table. Expected: heddle sweep TABLE.toml --dry-run");
  if (modes != 1)
    throw UsageError("heddle sweep needs one of --dry-run, --local, --slurm and --collect");
  if (arguments.row && (arguments.slurm || arguments.collect))
    throw UsageError("--row chooses a run for --local and --dry-run");
}

int PrintFigures(const std::vector<std::string>& results) {
  std::string text = "result," + FiguresHeader() + "\n";
  for (const std::string& result : results)
    text += CsvField(result) + "," + FiguresLine(ResultReader(result)) + "\n";
  WriteText("-", text);
  return 0;
}

}  // namespace

int SweepCommand(const std::vector<std::string>& arguments) {
  SweepArguments given;
  CLI::App app(
      "Run every combination of what a table varies (TOML; docs/formats/sweep.md), and collect the "
      "results.",
      "sweep");
  app.add_option("TABLE", given.table, "what is run and what is varied")->type_name("FILE");
  const char* work = "What to do";
  app.add_flag("--dry-run", given.dry_run, "list the runs and their commands")->group(work);
  app.add_flag("--local", given.local, "do here what is not complete yet")->group(work);
  app.add_flag("--slurm", given.slurm, "send what is not complete yet as an array of jobs")
      ->group(work);
  app.add_flag("--collect", given.collect, "make table.csv and report.html of the results")
      ->group(work);
  app.add_option("--figures", given.figures, "print the key figures of these results as CSV")
      ->type_name("FILE")
      ->group(work);
  app.add_option("--jobs", given.jobs,
                 "runs at a time (--local: default 1; --slurm: default no limit)")
      ->check(WholeNumber(1, 100'000))
      ->type_name("NUMBER");
  app.add_option("--row", given.row,
                 "only the run with this number, with its output here (--local, --dry-run)")
      ->type_name("NUMBER");
  app.add_option("--ranks", given.ranks, "processes a run, instead of the table's")
      ->check(WholeNumber(1, 1'000'000))
      ->type_name("NUMBER");
  app.add_option("--launcher", given.launcher,
                 "what starts a run's processes, before -n RANKS (default: mpirun for several)")
      ->type_name("WORDS");
  app.add_option("--sbatch", given.sbatch,
                 "--slurm: hand on to sbatch, such as --sbatch=--time=01:00:00; repeatable")
      ->allow_extra_args(false)
      ->type_name("FLAG");
  app.add_option("--script", given.script,
                 "--slurm: the job script (default: the installed sweep.sbatch)")
      ->type_name("FILE");
  app.add_flag("--force", given.force,
               "replace existing files: of --collect, and workloads of what the table said before");
  app.footer(
      Examples({"heddle sweep table.toml --dry-run", "heddle sweep table.toml --local --jobs 2",
                "heddle sweep table.toml --slurm --jobs 8 --sbatch=--time=01:00:00 "
                "--sbatch=--partition=batch",
                "heddle sweep table.toml --collect", "heddle sweep --figures a.h5 b.h5"}));
  if (!ParseArguments(&app, arguments)) return 0;
  CheckModes(given);
  if (!given.figures.empty()) return PrintFigures(given.figures);
  Sweep sweep(given);
  if (given.dry_run) return sweep.DryRun();
  if (given.local) return sweep.Local();
  if (given.slurm) return sweep.Slurm();
  return sweep.Collect();
}

}  // namespace heddle
