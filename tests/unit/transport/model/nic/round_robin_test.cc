// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/nic/round_robin.h"

#include <gtest/gtest.h>

#include <boost/archive/text_iarchive.hpp>
#include <boost/archive/text_oarchive.hpp>
#include <boost/serialization/vector.hpp>
#include <map>
#include <sstream>

#include "core/base/random.h"

namespace heddle {
namespace {

bool Always(std::uint32_t) { return true; }

TEST(RoundRobin, TurnsAreFairBeyondOneWord) {
  RoundRobin robin;
  for (std::uint32_t i = 0; i < 200; ++i) robin.SetReady(robin.Add(1000 + i), true);
  for (int round = 0; round < 3; ++round) {
    for (std::uint32_t i = 0; i < 200; ++i) ASSERT_EQ(robin.member(robin.Pick(Always)), 1000 + i);
  }
}

TEST(RoundRobin, NewMemberIsNotReadyAndLast) {
  RoundRobin robin;
  robin.Add(1);
  EXPECT_FALSE(robin.any_ready());
  EXPECT_EQ(robin.Pick(Always), RoundRobin::kNone);
  robin.SetReady(0, true);
  EXPECT_EQ(robin.Pick(Always), 0U);
  robin.SetReady(robin.Add(2), true);
  EXPECT_EQ(robin.Pick(Always), 1U);
  EXPECT_EQ(robin.Pick(Always), 0U);
}

TEST(RoundRobin, ARefusedTurnDoesNotMoveTheTurn) {
  RoundRobin robin;
  for (std::uint32_t i = 0; i < 3; ++i) robin.SetReady(robin.Add(i), true);
  EXPECT_EQ(robin.Pick(Always), 0U);
  EXPECT_EQ(robin.Pick([](std::uint32_t) { return false; }), RoundRobin::kNone);
  EXPECT_EQ(robin.Pick([](std::uint32_t m) { return m != 1; }), 2U);
  EXPECT_EQ(robin.Pick(Always), 0U);
}

/// Members in order of creation, without positions: the reference for the class.
struct Reference {
  std::map<std::uint32_t, bool> ready;  // members are numbered in order of creation
  std::int64_t last = -1;

  std::int64_t Pick(std::uint32_t refused) {
    for (int lap = 0; lap < 2; ++lap) {
      for (const auto& [member, is_ready] : ready) {
        if (!is_ready || member % 7 == refused || (member > last) != (lap == 0)) continue;
        return last = member;
      }
    }
    return -1;
  }
};

TEST(RoundRobin, AgreesWithAReferenceOverRemovalsAndCompaction) {
  RandomStream random(1, 0, RandomPurpose::kPartition);
  RoundRobin robin;
  Reference reference;
  std::map<std::uint32_t, std::uint32_t> position;  // by member
  std::uint32_t created = 0;
  int compactions = 0;
  for (int i = 0; i < 40000; ++i) {
    const std::uint64_t what = random.Below(10);
    const bool growing = (i / 2000) % 2 == 0;
    if (position.empty() || what < (growing ? 3U : 1U)) {
      position[created] = robin.Add(created);
      reference.ready[created++] = false;
    } else if (what < 4) {
      auto it = position.begin();
      std::advance(it, random.Below(position.size()));
      if (what < (growing ? 4U : 3U)) {
        robin.Remove(it->second);
        reference.ready.erase(it->first);
        position.erase(it);
        bool moved_any = false;
        robin.Compact([&](std::uint32_t member, std::uint32_t at) {
          ASSERT_EQ(position.count(member), 1U);
          moved_any = moved_any || position[member] != at;
          position[member] = at;
        });
        compactions += moved_any ? 1 : 0;
      }
    } else if (what < 7) {
      auto it = position.begin();
      std::advance(it, random.Below(position.size()));
      const bool ready = random.Below(3) > 0;
      robin.SetReady(it->second, ready);
      reference.ready[it->first] = ready;
    } else {
      const auto refused = static_cast<std::uint32_t>(random.Below(8));  // 7: no member
      const std::uint32_t at = robin.Pick([&](std::uint32_t m) { return m % 7 != refused; });
      const std::int64_t expected = reference.Pick(refused);
      ASSERT_EQ(at == RoundRobin::kNone ? -1 : std::int64_t{robin.member(at)}, expected)
          << "step " << i;
    }
    bool any = false;
    for (const auto& entry : reference.ready) any = any || entry.second;
    ASSERT_EQ(robin.any_ready(), any);
    for (const auto& [member, at] : position) ASSERT_EQ(robin.member(at), member);
  }
  EXPECT_GT(compactions, 3);
}

TEST(RoundRobin, ATurnEndsWithItsMember) {
  // Members 0 to 39; 20 was served last and ends. Depending on how many ended before, the holes are
  // closed (25 in all) or not (5): no member inherits the rest of its turn, and the next is 21.
  for (std::uint32_t ended : {24U, 4U}) {
    RoundRobin robin;
    for (std::uint32_t i = 0; i < 40; ++i) robin.SetReady(robin.Add(i), true);
    for (int i = 0; i < 21; ++i) robin.Pick(Always);
    ASSERT_EQ(robin.PickSame(Always), 20U);
    for (std::uint32_t i = 0; i < ended; ++i) robin.Remove(i < 15 ? i : i + 10);
    robin.Remove(20);
    std::uint32_t moved = 0;
    robin.Compact([&](std::uint32_t, std::uint32_t) { ++moved; });
    EXPECT_EQ(moved, ended == 24 ? 15U : 0U);
    EXPECT_EQ(robin.PickSame(Always), RoundRobin::kNone);
    const std::uint32_t next = robin.Pick(Always);
    EXPECT_EQ(robin.member(next), 21U);
    EXPECT_EQ(robin.PickSame(Always), next);
    std::uint32_t live = 0;
    robin.ForEach([&](std::uint32_t) { ++live; });
    EXPECT_EQ(live, 39 - ended);
  }
}

TEST(RoundRobin, ArchiveKeepsMembersReadinessAndTurn) {
  RoundRobin robin;
  for (std::uint32_t i = 0; i < 70; ++i) robin.SetReady(robin.Add(i), i % 3 == 0);
  for (int i = 0; i < 5; ++i) robin.Pick(Always);
  std::stringstream text;
  boost::archive::text_oarchive(text) << const_cast<const RoundRobin&>(robin);
  RoundRobin copy;
  boost::archive::text_iarchive(text) >> copy;
  EXPECT_EQ(copy.Pick(Always), 15U);
  for (int i = 0; i < 60; ++i) {
    if (i == 0) robin.Pick(Always);
    ASSERT_EQ(copy.Pick(Always), robin.Pick(Always));
  }
}

}  // namespace
}  // namespace heddle
