// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep/run_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/message_of.h"

namespace heddle {
namespace {

using Words = std::vector<std::string>;

const std::string kFabric = HEDDLE_TEST_DATA "/cases/c1_sx32/topo.txt";

/// `heddle run` of a workload that is not written yet.
Words WordsOf(const std::string& fabric) {
  return {"-n", fabric, "-w", "no/sizes.txt", "-o", "no/r.h5"};
}

TEST(RunCheck, ReadsWhatIsNotThereYet) {
  EXPECT_EQ(CheckRun(WordsOf(kFabric), 1, {{"no/sizes.txt", "1 ALLREDUCE 65536 DP\n"}}), Words{});
  EXPECT_FALSE(std::filesystem::exists("no"));
  // A fabric that is not there either.
  const std::string message = MessageOf([] {
    CheckRun(WordsOf("no/f.txt"), 1, {{"no/f.txt", "nonsense\n"}});
  });
  EXPECT_EQ(message.find("no/f.txt:1: "), 0U) << message;
}

TEST(RunCheck, SaysWhatTheRunWouldSay) {
  const auto refusal = [](const Words& words, const std::string& text) {
    return MessageOf([&] { CheckRun(words, 1, {{"no/sizes.txt", text}}); });
  };
  EXPECT_EQ(
      refusal(WordsOf("nofile.txt"), "1 ALLREDUCE 65536 DP\n").find("nofile.txt: cannot be read"),
      0U);
  const std::string line = refusal(WordsOf(kFabric), "1 ALLREDUCE 65536 DP\n1 ALLSORTS 5 DP\n");
  EXPECT_EQ(line.find("no/sizes.txt:2"), 0U) << line;
  EXPECT_EQ(line.find("/tmp"), std::string::npos) << line;
  Words odd = WordsOf(kFabric);
  odd.insert(odd.end(), {"--set", "CC_MODE=99"});
  EXPECT_NE(refusal(odd, "1 ALLREDUCE 65536 DP\n").find("CC_MODE"), std::string::npos);
}

TEST(RunCheck, ReturnsWarnings) {
  const Words warnings = CheckRun(
      WordsOf(kFabric), 1,
      {{"no/sizes.txt",
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 8 ga: 1 "
        "all_gpus: 64 checkpoints: 0 checkpoint_initiates: 0\n1\n"
        "layer -1 1000 ALLREDUCE 1024 1000 NONE 0 1000 NONE 0 1\n"}});
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("made for 64 GPUs"), std::string::npos) << warnings[0];
}

TEST(RunCheck, FoldersMayBeNewButNotFiles) {
  CheckFolder("no/such/folder");
  CheckFolder(".");
  const auto refusal = [](const std::string& folder) {
    return MessageOf([&] { CheckFolder(folder); }, ExitCode::kInputOutput);
  };
  EXPECT_EQ(refusal("/etc/passwd").find("/etc/passwd: is a file. Expected: a folder"), 0U);
  EXPECT_EQ(refusal("/etc/passwd/a/b").find("/etc/passwd/a/b: /etc/passwd is a file."), 0U);
}

/// Two fabrics and two seeds: each fabric and each seed is checked once.
TEST(RunCheck, EveryValueAndEveryPairOfFilesIsChecked) {
  std::vector<SweepRun> runs;
  for (const char* fabric : {"a", "b"}) {
    for (const char* workload : {"v", "w"}) {
      for (const char* seed : {"1", "2", "3"}) {
        SweepRun run;
        run.words = {"-n", fabric, "-w", workload, "--seed", seed};
        run.values = {fabric, workload, seed};
        runs.push_back(run);
      }
    }
  }
  EXPECT_EQ(RunsToCheck(runs), (std::vector<std::size_t>{0, 1, 2, 3, 6, 9}));
}

}  // namespace
}  // namespace heddle
