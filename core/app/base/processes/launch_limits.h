// SPDX-License-Identifier: GPL-2.0-only
/// How many processes a command may start on this machine. A number that was typed wrong must not
/// fill its memory and its table of processes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Processes for each core. Ranks that wait for each other share a core, but each has its own
/// engine, and memory of some 50 MB.
inline constexpr std::uint32_t kRanksPerCore = 8;

/// Where processes go.
struct LaunchPlace {
  std::uint32_t cores = 1;  ///< of this machine
  /// Whether others may take a part: an allocation of a batch system, a list of hosts, or another
  /// launcher than mpirun. Then this machine's cores bound nothing.
  bool several_machines = false;
  std::uint32_t own_ranks = 1;  ///< processes of this command that a launcher has started

  /// Returns the most processes at a time; 0: no limit.
  std::uint64_t most() const { return several_machines ? 0 : std::uint64_t{kRanksPerCore} * cores; }
};

/// Finds the place for a launcher's words; none: mpirun. Reads the number of cores and the
/// environment.
LaunchPlace FindLaunchPlace(const std::vector<std::string>& launcher = {});

/// Throws UsageError if `jobs` runs of `ranks` processes each are more than `place` has room for,
/// or if the command that starts them runs several times itself, under mpirun. `flag`: what set the
/// ranks, such as "--ranks".
void CheckProcesses(const std::string& flag, std::uint32_t ranks, std::uint64_t jobs,
                    const LaunchPlace& place);

}  // namespace heddle
