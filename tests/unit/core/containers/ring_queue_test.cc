// SPDX-License-Identifier: GPL-2.0-only
#include "core/containers/ring_queue.h"

#include <gtest/gtest.h>

#include <boost/serialization/vector.hpp>
#include <deque>

#include "core/base/random.h"
#include "core/checkpoint/state_archive.h"

namespace heddle {
namespace {

TEST(RingQueue, EmptyOwnsNothing) {
  RingQueue<std::uint16_t> queue;
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.memory(), 0U);
  queue.Push(5);
  EXPECT_GE(queue.memory(), 2U);
  EXPECT_EQ(queue.Pop(), 5);
  EXPECT_TRUE(queue.empty());
}

TEST(RingQueue, IsADeque) {
  RingQueue<std::uint16_t> queue;
  std::deque<std::uint16_t> expected;
  RandomStream random(1, 2, RandomPurpose::kEntropy);
  for (int i = 0; i < 5000; ++i) {
    // It grows in the first half and shrinks in the second.
    if (random.Below(5) < (i < 2500 ? 3U : 2U)) {
      const auto value = static_cast<std::uint16_t>(random.Next());
      queue.Push(value);
      expected.push_back(value);
    } else if (!expected.empty()) {
      ASSERT_EQ(queue.Pop(), expected.front());
      expected.pop_front();
    }
    ASSERT_EQ(queue.size(), expected.size());
    for (std::size_t at = 0; at < expected.size(); at += 13) ASSERT_EQ(queue[at], expected[at]);
  }
}

TEST(RingQueue, IsSavedFromTheOldestOn) {
  RingQueue<std::uint16_t> queue, copy;
  for (std::uint16_t i = 0; i < 6; ++i) queue.Push(i);
  for (int i = 0; i < 4; ++i) queue.Pop();
  for (std::uint16_t i = 6; i < 11; ++i) queue.Push(i);  // around the end of eight cells
  copy.Push(99);
  StateWriter writer;
  writer << queue;
  StateReader reader(writer.bytes());
  reader >> copy;
  reader.ExpectEnd();
  ASSERT_EQ(copy.size(), 7U);
  for (std::uint16_t i = 4; i < 11; ++i) EXPECT_EQ(copy.Pop(), i);
  ASSERT_EQ(queue.size(), 7U);  // saving changes nothing
  EXPECT_EQ(queue[6], 10);
}

}  // namespace
}  // namespace heddle
