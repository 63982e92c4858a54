// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/program/groups.h"

#include <set>

#include "tests/unit/collectives/program/collectives_test_util.h"

namespace heddle {
namespace {

using Ranks = std::vector<std::uint32_t>;
constexpr GroupType kTypes[] = {GroupType::kTensor, GroupType::kData,       GroupType::kPipeline,
                                GroupType::kExpert, GroupType::kDataExpert, GroupType::kAll,
                                GroupType::kContext};

TEST(ParallelGroups, AreSimAIs) {
  // 32 GPUs, TP 8, EP 2: SimAI's MockNcclGroup.
  const ParallelGroups groups({8, 2, 1}, 32, "job");
  EXPECT_EQ(groups.data(), 4u);
  EXPECT_EQ(groups.Members(GroupType::kTensor, 1), (Ranks{8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(groups.Members(GroupType::kData, 3), (Ranks{3, 11, 19, 27}));
  EXPECT_EQ(groups.Members(GroupType::kExpert, groups.GroupOf(GroupType::kExpert, 5)),
            (Ranks{5, 13}));
  EXPECT_EQ(groups.Members(GroupType::kExpert, groups.GroupOf(GroupType::kExpert, 21)),
            (Ranks{21, 29}));
  EXPECT_EQ(groups.Members(GroupType::kDataExpert, groups.GroupOf(GroupType::kDataExpert, 5)),
            (Ranks{5, 21}));
  EXPECT_EQ(groups.Members(GroupType::kDataExpert, groups.GroupOf(GroupType::kDataExpert, 13)),
            (Ranks{13, 29}));
  EXPECT_EQ(groups.count(GroupType::kDataExpert), 16u);
}

TEST(ParallelGroups, StagesAreTheOutermostDimension) {
  const ParallelGroups groups({2, 1, 2}, 8, "job");
  EXPECT_EQ(groups.StageOf(3), 0u);
  EXPECT_EQ(groups.StageOf(4), 1u);
  EXPECT_EQ(groups.Members(GroupType::kPipeline, 1), (Ranks{1, 5}));
  EXPECT_EQ(groups.Members(GroupType::kData, groups.GroupOf(GroupType::kData, 7)), (Ranks{5, 7}));
  EXPECT_EQ(groups.Members(GroupType::kTensor, groups.GroupOf(GroupType::kTensor, 7)),
            (Ranks{6, 7}));
  EXPECT_EQ(groups.Members(GroupType::kAll, groups.GroupOf(GroupType::kAll, 7)),
            (Ranks{4, 5, 6, 7}));
}

// Megatron-LM's RankGenerator of order tp-cp-ep-dp-pp, 16 GPUs of TP 2, CP 2, PP 2: cp groups are
// (0 2) (1 3) (4 6) (5 7) and the same of the second stage, dp-cp (0 2 4 6) (1 3 5 7).
TEST(ParallelGroups, ContextLiesBetweenTensorAndData) {
  const ParallelGroups groups({2, 1, 2, 2}, 16, "job");
  EXPECT_EQ(groups.context(), 2u);
  EXPECT_EQ(groups.count(GroupType::kContext), 8u);
  EXPECT_EQ(groups.Members(GroupType::kContext, 0), (Ranks{0, 2}));
  EXPECT_EQ(groups.Members(GroupType::kContext, 1), (Ranks{1, 3}));
  EXPECT_EQ(groups.Members(GroupType::kContext, groups.GroupOf(GroupType::kContext, 7)),
            (Ranks{5, 7}));
  EXPECT_EQ(groups.Members(GroupType::kContext, groups.GroupOf(GroupType::kContext, 12)),
            (Ranks{12, 14}));
  EXPECT_EQ(groups.Members(GroupType::kData, 0), (Ranks{0, 2, 4, 6}));
  EXPECT_EQ(groups.RankIn(GroupType::kContext, 6), 1u);
}

// Experts lie over the ranks of CP: Megatron-LM's expert generator has cp 1.
TEST(ParallelGroups, ExpertsLieOverContext) {
  const ParallelGroups groups({1, 4, 1, 2}, 8, "job");
  EXPECT_EQ(groups.Members(GroupType::kExpert, 0), (Ranks{0, 1, 2, 3}));
  EXPECT_EQ(groups.Members(GroupType::kContext, 1), (Ranks{2, 3}));
  EXPECT_EQ(groups.Members(GroupType::kDataExpert, 0), (Ranks{0, 4}));
}

TEST(ParallelGroups, ZeroCountsAsOne) {
  const ParallelGroups groups({0, 0, 0}, 6, "job");
  EXPECT_EQ(groups.tensor(), 1u);
  EXPECT_EQ(groups.Members(GroupType::kData, 0), (Ranks{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(groups.size(GroupType::kExpert), 1u);
  EXPECT_EQ(groups.size(GroupType::kPipeline), 1u);
}

/// Every rank is in one group of each type, at the place given by RankIn, with ranks of its own
/// stage.
TEST(ParallelGroups, GroupOfRankInAndMembersAgree) {
  for (const ParallelSizes& sizes :
       {ParallelSizes{1, 1, 1}, ParallelSizes{2, 3, 1}, ParallelSizes{4, 2, 3},
        ParallelSizes{1, 4, 2}, ParallelSizes{3, 8, 1}, ParallelSizes{24, 1, 1},
        ParallelSizes{2, 2, 6}, ParallelSizes{2, 3, 2, 4}, ParallelSizes{1, 1, 1, 16}}) {
    const ParallelGroups groups(sizes, 48, "job");
    for (const GroupType type : kTypes) {
      std::multiset<std::uint32_t> seen;
      for (std::uint32_t group = 0; group < groups.count(type); ++group) {
        const Ranks members = groups.Members(type, group);
        ASSERT_EQ(members.size(), groups.size(type));
        for (std::uint32_t i = 0; i < members.size(); ++i) {
          EXPECT_EQ(groups.GroupOf(type, members[i]), group)
              << ToText(type) << " of rank " << members[i];
          EXPECT_EQ(groups.RankIn(type, members[i]), i)
              << ToText(type) << " of rank " << members[i];
          EXPECT_TRUE(i == 0 || members[i - 1] < members[i]);
          EXPECT_TRUE(type == GroupType::kPipeline ||
                      groups.StageOf(members[i]) == groups.StageOf(members[0]));
        }
        seen.insert(members.begin(), members.end());
      }
      EXPECT_EQ(seen.size(), 48u);
      EXPECT_EQ(std::set<std::uint32_t>(seen.begin(), seen.end()).size(), 48u) << ToText(type);
    }
  }
}

TEST(ParallelGroups, MistakesNameTheNumbers) {
  const auto message = [](ParallelSizes sizes, std::uint32_t ranks) {
    return MessageOf([&] { ParallelGroups(sizes, ranks, "job 0 (w.txt)"); });
  };
  EXPECT_EQ(message({8, 1, 3}, 32),
            "job 0 (w.txt): TP 8 x PP 3 does not divide 32 GPUs. Expected: a number of GPUs that "
            "is a multiple of 24");
  EXPECT_EQ(message({8, 3, 1}, 32),
            "job 0 (w.txt): EP 3 does not divide DP 4 (32 GPUs / TP 8 / PP 1). Expected: an expert "
            "parallel "
            "size that divides the data parallel size");
  EXPECT_EQ(message({8, 1, 1, 3}, 32),
            "job 0 (w.txt): CP 3 does not divide 32 GPUs / TP 8 / PP 1 = 4. Expected: a context "
            "parallel size that divides it");
  EXPECT_EQ(message({64, 1, 1}, 32),
            "job 0 (w.txt): TP 64 on 32 GPUs. Expected: a size from 1 to 32");
  EXPECT_EQ(message({1, 1, -2}, 32),
            "job 0 (w.txt): PP -2 on 32 GPUs. Expected: a size from 1 to 32");
  EXPECT_EQ(message({1, std::int64_t{1} << 62, 1}, 32),
            "job 0 (w.txt): EP 4611686018427387904 on 32 GPUs. Expected: a size from 1 to 32");
  EXPECT_EQ(message({70'000, 1, 70'000}, 1'000'000),
            "job 0 (w.txt): TP 70000 x PP 70000 does not divide 1000000 GPUs. Expected: a "
            "number of GPUs that is a multiple of 4900000000");
}

}  // namespace
}  // namespace heddle
