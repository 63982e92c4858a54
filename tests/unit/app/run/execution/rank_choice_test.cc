// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/execution/rank_choice.h"

#include <gtest/gtest.h>

#include "core/base/check.h"

namespace heddle {
namespace {

using Words = std::vector<std::string>;

TEST(RankChoice, TheFlagIsTakenOutOfTheWords) {
  Words words = {"-n", "f.txt", "--ranks", "4", "-o", "r.h5"};
  EXPECT_EQ(TakeRanks(&words), "4");
  EXPECT_EQ(words, (Words{"-n", "f.txt", "-o", "r.h5"}));
  words = {"--ranks=auto", "-n", "f.txt"};
  EXPECT_EQ(TakeRanks(&words), "auto");
  EXPECT_EQ(words, (Words{"-n", "f.txt"}));
  EXPECT_EQ(TakeRanks(&words), std::nullopt);
}

TEST(RankChoice, AValueIsNeededOnce) {
  for (const Words& bad :
       {Words{"--ranks"}, Words{"--ranks="}, Words{"--ranks", "2", "--ranks=2"}}) {
    Words words = bad;
    EXPECT_THROW(TakeRanks(&words), UsageError);
  }
}

TEST(RankChoice, LongRunsTakeAllCores) {
  EXPECT_EQ(ChooseRanks({100, 16, 2048}, 8).ranks, 8U);
  EXPECT_EQ(ChooseRanks({100, 16, 2048}, 8).reason, "about 18.4 s, on 1 rank 100 s");
}

TEST(RankChoice, ShortRunsDoWithoutMpi) {
  const RankChoice choice = ChooseRanks({0.2, 16, 128}, 8);
  EXPECT_EQ(choice.ranks, 1U);
  EXPECT_EQ(choice.reason, "about 0.2 s, on 8 ranks 1.37 s");
}

TEST(RankChoice, NoRankIsStartedThatHasNothingToDo) {
  EXPECT_EQ(ChooseRanks({100, 3, 2048}, 8).ranks, 3U);
  EXPECT_EQ(ChooseRanks({100, 1, 2048}, 8).ranks, 1U);
  EXPECT_EQ(ChooseRanks({100, 1, 2048}, 1).reason, "this machine has one core");
}

TEST(RankChoice, WithinMpirunItIsRefused) {
  LaunchPlace place;
  place.own_ranks = 2;
  EXPECT_THROW(CommandOnRanks("2", {"-n", "f.txt", "-w", "w.txt"}, place), UsageError);
}

TEST(RankChoice, NumbersAreCheckedBeforeAnythingStarts) {
  LaunchPlace place;
  place.cores = 2;
  for (const char* bad : {"0", "-1", "many", "2x", "17", "99999999999"})
    EXPECT_THROW(CommandOnRanks(bad, {"-n", "f.txt", "-w", "w.txt"}, place), UsageError) << bad;
  const Words command = CommandOnRanks("4", {"-n", "f.txt", "-w", "w.txt"}, place);
  ASSERT_EQ(command.size(), 10U);
  EXPECT_EQ(Words(command.begin(), command.begin() + 4),
            (Words{"mpirun", "-n", "4", "--oversubscribe"}));
  EXPECT_EQ(Words(command.begin() + 5, command.end()),
            (Words{"run", "-n", "f.txt", "-w", "w.txt"}));
}

}  // namespace
}  // namespace heddle
