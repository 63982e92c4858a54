// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/closed_form/group_spread.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

ParallelGroups SpreadGroups(std::int64_t tensor, std::int64_t expert, std::int64_t pipeline,
                            std::uint32_t gpus) {
  ParallelSizes sizes;
  sizes.tensor = tensor;
  sizes.expert = expert;
  sizes.pipeline = pipeline;
  return {sizes, gpus, "test"};
}

using Spreads = std::vector<GroupSpread>;

TEST(GroupSpread, TensorGroupsFillServers) {
  EXPECT_EQ(SpreadsOf(SpreadGroups(4, 1, 1, 64), GroupType::kTensor, 8), (Spreads{{4, 1, 4, 4}}));
  EXPECT_EQ(SpreadsOf(SpreadGroups(16, 1, 1, 64), GroupType::kTensor, 8), (Spreads{{16, 2, 8, 8}}));
}

TEST(GroupSpread, DataGroupsCountServersNotRanks) {
  // SimAI counts 32 servers of a group that is on 8.
  EXPECT_EQ(SpreadsOf(SpreadGroups(2, 1, 1, 64), GroupType::kData, 8), (Spreads{{32, 8, 4, 4}}));
  EXPECT_EQ(SpreadsOf(SpreadGroups(2, 1, 1, 8), GroupType::kData, 8), (Spreads{{4, 1, 4, 4}}));
  EXPECT_EQ(SpreadsOf(SpreadGroups(8, 1, 1, 64), GroupType::kData, 8), (Spreads{{8, 8, 1, 1}}));
}

TEST(GroupSpread, ExpertsAndTheirReplicas) {
  const ParallelGroups groups = SpreadGroups(2, 16, 1, 256);
  EXPECT_EQ(SpreadsOf(groups, GroupType::kExpert, 8), (Spreads{{16, 4, 4, 4}}));
  EXPECT_EQ(SpreadsOf(groups, GroupType::kDataExpert, 8), (Spreads{{8, 8, 1, 1}}));
}

TEST(GroupSpread, StagesInOneServerOrSeveral) {
  EXPECT_EQ(SpreadsOf(SpreadGroups(2, 1, 4, 8), GroupType::kPipeline, 8), (Spreads{{4, 1, 4, 4}}));
  EXPECT_EQ(SpreadsOf(SpreadGroups(2, 1, 4, 64), GroupType::kPipeline, 8), (Spreads{{4, 4, 1, 1}}));
}

TEST(GroupSpread, GroupsThatLieDifferently) {
  // Servers of 8, groups of 6: 6; 2 and 4; 4 and 2; 6.
  EXPECT_EQ(SpreadsOf(SpreadGroups(6, 1, 1, 24), GroupType::kTensor, 8),
            (Spreads{{6, 1, 6, 6}, {6, 2, 2, 4}}));
}

}  // namespace
}  // namespace heddle
