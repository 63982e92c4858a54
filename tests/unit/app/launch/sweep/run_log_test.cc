// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep/run_log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

namespace heddle {
namespace {

RunLog LogOfText(const std::string& text) {
  std::istringstream lines(text);
  return ReadRunLog(lines);
}

TEST(RunLog, TheFirstOwnLineIsTheReason) {
  const RunLog log = LogOfText(
      "heddle: warning: odd\nheddle 0.1.0 (commit, Release)\nheddle: note: so\n"
      "heddle: rank 1: a.txt: cannot be read\nheddle: rank 0: lost\nmpirun: gone\n");
  EXPECT_EQ(log.reason, "rank 1: a.txt: cannot be read");
  EXPECT_EQ(log.warnings, std::vector<std::string>{"odd"});
}

TEST(RunLog, WithoutOneThereIsTheLastLineWithLetters) {
  const RunLog log = LogOfText("one\nThere are not enough slots\n-------\n\n");
  EXPECT_EQ(log.reason, "");
  EXPECT_EQ(log.last_line, "There are not enough slots");
  EXPECT_EQ(LogOfText("").last_line, "");
  EXPECT_EQ(LogOfText("----\n").last_line, "");
}

TEST(RunLog, AListBehindTheReasonIsLeftOut) {
  EXPECT_EQ(LogOfText("heddle: 3 GPUs did not end:\n  GPU 1\n").reason, "3 GPUs did not end");
}

TEST(RunLog, WhatItExpectsAndTheLastProgress) {
  const RunLog log = LogOfText(
      "expected         5 events, about 6 min, 3 MiB of memory\nt=1 ms (1%)\nt=2 ms (2%)\n");
  EXPECT_EQ(log.expected, "5 events, about 6 min, 3 MiB of memory");
  EXPECT_EQ(log.progress, "t=2 ms (2%)");
  EXPECT_EQ(LogOfText("expected\n").expected, "");
}

TEST(RunLog, WarningsAreDistinct) {
  const RunLog log = LogOfText("heddle: warning: a\nheddle: warning: b\nheddle: warning: a\n");
  EXPECT_EQ(log.warnings, (std::vector<std::string>{"a", "b"}));
}

TEST(RunLog, TheLastAttemptCounts) {
  const std::string path = ::testing::TempDir() + "run_log_" + std::to_string(getpid());
  std::ofstream(path) << AttemptLine("heddle run") << "heddle: warning: a\nheddle: first\n"
                      << AttemptLine("heddle run") << "heddle: second\n";
  EXPECT_EQ(ReadRunLog(path).reason, "second");
  EXPECT_TRUE(ReadRunLog(path).warnings.empty());
  std::ofstream(path, std::ios::app) << AttemptLine("heddle run");
  EXPECT_EQ(ReadRunLog(path).reason, "");
  std::remove(path.c_str());
  EXPECT_EQ(ReadRunLog(path).reason, "");
}

TEST(WarningCount, CountsRunsAndBoundsItsLines) {
  WarningCount count;
  count.Add({"a", "b"});
  count.Add({"b"});
  EXPECT_EQ(count.Lines(3), (std::vector<std::string>{"a (1 of 3 runs)", "b (2 of 3 runs)"}));
  EXPECT_EQ(count.Lines(1), (std::vector<std::string>{"a", "b"}));
  for (int i = 0; i < 30; ++i) count.Add({"w" + std::to_string(i)});
  const std::vector<std::string> lines = count.Lines(40);
  EXPECT_EQ(lines.size(), 21U);
  EXPECT_EQ(lines.back(), "12 more in the logs of the runs");
}

}  // namespace
}  // namespace heddle
