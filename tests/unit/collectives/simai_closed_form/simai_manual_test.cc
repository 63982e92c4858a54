// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/simai_closed_form/simai_manual.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr std::uint64_t kManualBytes = 1 << 30;
constexpr auto kReduce = Operation::kAllReduce;
constexpr auto kGather = Operation::kAllGather;
constexpr auto kScatter = Operation::kReduceScatter;
constexpr auto kAllToAll = Operation::kAllToAll;

/// Every value is another one.
constexpr BusBandwidthFile kGivenFile{{11, 12, 13, 14}, {21, 22, 23, 24}, {31, 32, 33, 34}, 41};
/// T, GPUs, GPUs of a server.
constexpr SimaiGroups kManyServers{64, 2, 4, 8, 0};
constexpr SimaiGroups kOneServer{8, 2, 4, 8, 0};
constexpr SimaiGroups kWideTensor{64, 16, 4, 8, 0};

/// The bandwidth; 0: none.
float ManualBandwidth(GroupType group, Operation operation, const SimaiGroups& groups) {
  return SimaiManualBandwidth({operation, group, kManualBytes, 4}, groups, kGivenFile).value_or(0);
}

TEST(SimaiManual, TensorGroupsHaveTheirOwnButForReduceScatter) {
  for (const SimaiGroups& groups : {kManyServers, kOneServer, kWideTensor}) {
    EXPECT_EQ(ManualBandwidth(GroupType::kTensor, kReduce, groups), 11);
    EXPECT_EQ(ManualBandwidth(GroupType::kTensor, kGather, groups), 12);
    EXPECT_EQ(ManualBandwidth(GroupType::kTensor, kScatter, groups), 12);
    EXPECT_EQ(ManualBandwidth(GroupType::kTensor, kAllToAll, groups), 14);
  }
}

TEST(SimaiManual, ExpertGroupsLackBranches) {
  EXPECT_EQ(ManualBandwidth(GroupType::kExpert, kReduce, kManyServers), 11);  // of TP
  EXPECT_EQ(ManualBandwidth(GroupType::kExpert, kGather, kManyServers), 0);
  EXPECT_EQ(ManualBandwidth(GroupType::kExpert, kScatter, kManyServers), 0);
  EXPECT_EQ(ManualBandwidth(GroupType::kExpert, kAllToAll, kManyServers), 34);
  for (const Operation operation : {kReduce, kGather, kScatter, kAllToAll})
    EXPECT_EQ(ManualBandwidth(GroupType::kExpert, operation, kWideTensor), 0);
}

TEST(SimaiManual, DataGroupsInOneServer) {
  for (const GroupType group : {GroupType::kData, GroupType::kDataExpert}) {
    EXPECT_EQ(ManualBandwidth(group, kReduce, kOneServer), 11);  // of TP
    for (const Operation operation : {kGather, kScatter, kAllToAll})
      EXPECT_EQ(ManualBandwidth(group, operation, kOneServer), 0);
  }
}

TEST(SimaiManual, DataGroupsAcrossServers) {
  for (const SimaiGroups& groups : {kManyServers, kWideTensor}) {
    EXPECT_EQ(ManualBandwidth(GroupType::kData, kReduce, groups), 21);
    EXPECT_EQ(ManualBandwidth(GroupType::kDataExpert, kReduce, groups), 31);
    for (const Operation operation : {kGather, kScatter, kAllToAll}) {
      EXPECT_EQ(ManualBandwidth(GroupType::kData, operation, groups), 22);
      EXPECT_EQ(ManualBandwidth(GroupType::kDataExpert, operation, groups), 32);
    }
  }
}

TEST(SimaiManual, TimeHasNoLatencyAndNoRatio) {
  // 1 GiB / 22 GiB/s x 3/4.
  EXPECT_EQ(SimaiManualTime({kGather, GroupType::kData, kManualBytes, 4}, kManyServers, kGivenFile),
            34'090'909U);
  // 1 byte / 11 GiB/s x 2 x 3/4: 0.13 ns.
  EXPECT_EQ(SimaiManualTime({kReduce, GroupType::kTensor, 1, 4}, kManyServers, kGivenFile), 0U);
  EXPECT_EQ(
      SimaiManualTime({kGather, GroupType::kExpert, kManualBytes, 4}, kManyServers, kGivenFile),
      0U);
  EXPECT_EQ(SimaiManualTime({kReduce, std::nullopt, kManualBytes, 4}, kManyServers, kGivenFile),
            0U);
}

TEST(SimaiManual, ValuesThatAreNotGivenMakeTimesThatWrap) {
  EXPECT_GT(SimaiManualTime({kReduce, GroupType::kTensor, kManualBytes, 4}, kManyServers, {}),
            SimaiTicks{1} << 63);
}

}  // namespace
}  // namespace heddle
