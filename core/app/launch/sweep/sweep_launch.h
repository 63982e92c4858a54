// SPDX-License-Identifier: GPL-2.0-only
/// Starts the runs of a sweep: as local processes, or as a Slurm array.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/app/launch/sweep/sweep_runs.h"

namespace heddle {

struct LaunchPlan {
  std::vector<SweepRun> runs;  ///< runs to start, in this order
  std::uint32_t ranks = 1;     ///< processes of each run
  std::uint32_t jobs = 1;      ///< runs at the same time
  /// "mpirun --oversubscribe"; empty: mpirun if a run has several ranks.
  std::vector<std::string> launcher;
  bool force = false;  ///< whether workloads of an earlier table are replaced
  bool logs = true;    ///< whether each run's output goes to RESULT.log (without .h5)
  std::string faster;  ///< what would take less time; said once if a run will take long
  bool json = false;   ///< standard output is for an object: a run's line goes to standard error
};

/// Returns the command line of one run: launcher, this program, its arguments.
std::vector<std::string> CommandOf(const LaunchPlan& plan, const SweepRun& run);

/// Returns the file of a run's output.
std::string LogOf(const SweepRun& run);

/// Executes the runs; says on standard error how long each is expected to take and how far it is
/// (RunWatch); prints a line for each that ends, a reason for each kind of failure, and at
/// the end the runs' warnings, each once. With `reasons` those are not printed, but kept by the
/// run's name. Forwards SIGUSR1, SIGUSR2 and SIGTERM,
/// which ask for a checkpoint or an end, to the running processes; after the latter two, or SIGINT,
/// starts no more runs. The runs end with this process, however it ends
/// (core/system/child_process.h). Returns the exit code of the first run that did not end with 0,
/// or 0. Throws FileError if a process cannot be started.
int LaunchLocal(const LaunchPlan& plan, std::map<std::string, std::string>* reasons = nullptr);

/// Returns rows in Slurm's notation for the tasks of an array: {0, 1, 2, 5} is "0-2,5". `rows`
/// ascend.
std::string ArrayText(const std::vector<std::size_t>& rows);

/// Returns the path of slurm/sweep.sbatch that belongs to this program, installed or in the build
/// tree. Throws FileError if there is none.
std::string FindSweepScript();

}  // namespace heddle
