// SPDX-License-Identifier: GPL-2.0-only
/// SlotPool and FlatMap against the standard containers; what RecentMap forgets.
#include <gtest/gtest.h>

#include <boost/archive/text_iarchive.hpp>
#include <boost/archive/text_oarchive.hpp>
#include <boost/serialization/vector.hpp>
#include <map>
#include <sstream>
#include <unordered_map>

#include "core/base/random.h"
#include "core/containers/flat_map.h"
#include "core/containers/recent_map.h"
#include "core/containers/slot_pool.h"

namespace heddle {
namespace {

struct Record {
  std::uint64_t value;
  std::uint8_t tag;
};

template <class T>
T RoundTrip(const T& value) {
  std::stringstream text;
  boost::archive::text_oarchive(text) << value;
  T other;
  boost::archive::text_iarchive(text) >> other;
  return other;
}

TEST(SlotPool, HandsOutFreePlacesOnlyAndKeepsTheRest) {
  SlotPool<Record> pool;
  std::map<std::uint32_t, std::uint64_t> live;
  RandomStream random(1, 0, RandomPurpose::kPartition);
  std::size_t most = 0;
  for (int i = 0; i < 20000; ++i) {
    if (live.empty() || random.Below(100) < 55) {
      const std::uint32_t slot = pool.Allocate();
      ASSERT_NE(slot, SlotPool<Record>::kNone);
      const std::uint64_t value = random.Next();
      ASSERT_TRUE(live.emplace(slot, value).second) << "slot " << slot << " is in use";
      pool[slot] = {value, 7};
    } else {
      auto it =
          live.lower_bound(static_cast<std::uint32_t>(random.Below(live.rbegin()->first + 1)));
      pool.Free(it->first);
      live.erase(it);
    }
    most = std::max(most, live.size());
    ASSERT_EQ(pool.used(), live.size());
  }
  for (const auto& [slot, value] : live) EXPECT_EQ(pool[slot].value, value);
  for (const auto& entry : live) EXPECT_LT(entry.first, most);  // places are reused
}

TEST(SlotPool, ArchiveKeepsIndicesAndFreePlaces) {
  SlotPool<Record> pool;
  for (std::uint64_t i = 0; i < 10; ++i)
    pool[pool.Allocate()] = {i * 1000, static_cast<std::uint8_t>(250 + i % 6)};
  pool.Free(3);
  pool.Free(8);
  SlotPool<Record> copy = RoundTrip(pool);
  EXPECT_EQ(copy.used(), 8U);
  for (std::uint32_t i : {0U, 1U, 2U, 4U, 5U, 6U, 7U, 9U}) {
    EXPECT_EQ(copy[i].value, i * 1000);
    EXPECT_EQ(copy[i].tag, 250 + i % 6);
  }
  EXPECT_EQ(copy.Allocate(), pool.Allocate());
  EXPECT_EQ(copy.Allocate(), pool.Allocate());
  EXPECT_EQ(copy.Allocate(), 10U);
}

void CompareWith(const FlatMap& map,
                 const std::unordered_map<std::uint64_t, std::uint32_t>& reference,
                 std::uint64_t keys, std::uint64_t stride) {
  ASSERT_EQ(map.size(), reference.size());
  for (std::uint64_t k = 0; k < keys; ++k) {
    const auto it = reference.find(k * stride);
    ASSERT_EQ(map.Find(k * stride), it == reference.end() ? FlatMap::kNone : it->second);
  }
}

/// Strides: neighbours, FlowId-like keys, and keys whose hash collides in all low bits.
class FlatMapFuzz : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(FlatMapFuzz, AgreesWithUnorderedMap) {
  FlatMap map;
  std::unordered_map<std::uint64_t, std::uint32_t> reference;
  RandomStream random(3, GetParam(), RandomPurpose::kPartition);
  for (int phase = 0; phase < 20; ++phase) {
    const std::uint64_t keys = 4 + random.Below(phase % 2 == 0 ? 12 : 400);
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t key = random.Below(keys) * GetParam();
      if (reference.count(key) == 0) {
        const auto value = static_cast<std::uint32_t>(random.Below(1U << 30));
        map.Insert(key, value);
        reference[key] = value;
      } else {
        map.Erase(key);
        reference.erase(key);
      }
      const std::uint64_t probe = random.Below(keys) * GetParam();
      const auto it = reference.find(probe);
      ASSERT_EQ(map.Find(probe), it == reference.end() ? FlatMap::kNone : it->second);
      ASSERT_EQ(map.size(), reference.size());
    }
    CompareWith(map, reference, 500, GetParam());
    if (HasFailure()) return;
    map = RoundTrip(map);
    CompareWith(map, reference, 500, GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Strides, FlatMapFuzz,
                         ::testing::Values(1ULL, (1ULL << 32) + 1, 1ULL << 32, 1ULL << 40));

TEST(FlatMap, FindOrInsertCountsAsAMapDoes) {
  FlatMap map;
  std::map<std::uint64_t, std::uint32_t> reference;
  RandomStream random(3, 0, RandomPurpose::kPartition);
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t key = random.Below(500) << 40;
    ++map.FindOrInsert(key, 7);
    ++reference.emplace(key, 7).first->second;
  }
  EXPECT_EQ(map.size(), reference.size());
  for (const auto& [key, value] : reference) ASSERT_EQ(map.Find(key), value);
}

TEST(RecentMap, ForgetsButNeverErrs) {
  RecentMap<NodePair, std::uint64_t> map(16);
  std::size_t kept = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) map.Keep({NodeId(i % 50), NodeId(i / 50)}, i);
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const std::uint64_t* found = map.Find({NodeId(i % 50), NodeId(i / 50)});
    if (found == nullptr) continue;
    EXPECT_EQ(*found, i);
    ++kept;
  }
  EXPECT_GT(kept, 8u);
  EXPECT_LE(kept, 16u);
  map.Clear();
  for (std::uint32_t i = 0; i < 1000; ++i)
    EXPECT_EQ(map.Find({NodeId(i % 50), NodeId(i / 50)}), nullptr);
}

TEST(FlatMap, EraseClosesGapsAcrossTheEnd) {
  // With 8 places and at most 4 keys every set of homes occurs: all triples out of 48 keys, each
  // erased in turn.
  for (std::uint64_t a = 0; a < 48; ++a) {
    for (std::uint64_t b = a + 1; b < 48; ++b) {
      for (std::uint64_t c = b + 1; c < 48; ++c) {
        for (std::uint64_t gone : {a, b, c}) {
          FlatMap map;
          for (std::uint64_t key : {a, b, c}) map.Insert(key, static_cast<std::uint32_t>(key));
          map.Erase(gone);
          for (std::uint64_t key : {a, b, c}) {
            ASSERT_EQ(map.Find(key),
                      key == gone ? FlatMap::kNone : static_cast<std::uint32_t>(key));
          }
        }
      }
    }
  }
}

TEST(FlatMap, EraseOfAnAbsentKeyIsNothing) {
  FlatMap map;
  map.Insert(1, 10);
  map.Erase(2);
  EXPECT_EQ(map.size(), 1U);
  EXPECT_EQ(map.Find(1), 10U);
}

}  // namespace
}  // namespace heddle
