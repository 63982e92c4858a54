// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/requests/request_split.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(RequestSplit, NeedsTheLeastBytesEach) {
  EXPECT_TRUE(IsSplit(262'144, 4, 65'536));
  EXPECT_FALSE(IsSplit(262'143, 4, 65'536));
  EXPECT_TRUE(IsSplit(1, 4, 0));
}

TEST(RequestSplit, EqualPartsAreRoundedUp) {
  EXPECT_EQ(EqualPart(524'288, 4), 131'072);
  EXPECT_EQ(EqualPart(1000, 4), 256);  // 250
  EXPECT_EQ(EqualPart(1024, 4), 256);
  EXPECT_EQ(EqualPart(1025, 4), 384);  // 256.25, then 257
  EXPECT_EQ(EqualPart(1, 1024), 128);
}

TEST(RequestSplit, WeightedPartsAreRoundedDown) {
  EXPECT_EQ(WeightedPart(1000, 0.3, false), 256);  // 300
  EXPECT_EQ(WeightedPart(1024, 0.25, false), 256);
  EXPECT_EQ(WeightedPart(1023, 0.25, false), 128);  // 255.75
  EXPECT_EQ(WeightedPart(1000, 0.1, false), 0);
  EXPECT_EQ(WeightedPart(1000, 0.1, true), 128);
  EXPECT_EQ(WeightedPart(1000, 0.3, true), 256);
}

}  // namespace
}  // namespace heddle
