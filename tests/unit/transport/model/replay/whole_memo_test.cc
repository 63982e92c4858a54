// SPDX-License-Identifier: GPL-2.0-only
/// Which records of whole collectives are found, and which are forgotten.
#include "transport/model/replay/whole_memo.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

EpisodeKey Named(std::uint64_t name) { return Extend({}, {name}); }

class WholeRecords : public ::testing::Test {
 protected:
  WholePtr Add(std::uint64_t name, std::size_t flows = 1) {
    const WholePtr record = memo_.Begin(Named(name), this);
    record->flows.resize(flows);
    memo_.Complete(record);
    return record;
  }
  WholePtr Found(std::uint64_t name) { return memo_.Find(Named(name), nullptr); }

  WholeMemo memo_{1 << 16};
};

TEST_F(WholeRecords, AreFoundByWhatTheyBeginWith) {
  const WholePtr record = Add(1);
  EXPECT_EQ(Found(1), record);
  EXPECT_EQ(Found(2), nullptr);
}

TEST_F(WholeRecords, BelongToTheirMakerUntilTheyAreComplete) {
  const WholePtr record = memo_.Begin(Named(1), this);
  EXPECT_EQ(memo_.Find(Named(1), this), record);
  EXPECT_EQ(memo_.Find(Named(1), &memo_), nullptr);
  memo_.Complete(record);
  EXPECT_EQ(memo_.Find(Named(1), &memo_), record);
}

TEST_F(WholeRecords, TheFirstOfEqualOnesStays) {
  const WholePtr first = memo_.Begin(Named(1), this), second = memo_.Begin(Named(1), &memo_);
  memo_.Complete(second);
  memo_.Complete(first);
  EXPECT_EQ(Found(1), second);
  EXPECT_EQ(memo_.records(), 1U);
}

TEST_F(WholeRecords, AreNotFoundOnceAbandoned) {
  const WholePtr record = memo_.Begin(Named(1), this);
  memo_.Abandon(record);
  EXPECT_TRUE(record->dead);
  EXPECT_EQ(memo_.Find(Named(1), this), nullptr);
}

TEST_F(WholeRecords, NeedTheirEpisodes) {
  EpisodePtr episode = std::make_shared<EpisodeRecord>();
  const WholePtr record = memo_.Begin(Named(1), this);
  record->parts.push_back({episode, 0});
  memo_.Complete(record);
  EXPECT_EQ(Found(1), record);
  episode.reset();
  EXPECT_EQ(Found(1), nullptr);
  EXPECT_EQ(memo_.records(), 0U);
  EXPECT_EQ(memo_.memory(), 0U);
}

TEST_F(WholeRecords, OfOldUseAreForgottenFirst) {
  const std::size_t flows = (1 << 16) / sizeof(WholeFlow) / 3;
  const WholePtr first = Add(1, flows);
  Add(2, flows);
  memo_.Use(first);
  Add(3, flows);
  EXPECT_EQ(Found(1), first);
  EXPECT_EQ(Found(2), nullptr);
  EXPECT_NE(Found(3), nullptr);
  EXPECT_LE(memo_.memory(), std::size_t{1} << 16);
}

TEST_F(WholeRecords, AreGivenUpIfTheyTakeAQuarterOfTheMemory) {
  WholeRecord record;
  EXPECT_FALSE(memo_.TooLong(record));
  record.flows.resize((1 << 14) / sizeof(WholeFlow));
  EXPECT_TRUE(memo_.TooLong(record));
}

TEST(WholeWorth, SkipsMoreAndMoreAfterFailures) {
  WholeWorth worth;
  for (int i = 0; i < 3; ++i) worth.Failed();
  EXPECT_FALSE(worth.Skips());
  worth.Failed();
  int skips = 0;
  while (worth.Skips()) ++skips;
  EXPECT_EQ(skips, 8);
  worth.Failed();
  for (skips = 0; worth.Skips();) ++skips;
  EXPECT_EQ(skips, 16);
  for (int i = 0; i < 20; ++i) worth.Failed();
  for (skips = 0; worth.Skips();) ++skips;
  EXPECT_EQ(skips, 1024);
  worth.Replayed();
  worth.Failed();
  EXPECT_FALSE(worth.Skips());
}

}  // namespace
}  // namespace heddle
