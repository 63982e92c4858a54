// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/contents/float_pattern.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "core/base/check.h"

namespace heddle {
namespace {

TEST(FloatPattern, SumsAreThoseOfItsGpus) {
  const FloatPattern a(NodeId(3)), b(NodeId(9)), sum({NodeId(3), NodeId(9)});
  int differ = 0;
  for (std::int64_t i = 0; i < FloatPattern::kPeriod; ++i) {
    EXPECT_EQ(*a.From(i) + *b.From(i), *sum.From(i));
    EXPECT_GE(*a.From(i), 0);
    EXPECT_LE(*a.From(i), static_cast<float>(FloatPattern::kMost));
    differ += *a.From(i) != *b.From(i) ? 1 : 0;
  }
  EXPECT_GT(differ, 900) << "GPUs have different numbers";
}

TEST(FloatPattern, FindsTheFirstWrongByte) {
  const FloatPattern pattern(NodeId(1));
  std::vector<float> numbers(5000);
  pattern.Fill(numbers.data(), 5000);
  char* bytes = reinterpret_cast<char*>(numbers.data());
  EXPECT_EQ(numbers[0], *pattern.From(0));
  EXPECT_EQ(numbers[4999], *pattern.From(4999));
  EXPECT_EQ(pattern.FindDifference(bytes + 4 * 777, 4 * 777, 4 * 4000), -1);
  EXPECT_EQ(pattern.FindDifference(bytes + 3, 3, 9000), -1) << "off the grid of elements";
  EXPECT_EQ(pattern.FindDifference(bytes, 4 * FloatPattern::kPeriod, 9000), -1);
  EXPECT_GE(pattern.FindDifference(bytes, 4, 9000), 0);
  bytes[12'345] ^= 1;
  EXPECT_EQ(pattern.FindDifference(bytes, 0, 20'000), 12'345);
  EXPECT_EQ(pattern.FindDifference(bytes, 0, 12'345), -1);
}

TEST(FloatPattern, RefusesSumsThatAreNotExact) {
  EXPECT_THROW(FloatPattern(std::vector<NodeId>(262'145, NodeId(1))), UserError);
}

}  // namespace
}  // namespace heddle
