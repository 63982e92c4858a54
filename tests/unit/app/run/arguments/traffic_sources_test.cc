// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/arguments/traffic_sources.h"

#include <gtest/gtest.h>

#include "core/app/run/arguments/input_files.h"
#include "core/base/check.h"

namespace heddle {
namespace {

std::string Refusal(RunArguments run, const Environment& environment = {}) {
  try {
    ResolveTraffic(environment, &run);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(ResolveTraffic, WantsOneSource) {
  RunArguments run;
  EXPECT_EQ(Refusal(run),
            "heddle run needs traffic: one of -w WORKLOAD, --job workload=FILE,..., --chakra "
            "PREFIX, --nccl-log PATH, --trace "
            "FILE.csv, --flows FILE.txt, --goal FILE and --serve FILE.toml");
  run.workload = "w.txt";
  EXPECT_EQ(Refusal(run), "");
  run.flows = "f.txt";
  EXPECT_EQ(Refusal(run),
            "--flows and -w were both given. Expected: one of them (several jobs: --job for each)");
  run.workload.clear();
  run.passes = 2;
  EXPECT_EQ(Refusal(run),
            "--passes: counts the iterations of -w. Expected: -w, or passes= in --job");
}

TEST(ResolveTraffic, TakesTheTraceOfTheEnvironment) {
  RunArguments run;
  ResolveTraffic({{"TRACE_INJECT_FILE", "t.csv"}}, &run);
  EXPECT_EQ(run.trace, "t.csv");
  EXPECT_STREQ(SourceOf(run).flag, "--trace");
  EXPECT_EQ(Refusal(run), "");
  EXPECT_EQ(Refusal(run, {{"TRACE_INJECT_FILE", ""}}), "") << "empty is as good as not set";
  EXPECT_EQ(Refusal(run, {{"TRACE_INJECT_FILE", "t.csv"}}),
            "--trace and TRACE_INJECT_FILE were both given. Expected: one of them");
  RunArguments other;
  other.workload = "w.txt";
  EXPECT_EQ(Refusal(other, {{"TRACE_INJECT_FILE", "t.csv"}}),
            "TRACE_INJECT_FILE and -w were both given. Expected: one of them (several jobs: --job "
            "for each)");
}

TEST(InputFiles, AreInTheOrderOfTheAttributes) {
  RunArguments run;
  run.topology = "fabric.txt";
  run.jobs = {"workload=a.txt,gpus=0-3", "workload=b.txt"};
  run.conf = "SimAI.conf";
  run.failures = "f.csv";
  run.weights = "p.json";
  std::string text;
  for (const InputFile& file : InputFiles(run))
    text += file.flag + " " + file.path + " " + file.digest + "\n";
  EXPECT_EQ(text,
            "-n fabric.txt topology_digest\n"
            "--job a.txt job 0 workload_digest\n"
            "--job b.txt job 1 workload_digest\n"
            "-c SimAI.conf conf_digest\n"
            "--failures f.csv failures_digest\n"
            "--weights p.json \n");
}

}  // namespace
}  // namespace heddle
