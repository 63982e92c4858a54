// SPDX-License-Identifier: GPL-2.0-only
#include "core/containers/index_mask.h"

#include <gtest/gtest.h>

#include <boost/serialization/vector.hpp>

#include "core/checkpoint/state_archive.h"

namespace heddle {
namespace {

TEST(IndexMask, KnowsHowManyItHas) {
  IndexMask mask;
  mask.Fill(70, true);
  EXPECT_EQ(mask.count(), 70U);
  EXPECT_EQ(mask.word(0), ~std::uint64_t{0});
  EXPECT_EQ(mask.word(1), 63U);
  mask.Remove(69);
  mask.Remove(0);
  EXPECT_EQ(mask.count(), 68U);
  EXPECT_FALSE(mask.Test(69));
  EXPECT_TRUE(mask.Test(68));
  mask.Insert(69);
  EXPECT_TRUE(mask.Test(69));
  EXPECT_EQ(mask.count(), 69U);
  mask.Fill(64, true);
  EXPECT_EQ(mask.count(), 64U);
  EXPECT_EQ(mask.word(0), ~std::uint64_t{0});
  mask.Fill(64, false);
  EXPECT_EQ(mask.count(), 0U);
  EXPECT_EQ(mask.word(0), 0U);
  EXPECT_GE(mask.memory(), 8U);
}

TEST(IndexMask, FitsItsBound) {
  IndexMask mask;
  mask.Fill(65, true);
  EXPECT_TRUE(mask.Fits(65));
  EXPECT_TRUE(mask.Fits(128));
  EXPECT_FALSE(mask.Fits(64));
  EXPECT_FALSE(mask.Fits(129));
  mask.Fill(66, true);
  EXPECT_FALSE(mask.Fits(65));  // has 65
  EXPECT_FALSE(IndexMask().Fits(1));
}

TEST(IndexMask, CountsWhatIsLoaded) {
  IndexMask mask, copy;
  mask.Fill(130, true);
  mask.Remove(129);
  StateWriter writer;
  writer << mask;
  StateReader reader(writer.bytes());
  reader >> copy;
  EXPECT_EQ(copy.count(), 129U);
  EXPECT_TRUE(copy.Fits(130));
  EXPECT_TRUE(copy.Test(128));
  EXPECT_FALSE(copy.Test(129));
}

}  // namespace
}  // namespace heddle
