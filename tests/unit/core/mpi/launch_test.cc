// SPDX-License-Identifier: GPL-2.0-only
#include "core/mpi/launch.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace heddle {
namespace {

constexpr const char* kNames[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                  "SLURM_PROCID",         "OMPI_MCA_ess_singleton_isolated",
                                  "OMPI_MCA_pml",         "OMPI_MCA_btl"};

std::string ValueOf(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "unset" : value;
}

/// Without all variables that matter; the test programs themselves may be under a launcher.
class Launch : public ::testing::Test {
 protected:
  Launch() {
    for (const char* name : kNames) unsetenv(name);
  }
};

TEST_F(Launch, RankOfEachLauncher) {
  EXPECT_FALSE(LaunchedRank());
  for (const char* name : {"SLURM_PROCID", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"}) {
    setenv(name, "3", 1);
    EXPECT_EQ(LaunchedRank(), "3") << name;
    unsetenv(name);
  }
}

TEST_F(Launch, ALoneProcessStartsQuicklyAndLeavesNoTrace) {
  {
    const QuickLoneStart quick;
    EXPECT_EQ(ValueOf("OMPI_MCA_ess_singleton_isolated"), "1");
    EXPECT_EQ(ValueOf("OMPI_MCA_btl"), "self");
  }
  for (const char* name : kNames) EXPECT_EQ(ValueOf(name), "unset") << name;
}

TEST_F(Launch, WhatTheUserHasSetStays) {
  setenv("OMPI_MCA_pml", "ucx", 1);
  {
    const QuickLoneStart quick;
    EXPECT_EQ(ValueOf("OMPI_MCA_pml"), "ucx");
  }
  EXPECT_EQ(ValueOf("OMPI_MCA_pml"), "ucx");
}

TEST_F(Launch, RanksOfALauncherLookForTheirNetworks) {
  setenv("PMIX_RANK", "0", 1);
  const QuickLoneStart quick;
  EXPECT_EQ(ValueOf("OMPI_MCA_btl"), "unset");
}

}  // namespace
}  // namespace heddle
