// SPDX-License-Identifier: GPL-2.0-only
/// Starts the runs of a sweep: as processes here, or as an array of Slurm's.
#ifndef HEDDLE_CORE_APP_SWEEP_SWEEP_LAUNCH_H_
#define HEDDLE_CORE_APP_SWEEP_SWEEP_LAUNCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/app/sweep/sweep_runs.h"

namespace heddle {

struct LaunchPlan {
  std::vector<SweepRun> runs;  ///< those to start, in this order
  std::uint32_t ranks = 1;     ///< processes a run
  std::uint32_t jobs = 1;      ///< runs at a time
  std::vector<std::string>
      launcher;      ///< "mpirun --oversubscribe"; empty: mpirun, where a run has several ranks
  bool logs = true;  ///< each run's output goes to RESULT without .h5, with .log; otherwise here
};

/// What starts one run: launcher, this program, its words.
std::vector<std::string> CommandOf(const LaunchPlan& plan, const SweepRun& run);

/// Runs them; a line for each that ends. SIGUSR1, SIGUSR2 and SIGTERM, which ask for a checkpoint
/// or an end, go on to what runs; after the latter two, or SIGINT, nothing more is started. Returns
/// the exit code of the first run that did not end with 0, or 0. Throws FileError if a process
/// cannot be started.
int LaunchLocal(const LaunchPlan& plan);

/// Rows as Slurm writes the tasks of an array: {0, 1, 2, 5} is "0-2,5". `rows` ascend.
std::string ArrayText(const std::vector<std::size_t>& rows);

/// The path of slurm/sweep.sbatch beside this program: of an installation, or of a build. Throws
/// FileError if there is none.
std::string FindSweepScript();

/// Becomes `words`, found by PATH. Throws FileError if that fails.
[[noreturn]] void BecomeProcess(const std::vector<std::string>& words);

/// This program's file.
std::string OwnPath();

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_SWEEP_SWEEP_LAUNCH_H_
