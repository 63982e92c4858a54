// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/replay/episode_worth.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

/// Episodes in a row that are only simulated.
int SkipsOf(EpisodeWorth* worth) {
  int skips = 0;
  while (worth->Skips()) ++skips;
  return skips;
}

TEST(EpisodeWorth, WhatIsOfNoUseIsTriedLessAndLess) {
  EpisodeWorth worth;
  worth.AddIsland();
  worth.AddIsland();
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(SkipsOf(&worth), 0);
    worth.Spend(800, 0);
  }
  EXPECT_EQ(SkipsOf(&worth), 0);
  for (const int skips : {8, 16, 32, 64, 64}) {
    worth.Spend(800, 0);
    EXPECT_EQ(SkipsOf(&worth), 2 * skips);
  }
}

TEST(EpisodeWorth, OneReplayPaysForSomeRecords) {
  EpisodeWorth worth;
  worth.AddIsland();
  for (int i = 0; i < 100; ++i) {
    for (int j = 0; j < 7; ++j) worth.Spend(800, 0);
    worth.Gain(800);
    EXPECT_EQ(SkipsOf(&worth), 0);
  }
}

TEST(EpisodeWorth, CyclesThatAreSkippedPayForTheirRecord) {
  EpisodeWorth worth;
  worth.AddIsland();
  for (int i = 0; i < 100; ++i) {
    worth.Spend(800, 101);
    EXPECT_EQ(SkipsOf(&worth), 0);
  }
  int attempts = 0;
  for (; SkipsOf(&worth) == 0 && attempts < 100; ++attempts) worth.Spend(800, 100);
  EXPECT_LT(attempts, 100);
}

TEST(EpisodeWorth, OldGainsAreForgotten) {
  EpisodeWorth worth;
  worth.AddIsland();
  for (int i = 0; i < 1000; ++i) worth.Gain(800);
  int attempts = 0;
  for (; SkipsOf(&worth) == 0; ++attempts) worth.Spend(800, 0);
  EXPECT_EQ(attempts, 4 * 8 + 1);
}

}  // namespace
}  // namespace heddle
