// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep/run_watch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heddle {
namespace {

using Lines = std::vector<std::string>;

RunLog Log(const std::string& expected, const std::string& progress = "") {
  RunLog log;
  log.expected = expected;
  log.progress = progress;
  return log;
}

TEST(RunWatch, ExpectedSeconds) {
  EXPECT_EQ(ExpectedSeconds("1.9 G packet-hops, 2.7 G events, about 6 min, 513 MiB"), 360);
  EXPECT_EQ(ExpectedSeconds("1 events, about 40 s or less (what repeats is replayed), 5 MiB"), 40);
  EXPECT_EQ(ExpectedSeconds("1 events, about 2.5 h, 5 MiB"), 9000);
  EXPECT_EQ(ExpectedSeconds("1 events, under 1 s, 5 MiB"), 0);
  EXPECT_EQ(ExpectedSeconds("about nothing"), 0);
  EXPECT_EQ(ExpectedSeconds(""), 0);
}

TEST(RunWatch, ALongRunSaysOnceHowLongItWillTake) {
  RunWatch watch("a", "run 1 of 2");
  EXPECT_EQ(watch.Look(Log(""), 1), Lines{});
  EXPECT_EQ(watch.Look(Log("5 events, about 6 min, 3 MiB"), 2),
            Lines{"a: expected 5 events, about 6 min, 3 MiB (run 1 of 2)"});
  EXPECT_EQ(watch.Look(Log("5 events, about 6 min, 3 MiB"), 3), Lines{});
}

TEST(RunWatch, AShortOneSaysNothingUnlessItTakesLong) {
  RunWatch watch("a", "");
  EXPECT_EQ(watch.Look(Log("5 events, about 9 s, 3 MiB"), 2), Lines{});
  EXPECT_EQ(watch.Look(Log("5 events, about 9 s, 3 MiB", "t=1 ms (3%)"), 15),
            Lines{"a: t=1 ms (3%) after 15 s"});
}

TEST(RunWatch, ProgressComesLessOften) {
  RunWatch watch("a", "");
  std::string times;
  for (int second = 1; second <= 300; ++second) {
    if (!watch.Look(Log("", "t=1 ms"), second).empty()) times += std::to_string(second) + " ";
  }
  EXPECT_EQ(times, "15 30 60 120 180 240 300 ");
}

TEST(RunWatch, WithoutProgressItSaysWhereTheRunIs) {
  RunWatch watch("a", "");
  EXPECT_EQ(watch.Look(Log(""), 20), Lines{"a: sets up after 20 s"});
  EXPECT_EQ(watch.Look(Log("5 events, about 2 s, 3 MiB"), 40), Lines{"a: runs after 40 s"});
}

}  // namespace
}  // namespace heddle
