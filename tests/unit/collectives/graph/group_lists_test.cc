// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/graph/group_lists.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(GroupLists, KnowsEachRanksPlace) {
  GroupLists lists;
  EXPECT_EQ(lists.Add("0", {0, 1, 2}), 0u);
  EXPECT_EQ(lists.Add("odd", {7, 3, 5}, true), 1u);
  EXPECT_EQ(lists.count(), 2u);
  EXPECT_EQ(lists.size(1), 3u);
  EXPECT_EQ(lists.NameOf(1), "odd");
  EXPECT_TRUE(lists.is_along_dimensions(1));
  EXPECT_FALSE(lists.is_along_dimensions(0));
  EXPECT_EQ(lists.RankIn(0, 2), 2u);
  EXPECT_EQ(lists.RankIn(0, 3), GroupLists::kNone);
  EXPECT_EQ(lists.RankIn(1, 3), 1u);
  EXPECT_EQ(lists.RankIn(1, 7), 0u);
  EXPECT_EQ(lists.RankIn(1, 0), GroupLists::kNone);
}

}  // namespace
}  // namespace heddle
