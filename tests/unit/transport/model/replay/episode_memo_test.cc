// SPDX-License-Identifier: GPL-2.0-only
/// Which records are found by what an episode was given, and which are forgotten.
#include "transport/model/replay/episode_memo.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

EpisodeKey KeyOf(std::uint64_t a, std::uint64_t b = 0) { return Extend(Extend({}, {a}), {b}); }

class Memo : public ::testing::Test {
 protected:
  /// A finished record with these inputs, of about `bytes` bytes.
  EpisodePtr Add(const std::vector<EpisodeKey>& keys, std::size_t bytes = 0) {
    const EpisodePtr record = EpisodeMemo::Begin(this);
    for (const EpisodeKey& key : keys) memo_.AddInput(record, key, 0, 0);
    record->ports.resize(bytes / sizeof(EpisodePort));
    memo_.Complete(record);
    return record;
  }
  std::size_t Found(const EpisodeKey& key) const { return memo_.Find(key, this).size(); }

  EpisodeMemo memo_{1 << 20};
};

TEST(EpisodeKey, TellsWordsAndTheirOrderApart) {
  EXPECT_EQ(KeyOf(1, 2), KeyOf(1, 2));
  EXPECT_NE(KeyOf(1, 2), KeyOf(2, 1));
  EXPECT_NE(Extend({}, {1, 2}), KeyOf(1, 2));
  EXPECT_NE(Extend({}, {}), EpisodeKey());
}

TEST_F(Memo, FindsARecordByEachPrefixOfItsInputs) {
  const EpisodePtr record = Add({KeyOf(1), KeyOf(2)});
  ASSERT_EQ(Found(KeyOf(1)), 1U);
  EXPECT_EQ(memo_.Find(KeyOf(1), nullptr)[0].item, 1U);
  EXPECT_EQ(memo_.Find(KeyOf(2), nullptr)[0].item, 2U);
  EXPECT_EQ(memo_.Find(KeyOf(2), nullptr)[0].record, record);
  EXPECT_EQ(Found(KeyOf(3)), 0U);
}

TEST_F(Memo, KeepsWhatIsBeingMadeToItsOwner) {
  const EpisodePtr record = EpisodeMemo::Begin(this);
  memo_.AddInput(record, KeyOf(1), 0, 0);
  EXPECT_EQ(memo_.Find(KeyOf(1), this).size(), 1U);
  EXPECT_EQ(memo_.Find(KeyOf(1), &memo_).size(), 0U);
  memo_.Complete(record);
  EXPECT_EQ(memo_.Find(KeyOf(1), &memo_).size(), 1U);
}

TEST_F(Memo, DoesNotFindWhatWasAbandoned) {
  const EpisodePtr record = EpisodeMemo::Begin(this);
  memo_.AddInput(record, KeyOf(1), 0, 0);
  memo_.Abandon(record);
  EXPECT_TRUE(record->dead);
  EXPECT_EQ(Found(KeyOf(1)), 0U);
}

TEST_F(Memo, ForgetsWhatWasNotUsedForLongest) {
  constexpr std::size_t kThird = (1 << 20) / 3 - 4096;
  const EpisodePtr first = Add({KeyOf(1)}, kThird);
  Add({KeyOf(2)}, kThird);
  Add({KeyOf(3)}, kThird);
  EXPECT_EQ(memo_.records(), 3U);
  memo_.Use(first);
  Add({KeyOf(4)}, kThird);
  EXPECT_EQ(memo_.records(), 3U);
  EXPECT_EQ(Found(KeyOf(1)), 1U);
  EXPECT_EQ(Found(KeyOf(2)), 0U);
  EXPECT_EQ(Found(KeyOf(4)), 1U);
  EXPECT_LE(memo_.memory(), std::size_t{1} << 20);
}

TEST_F(Memo, KeepsFewPlacesOfOneKey) {
  for (std::uint64_t i = 0; i < 100; ++i) Add({KeyOf(1), KeyOf(2, i)});
  EXPECT_EQ(Found(KeyOf(1)), 8U);
  EXPECT_EQ(Found(KeyOf(2, 0)), 1U);
}

TEST_F(Memo, GivesUpRecordsOfAQuarterOfItsMemory) {
  EpisodeRecord record;
  record.ports.resize((1 << 18) / sizeof(EpisodePort) - 16);
  EXPECT_FALSE(memo_.TooLong(record));
  record.ports.resize((1 << 18) / sizeof(EpisodePort) + 16);
  EXPECT_TRUE(memo_.TooLong(record));
}

}  // namespace
}  // namespace heddle
