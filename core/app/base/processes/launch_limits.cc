// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/base/processes/launch_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "core/base/check.h"

namespace heddle {
namespace {

bool IsInAllocation() {
  const auto is_set = [](const char* name) { return std::getenv(name) != nullptr; };
  return is_set("SLURM_JOB_ID") || is_set("PBS_JOBID") || is_set("LSB_JOBID");
}

bool StartsElsewhere(const std::vector<std::string>& launcher) {
  if (launcher.empty()) return false;
  const std::string name = std::filesystem::path(launcher[0]).filename().string();
  if (name != "mpirun" && name != "mpiexec" && name != "orterun") return true;
  return std::any_of(launcher.begin(), launcher.end(), [](const std::string& word) {
    for (const char* flag :
         {"-H", "-host", "--host", "-hostfile", "--hostfile", "-machinefile", "--machinefile"}) {
      if (word == flag) return true;
    }
    return false;
  });
}

}  // namespace

LaunchPlace FindLaunchPlace(const std::vector<std::string>& launcher) {
  const char* size = std::getenv("OMPI_COMM_WORLD_SIZE");
  const unsigned long ranks = size == nullptr ? 1 : std::strtoul(size, nullptr, 10);
  return {std::max(1U, std::thread::hardware_concurrency()),
          IsInAllocation() || StartsElsewhere(launcher),
          static_cast<std::uint32_t>(std::max(ranks, 1UL))};
}

void CheckProcesses(const std::string& flag, std::uint32_t ranks, std::uint64_t jobs,
                    const LaunchPlace& place) {
  if (place.own_ranks > 1) {
    throw UsageError(fmt::format(
        "this command starts its runs itself, and mpirun has started it {0} times. Expected: no "
        "mpirun; {1} {0} gives each run {0} ranks",
        place.own_ranks, flag));
  }
  const std::uint64_t most = place.most(), all = ranks * std::max<std::uint64_t>(jobs, 1);
  if (most == 0 || all <= most) return;
  const std::string found = all == ranks ? fmt::format("{} {}", flag, ranks)
                                         : fmt::format("{} runs at a time with {} {}: {} processes",
                                                       jobs, flag, ranks, all);
  throw UsageError(fmt::format(
      "{}{} this machine has {} core{}. Expected: at most {} processes, {} for each core", found,
      all == ranks ? ":" : ", and", place.cores, place.cores == 1 ? "" : "s", most, kRanksPerCore));
}

}  // namespace heddle
