// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/contents/byte_ranges.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace heddle {
namespace {

/// Against a set of single bytes.
TEST(ByteRanges, AreASetOfBytes) {
  constexpr std::int64_t kSize = 60;
  std::mt19937 random(3);
  const auto below = [&](std::int64_t most) { return static_cast<std::int64_t>(random()) % most; };
  for (int round = 0; round < 200; ++round) {
    ByteRanges ranges;
    std::vector<bool> bytes(kSize);
    for (int step = 0; step < 12; ++step) {
      const std::int64_t begin = below(kSize), end = begin + below(kSize - begin + 1);
      ranges.Add(begin, end);
      for (std::int64_t i = begin; i < end; ++i) bytes[static_cast<std::size_t>(i)] = true;
      const std::int64_t from = below(kSize), to = from + below(kSize - from + 1);
      std::int64_t there = 0;
      for (std::int64_t i = from; i < to; ++i) there += bytes[static_cast<std::size_t>(i)] ? 1 : 0;
      ASSERT_EQ(ranges.HasAll(from, to), there == to - from);
      ASSERT_EQ(ranges.HasNone(from, to), there == 0);
      std::int64_t missing = 0, last = from;
      ranges.ForEachGap(from, to, [&](std::int64_t a, std::int64_t b) {
        ASSERT_LT(a, b);
        ASSERT_GE(a, last);
        last = b;
        for (std::int64_t i = a; i < b; ++i) ASSERT_FALSE(bytes[static_cast<std::size_t>(i)]);
        missing += b - a;
      });
      ASSERT_EQ(missing, to - from - there);
    }
  }
}

}  // namespace
}  // namespace heddle
