// SPDX-License-Identifier: GPL-2.0-only
/// How this process was started, known before MPI is: by mpirun or srun, or by itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// Returns the rank that the launcher (mpirun, or srun with or without PMIx) gave this process;
/// none if there is no launcher. A batch script's own commands have Slurm's rank 0.
std::optional<std::string> LaunchedRank();

/// While it lives, MPI starts quickly in a process without a launcher, which has nobody to talk to:
/// Open MPI (4.1) would start a daemon beside it and try every network of the machine, 0.43 s
/// instead of 0.07 (docs/performance.md). Such processes share nothing with each other. Holds Open
/// MPI's parameters (OMPI_MCA_...) in the environment, but none that the user has set, and not
/// where processes started later see them.
class QuickLoneStart {
 public:
  /// Sets the parameters, unless there is a launcher.
  QuickLoneStart();
  /// Removes the parameters that it has set.
  ~QuickLoneStart();
  QuickLoneStart(const QuickLoneStart&) = delete;
  QuickLoneStart& operator=(const QuickLoneStart&) = delete;

 private:
  std::vector<const char*> set_;  ///< names
};

}  // namespace heddle
