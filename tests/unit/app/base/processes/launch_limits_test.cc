// SPDX-License-Identifier: GPL-2.0-only
// Nothing is started here.
#include "core/app/base/processes/launch_limits.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/check.h"

namespace heddle {
namespace {

std::string RefusalOf(std::uint32_t ranks, std::uint64_t jobs, const LaunchPlace& place) {
  try {
    CheckProcesses("--ranks", ranks, jobs, place);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(LaunchLimits, EightProcessesForEachCore) {
  const LaunchPlace two{2, false};
  EXPECT_EQ(RefusalOf(1, 1, two), "accepted");
  EXPECT_EQ(RefusalOf(16, 1, two), "accepted");
  EXPECT_EQ(
      RefusalOf(17, 1, two),
      "--ranks 17: this machine has 2 cores. Expected: at most 16 processes, 8 for each core");
  EXPECT_EQ(RefusalOf(100'000, 1, {1, false}),
            "--ranks 100000: this machine has 1 core. Expected: at most 8 processes, 8 for each "
            "core");
  EXPECT_EQ(RefusalOf(100'000, 1, {16'384, false}), "accepted");
}

TEST(LaunchLimits, CommandsThatStartRunsAreNotStartedByMpirun) {
  EXPECT_EQ(RefusalOf(1, 1, {2, false, 4}),
            "this command starts its runs itself, and mpirun has started it 4 times. Expected: no "
            "mpirun; --ranks 4 gives each run 4 ranks");
}

TEST(LaunchLimits, RunsAtATimeCountTogether) {
  const LaunchPlace two{2, false};
  EXPECT_EQ(RefusalOf(4, 4, two), "accepted");
  EXPECT_EQ(RefusalOf(4, 5, two),
            "5 runs at a time with --ranks 4: 20 processes, and this machine has 2 cores. "
            "Expected: at most 16 processes, 8 for each core");
  EXPECT_EQ(RefusalOf(4'000'000'000, 4'000'000'000, two).substr(0, 10), "4000000000");
}

TEST(LaunchLimits, SeveralMachinesHaveOtherCores) {
  EXPECT_EQ(RefusalOf(100'000, 1, {2, true}), "accepted");
  EXPECT_TRUE(FindLaunchPlace({"srun", "--mpi=pmix"}).several_machines);
  EXPECT_TRUE(FindLaunchPlace({"/usr/bin/mpirun", "--hostfile", "hosts"}).several_machines);
  const bool here = FindLaunchPlace().several_machines;  // within a batch job it is true
  EXPECT_EQ(FindLaunchPlace({"mpirun", "--oversubscribe"}).several_machines, here);
  EXPECT_GE(FindLaunchPlace().cores, 1U);
}

}  // namespace
}  // namespace heddle
