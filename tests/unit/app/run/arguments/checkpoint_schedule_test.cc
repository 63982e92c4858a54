// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/arguments/checkpoint_schedule.h"

#include <gtest/gtest.h>

#include "core/app/base/cli/wall_time.h"
#include "core/base/check.h"

namespace heddle {
namespace {

constexpr CheckpointWish kNone = CheckpointWish::kNone, kSave = CheckpointWish::kSave,
                         kSaveAndEnd = CheckpointWish::kSaveAndEnd;

TEST(WallTime, ReadsWhatPeopleWrite) {
  EXPECT_EQ(ParseWallTime("--x", "10min"), 600);
  EXPECT_EQ(ParseWallTime("--x", "90s"), 90);
  EXPECT_EQ(ParseWallTime("--x", "1.5h"), 5400);
  EXPECT_EQ(ParseWallTime("--x", "250ms"), 0.25);
  EXPECT_EQ(ParseWallTime("--x", "2d"), 172800);
  EXPECT_EQ(ParseWallTime("--x", "01:50:00"), 6600);
  EXPECT_EQ(ParseWallTime("--x", "1-00:00:01"), 86401);
  EXPECT_EQ(ParseWallTime("--x", "100:00:00"), 360000);
  for (const char* bad : {"", "10", "0s", "-5s", "10 min", "nan", "1e400s", "infs", "01:60:00",
                          "01:00:60", "1:2", "1:2:3:4", "-1:00:00", "1-2-03:00:00", "00:00:00",
                          "9999999:00:00", "5ps", ":::", "1:-2:03"}) {
    EXPECT_THROW(ParseWallTime("--x", bad), UsageError) << bad;
  }
}

TEST(CheckpointSchedule, ByTheClock) {
  CheckpointArguments arguments;
  arguments.every = "100s";
  CheckpointSchedule schedule(arguments, 5);
  EXPECT_EQ(schedule.WishAt(99, Time{}), kNone);
  EXPECT_EQ(schedule.WishAt(100, Time{}), kSave);
  schedule.Saved(103, 3, Time{});
  EXPECT_EQ(schedule.WishAt(202, Time{}), kNone);
  EXPECT_EQ(schedule.WishAt(203, Time{}), kSave);
  arguments.every = "never";
  EXPECT_EQ(CheckpointSchedule(arguments, 5).WishAt(1e9, Time{}), kNone);
}

TEST(CheckpointSchedule, AutoTakesOneHundredthOfTheTime) {
  CheckpointSchedule schedule({}, 1);
  EXPECT_EQ(schedule.WishAt(599, Time{}), kNone);
  EXPECT_EQ(schedule.WishAt(600, Time{}), kSave);
  schedule.Saved(620, 20, Time{});
  EXPECT_EQ(schedule.WishAt(620 + 1999, Time{}), kNone);
  EXPECT_EQ(schedule.WishAt(620 + 2000, Time{}), kSave);
}

TEST(CheckpointSchedule, BySimulatedTime) {
  CheckpointArguments arguments;
  arguments.every = "never";
  arguments.at = {"5ms", "every:2ms", "1ms"};
  CheckpointSchedule schedule(arguments, 0);
  std::vector<std::int64_t> saved;
  for (std::int64_t us = 0; us <= 9000; us += 100) {
    if (schedule.WishAt(0, MicroSeconds(us)) == kNone) continue;
    saved.push_back(us);
    schedule.Saved(0, 0, MicroSeconds(us));
    EXPECT_GT(schedule.next_time(), MicroSeconds(us));
  }
  EXPECT_EQ(saved, (std::vector<std::int64_t>{1000, 2000, 4000, 5000, 6000, 8000}));
  CheckpointSchedule later(arguments, 0);
  later.StartAt(MicroSeconds(4500));
  EXPECT_EQ(later.next_time(), MicroSeconds(5000));
}

TEST(CheckpointSchedule, EndsInTime) {
  CheckpointArguments arguments;
  arguments.max_wall = "01:00:00";
  CheckpointSchedule schedule(arguments, 4);
  EXPECT_EQ(schedule.WishAt(3000, Time{}), kSave);
  schedule.Saved(3010, 10, Time{});
  // 20 s for a checkpoint that takes twice as long as the last, 10 s between looks at the clock, 2
  // s for the end.
  EXPECT_EQ(schedule.WishAt(3567, Time{}), kNone);
  EXPECT_EQ(schedule.WishAt(3568, Time{}), kSaveAndEnd);
  EXPECT_EQ(schedule.longest_interval(), 10);
}

TEST(CheckpointSchedule, WhatASignalWants) {
  EXPECT_EQ(CheckpointSchedule::WishOf(SignalRequest::kNone), kNone);
  EXPECT_EQ(CheckpointSchedule::WishOf(SignalRequest::kCheckpoint), kSave);
  EXPECT_EQ(CheckpointSchedule::WishOf(SignalRequest::kEnd), CheckpointWish::kEnd);
  EXPECT_EQ(CheckpointSchedule::WishOf(SignalRequest::kCheckpointAndEnd), kSaveAndEnd);
}

TEST(CheckpointSchedule, Mistakes) {
  for (const char* at : {"0s", "5", "every:0s", "every:", "5min"}) {
    CheckpointArguments arguments;
    arguments.at = {at};
    EXPECT_THROW(CheckCheckpointArguments(arguments), UsageError) << at;
  }
  CheckpointArguments twice;
  twice.at = {"every:1ms", "every:2ms"};
  EXPECT_THROW(CheckCheckpointArguments(twice), UsageError);
}

TEST(Signals, TheStrongestWins) {
  SignalScope scope;
  scope.HeedInterrupt();
  EXPECT_EQ(PendingSignal(), SignalRequest::kNone);
  std::raise(SIGUSR1);
  EXPECT_EQ(PendingSignal(), SignalRequest::kCheckpoint);
  std::raise(SIGTERM);
  std::raise(SIGUSR1);
  EXPECT_EQ(TakeSignal(), SignalRequest::kCheckpointAndEnd);
  EXPECT_EQ(TakeSignal(), SignalRequest::kNone);
  std::raise(SIGUSR2);
  EXPECT_EQ(TakeSignal(), SignalRequest::kCheckpointAndEnd);
  std::raise(SIGINT);
  EXPECT_EQ(TakeSignal(), SignalRequest::kEnd);
}

}  // namespace
}  // namespace heddle
