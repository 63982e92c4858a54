// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/schedule/pieces.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(PartOf, PartsFollowEachOtherAndDifferByAByteAtMost) {
  for (const std::int64_t bytes : {0, 1, 7, 64, 1001}) {
    for (const std::uint32_t parts : {1U, 3U, 8U, 20U}) {
      std::int64_t next = 5;
      for (std::uint32_t k = 0; k < parts; ++k) {
        const ByteRange part = PartOf({5, bytes}, parts, k);
        EXPECT_EQ(part.offset, next);
        EXPECT_EQ(part.offset, 5 + bytes * k / parts);
        EXPECT_GE(part.bytes, bytes / parts);
        EXPECT_LE(part.bytes, bytes / parts + 1);
        next += part.bytes;
      }
      EXPECT_EQ(next, 5 + bytes);
    }
  }
}

TEST(PartOf, LargeBuffersDoNotOverflow) {
  constexpr std::int64_t kBytes = (std::int64_t{1} << 62) + 3;
  const ByteRange last = PartOf({0, kBytes}, 65536, 65535);
  EXPECT_EQ(last.offset + last.bytes, kBytes);
}

TEST(Division, GivesThePartsOfPartOf) {
  for (const std::int64_t bytes : {0L, 1L, 7L, 64L, 1001L, (1L << 62) + 3}) {
    for (const std::uint32_t parts : {1U, 3U, 8U, 20U, 65536U}) {
      const Division division(bytes, parts);
      EXPECT_EQ(division.even(), bytes % parts == 0);
      EXPECT_EQ(division.smallest(), bytes / parts);
      for (std::uint32_t k = 0; k < parts; k += 1 + parts / 100) {
        const ByteRange part = division.Part(k), expected = PartOf({0, bytes}, parts, k);
        ASSERT_EQ(part.offset, expected.offset);
        ASSERT_EQ(part.bytes, expected.bytes);
      }
    }
  }
}

TEST(PiecesOf, AsFewAsTheLargestPieceAllows) {
  EXPECT_EQ(PiecesOf(1, 8, 100), 1U);
  EXPECT_EQ(PiecesOf(800, 8, 100), 1U);
  EXPECT_EQ(PiecesOf(801, 8, 100), 2U);
  EXPECT_EQ(PiecesOf(1600, 8, 100), 2U);
  EXPECT_EQ(PiecesOf(std::int64_t{1} << 40, 1, 1), 65536U);
}

}  // namespace
}  // namespace heddle
