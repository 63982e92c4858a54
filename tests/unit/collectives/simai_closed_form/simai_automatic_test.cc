// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/simai_closed_form/simai_automatic.h"

#include <gtest/gtest.h>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kGiB = 1 << 30;
constexpr SimaiRates kRates{360, 48.5F};

/// A group's servers, GPUs and NICs as text.
std::string Servers(GroupType group, int ranks, const SimaiGroups& groups) {
  const auto found = SimaiServersOf({Operation::kAllReduce, group, kGiB, ranks}, groups);
  if (!found) return "none";
  return std::to_string(found->nodes) + " " + std::to_string(found->gpus) + " " +
         std::to_string(found->nics);
}

/// T, E, GPUs and NICs of a server.
SimaiGroups Groups(int tensor, int expert, std::uint32_t server = 8, std::uint32_t nics = 8) {
  return {1024, tensor, expert, server, nics};
}

TEST(SimaiAutomatic, TensorGroups) {
  EXPECT_EQ(Servers(GroupType::kTensor, 4, Groups(4, 1)), "1 4 8");
  EXPECT_EQ(Servers(GroupType::kTensor, 8, Groups(8, 1)), "1 8 8");
  EXPECT_EQ(Servers(GroupType::kTensor, 16, Groups(16, 1)), "2 8 8");
  EXPECT_EQ(Servers(GroupType::kTensor, 1, Groups(1, 1)), "1 1 8");
}

TEST(SimaiAutomatic, ExpertGroups) {
  EXPECT_EQ(Servers(GroupType::kExpert, 2, Groups(2, 2)), "1 4 8");  // GPUs: s / T, not E
  EXPECT_EQ(Servers(GroupType::kExpert, 16, Groups(2, 16)), "4 4 4");
  EXPECT_EQ(Servers(GroupType::kExpert, 4, Groups(16, 4)), "8 1 1");
  EXPECT_EQ(Servers(GroupType::kExpert, 1, Groups(2, 1)), "none");
}

TEST(SimaiAutomatic, DataGroupsCountRanksAsServers) {
  EXPECT_EQ(Servers(GroupType::kData, 4, Groups(2, 1)), "4 4 4");
  EXPECT_EQ(Servers(GroupType::kData, 64, Groups(16, 1)), "64 1 1");
  EXPECT_EQ(Servers(GroupType::kData, 64, Groups(8, 1, 8, 4)), "64 1 0");  // 4 NICs, TP 8: none
  EXPECT_EQ(Servers(GroupType::kData, 1, Groups(8, 1)), "none");
}

TEST(SimaiAutomatic, DataExpertGroups) {
  EXPECT_EQ(Servers(GroupType::kDataExpert, 8, Groups(2, 2)), "8 2 2");
  EXPECT_EQ(Servers(GroupType::kDataExpert, 8, Groups(2, 16)), "8 1 1");
  EXPECT_EQ(Servers(GroupType::kDataExpert, 1, Groups(2, 2)), "none");
  EXPECT_THROW(Servers(GroupType::kDataExpert, 4, Groups(4, 0)), UserError);  // SIGFPE
}

float Ratio(Operation operation, GroupType group, int ranks, const SimaiGroups& groups,
            bool nvlink = false) {
  return SimaiRatioOf({operation, group, 16 * kMiB, ranks}, groups, nvlink);
}

TEST(SimaiAutomatic, TablesOfTensorGroups) {
  const auto gather = Operation::kAllGather;
  EXPECT_FLOAT_EQ(Ratio(gather, GroupType::kTensor, 8, Groups(8, 1)), 0.45F / 0.81F);
  EXPECT_FLOAT_EQ(Ratio(gather, GroupType::kTensor, 16, Groups(16, 1)), 0.32F / 0.96F);
  EXPECT_FLOAT_EQ(Ratio(gather, GroupType::kTensor, 16, Groups(16, 1), true), 0.55F / 0.88F);
  EXPECT_FLOAT_EQ(Ratio(Operation::kReduceScatter, GroupType::kTensor, 24, Groups(24, 1)),
                  0.05F / 0.96F);  // 3 nodes: the column of 16
  EXPECT_FLOAT_EQ(Ratio(Operation::kAllToAll, GroupType::kTensor, 16, Groups(16, 1)), 0.52F / 0.8F);
}

