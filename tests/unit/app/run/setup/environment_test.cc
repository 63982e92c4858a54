// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/setup/environment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/app/run/setup/all_options.h"

namespace heddle {
namespace {

using Lines = std::vector<std::string>;

/// The variables that `heddle explain` lists for an option must be those that set it.
TEST(Environment, OptionsNameTheVariablesThatSetThem) {
  const AllOptions all;
  std::map<std::string, std::set<std::string>> declared, applied;
  for (const Option& option : all.options.options()) {
    for (const std::string& variable : option.variables) declared[option.key].insert(variable);
  }
  for (const EnvironmentFamily& family : EnvironmentFamilies()) {
    for (const EnvironmentVariable& variable : family.variables) {
      for (const std::string& key : variable.keys) {
        EXPECT_TRUE(all.options.Knows(key)) << variable.name << " sets " << key;
        applied[key].insert(variable.name);
      }
    }
  }
  EXPECT_EQ(declared, applied);
  EXPECT_FALSE(applied.empty());
}

/// The lines are part of a checkpoint's identity, so their text and order must not change.
TEST(Environment, EchoesSimaiThenTheControllerThenNccl) {
  AllOptions all;
  Lines echo, warnings;
  ApplyEnvironment({{"AS_NVLS_ENABLE", "1"},
                    {"AS_SEND_LAT", "2"},
                    {"AS_SENDLAT", "2"},
                    {"CC_ENABLE", "1"},
                    {"CC_LOG_FILE", ""},
                    {"NCCL_ALGO", "Tree"},
                    {"NCCL_DEBUG", "INFO"},
                    {"NCCL_NVLS_ENABLE", "0"},
                    {"NCCL_PXN_DISABLE", "0"},
                    {"TRACE_INJECT_FILE", "t.csv"}},
                   &all.options, &echo, &warnings);
  EXPECT_EQ(echo,
            (Lines{"AS_NVLS_ENABLE=1", "AS_SEND_LAT=2", "CC_ENABLE=1", "TRACE_INJECT_FILE=t.csv",
                   "NCCL_ALGO=Tree: algorithm.allreduce=tree algorithm.allgather=auto "
                   "algorithm.reducescatter=auto",
                   "NCCL_PXN_DISABLE=0: collective.pxn=true",
                   "NCCL_NVLS_ENABLE=0: collective.nvls=false"}));
  EXPECT_EQ(warnings, Lines{"environment variable AS_SENDLAT is none of SimAI's; the nearest is "
                            "AS_SEND_LAT"});
  EXPECT_EQ(all.transport.send_latency, MicroSeconds(2));
  EXPECT_EQ(all.collectives.send_latency, MicroSeconds(2));
  EXPECT_TRUE(all.transport.controller.enabled);
  EXPECT_FALSE(all.collectives.nvls) << "NCCL's has the last word";
  Lines set;
  for (const Option& option : all.options.options()) {
    if (option.set_by_user) set.push_back(option.key);
  }
  std::sort(set.begin(), set.end());
  EXPECT_EQ(set, (Lines{"algorithm.allreduce", "collective.nvls", "collective.pxn",
                        "controller.enable", "flow.send_latency"}));
}

TEST(Environment, KnowsWhichLinesSayWhereAFileIs) {
  EXPECT_TRUE(SaysWhereAFileIs("CC_LOG_FILE=paths.csv"));
  EXPECT_TRUE(SaysWhereAFileIs("TRACE_INJECT_FILE=t.csv"));
  EXPECT_FALSE(SaysWhereAFileIs("CC_ENABLE=1"));
  EXPECT_FALSE(SaysWhereAFileIs("NCCL_ALGO=Tree: algorithm.allreduce=tree"));
}

}  // namespace
}  // namespace heddle
