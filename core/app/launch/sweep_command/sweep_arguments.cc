// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep_command/sweep_arguments.h"

#include "core/app/base/cli/parse_arguments.h"
#include "core/base/check.h"

namespace heddle {
namespace {

void CheckModes(const SweepArguments& arguments) {
  const int modes = static_cast<int>(arguments.dry_run) + static_cast<int>(arguments.local) +
                    static_cast<int>(arguments.slurm) + static_cast<int>(arguments.collect);
  if (arguments.json && !arguments.collect && arguments.figures.empty())
    throw UsageError("--json is the table of results. Expected: with --collect or --figures");
  if (!arguments.figures.empty()) {
    if (modes == 0 && arguments.table.empty()) return;
    throw UsageError("--figures needs no table. Expected: heddle sweep --figures RESULT.h5 ...");
  }
  if (arguments.table.empty())
    throw UsageError("no table. Expected: heddle sweep TABLE.toml --dry-run");
  const bool has_axes = !arguments.plot.x.empty() || !arguments.plot.by.empty();
  if (has_axes && arguments.plot.figure.empty())
    throw UsageError("--x and --by are axes of --plot. Expected: --plot busbw --x size");
  if (!arguments.plot.figure.empty() && !arguments.collect)
    throw UsageError("--plot draws what was collected. Expected: --collect --plot " +
                     Printable(arguments.plot.figure));
  if (modes != 1)
    throw UsageError("heddle sweep needs one of --dry-run, --local, --slurm and --collect");
  if (arguments.row && (arguments.slurm || arguments.collect))
    throw UsageError("--row chooses a run for --local and --dry-run");
}

void AddSweepArguments(CLI::App* app, SweepArguments* given) {
  app->add_option("TABLE", given->table, "what is run and what is varied")->type_name("FILE");
  const char* work = "What to do";
  app->add_flag("--dry-run", given->dry_run, "list the runs and their commands")->group(work);
  app->add_flag("--local", given->local, "do here what is not complete yet")->group(work);
  app->add_flag("--slurm", given->slurm, "send what is not complete yet as an array of jobs")
      ->group(work);
  app->add_flag("--collect", given->collect,
                "print the table of results, and make table.csv and report.html of it")
      ->group(work);
  app->add_option(
         "--plot", given->plot.figure,
         "--collect: print and draw this figure first: busbw, step, exposed, p99, slowdown, ...")
      ->type_name("FIGURE")
      ->group(work);
  app->add_option("--x", given->plot.x,
                  "--plot: over this key (default: the one with most numbers)")
      ->type_name("KEY")
      ->group(work);
  app->add_option("--by", given->plot.by, "--plot: a curve for each value of this key")
      ->type_name("KEY")
      ->group(work);
  app->add_option("--figures", given->figures, "print the key figures of these results as CSV")
      ->type_name("FILE")
      ->group(work);
  app->add_option("--jobs", given->jobs,
                  "runs at a time (--local: default 1; --slurm: default no limit)")
      ->check(WholeNumber(1, 100'000))
      ->type_name("NUMBER");
  app->add_option("--row", given->row,
                  "only the run with this number, with its output here (--local, --dry-run)")
      ->type_name("NUMBER");
  app->add_option("--ranks", given->ranks, "processes a run, instead of the table's")
      ->check(WholeNumber(1, 1'000'000))
      ->type_name("NUMBER");
  app->add_option("--launcher", given->launcher,
                  "what starts a run's processes, before -n RANKS (default: mpirun for several)")
      ->type_name("WORDS");
  app->add_option("--sbatch", given->sbatch,
                  "--slurm: hand on to sbatch, such as --sbatch=--time=01:00:00; repeatable")
      ->allow_extra_args(false)
      ->type_name("FLAG");
  app->add_option("--script", given->script,
                  "--slurm: the job script (default: the installed sweep.sbatch)")
      ->type_name("FILE");
  app->add_flag(
      "--force", given->force,
      "replace existing files: of --collect, and workloads of what the table said before");
  AddJsonFlag(app, &given->json);
}

}  // namespace

bool ParseSweepArguments(const std::vector<std::string>& arguments, SweepArguments* given) {
  CLI::App app(
      "Run every combination of what a table varies (TOML; docs/formats/sweep.md), and collect the "
      "results.",
      "sweep");
  AddSweepArguments(&app, given);
  app.footer(
      Examples({"heddle sweep table.toml --dry-run", "heddle sweep table.toml --local --jobs 2",
                "heddle sweep table.toml --slurm --jobs 8 --sbatch=--time=01:00:00 "
                "--sbatch=--partition=batch",
                "heddle sweep table.toml --collect",
                "heddle sweep table.toml --collect --plot busbw --x size --by topology",
                "heddle sweep --figures a.h5 b.h5"}));
  if (!ParseArguments(&app, arguments)) return false;
  CheckModes(*given);
  return true;
}

}  // namespace heddle