TEST(SimaiAutomatic, TablesOfExpertGroups) {
  const auto all = Operation::kAllToAll;
  EXPECT_FLOAT_EQ(Ratio(all, GroupType::kExpert, 2, Groups(2, 2)), 0.44F / 0.78F);
  EXPECT_FLOAT_EQ(Ratio(all, GroupType::kExpert, 16, Groups(2, 16)), 0.67F / 0.95F);
  EXPECT_FLOAT_EQ(Ratio(all, GroupType::kExpert, 4, Groups(8, 4)), 0.86F / 0.96F);  // "Multi 16"
}

TEST(SimaiAutomatic, AllElseHasNoTable) {
  EXPECT_FLOAT_EQ(Ratio(Operation::kAllReduce, GroupType::kTensor, 8, Groups(8, 1)), 1);
  EXPECT_FLOAT_EQ(Ratio(Operation::kAllGather, GroupType::kExpert, 8, Groups(2, 8)), 1);
  EXPECT_FLOAT_EQ(Ratio(Operation::kAllGather, GroupType::kData, 8, Groups(2, 1)), 1);
  EXPECT_FLOAT_EQ(Ratio(Operation::kAllToAll, GroupType::kDataExpert, 8, Groups(2, 1)), 1);
}

TEST(SimaiAutomatic, TablesEndAt16GiB) {
  const SimaiCollective large{Operation::kAllGather, GroupType::kTensor, 16 * kGiB + 1, 8};
  EXPECT_THROW(SimaiRatioOf(large, Groups(8, 1), false), UserError);
  const SimaiCollective reduce{Operation::kAllReduce, GroupType::kTensor, 16 * kGiB + 1, 8};
  EXPECT_FLOAT_EQ(SimaiRatioOf(reduce, Groups(8, 1), false), 1);
}

TEST(SimaiAutomatic, WorkedExampleOfExperts) {
  // Case a51: AllToAll_EP of 1 GiB, 60.625 x 0.94 / 0.95 = 59.987; 1 / 59.987 x 15 / 16 s.
  EXPECT_EQ(SimaiAutomaticTime({Operation::kAllToAll, GroupType::kExpert, kGiB, 16}, Groups(2, 16),
                               kRates) /
                1000,
            15628U);
}

TEST(SimaiAutomatic, SmallSizesHaveFixedTimes) {
  const auto time = [](std::uint64_t bytes, int ranks) {
    return SimaiAutomaticTime({Operation::kAllReduce, GroupType::kTensor, bytes, ranks},
                              Groups(ranks, 1), kRates);
  };
  EXPECT_EQ(time(2, 2), 10'000U);
  EXPECT_EQ(time(kMiB - 1, 8), 15'000U);
  EXPECT_EQ(time(kMiB, 8), 4747U);  // 1 / 1024 / 360 x 2 x 7 / 8 s
  EXPECT_EQ(time(4096, 128), 320'000U);
  EXPECT_EQ(time(4096, 3), 0U);
  EXPECT_EQ(time(1, 8), 0U);  // by the formula: 0.005 ns
  EXPECT_EQ(time(0, 8), 0U);
}

TEST(SimaiAutomatic, WithoutNicsATimeWrapsAndOneRankHasNoNumber) {
  const SimaiTicks wrapped = SimaiAutomaticTime({Operation::kAllReduce, GroupType::kData, kGiB, 64},
                                                Groups(8, 1, 8, 4), kRates);
  EXPECT_GT(wrapped, SimaiTicks{1} << 63);
  EXPECT_EQ(SimaiAutomaticTime({Operation::kAllReduce, GroupType::kTensor, kGiB, 1}, Groups(1, 1),
                               kRates),
            SimaiTicks{1} << 63);
}

TEST(SimaiAutomatic, UnknownGroupsAndOperationsTakeNoTime) {
  EXPECT_EQ(
      SimaiAutomaticTime({Operation::kAllReduce, std::nullopt, kGiB, 8}, Groups(8, 1), kRates), 0U);
  EXPECT_EQ(
      SimaiAutomaticTime({Operation::kNone, GroupType::kTensor, kGiB, 8}, Groups(8, 1), kRates),
      0U);
}

}  // namespace
}  // namespace heddle
