// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/simai_closed_form/simai_bus_bandwidth.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr SimaiRates kBusRates{360, 48.5F};

SimaiBusBandwidth RingBandwidth(const SimaiServers& servers, const SimaiRates& rates = kBusRates) {
  return SimaiBusBandwidthOf(Operation::kAllReduce, servers, rates);
}

TEST(SimaiBusBandwidth, FlagsGoBeforeTypes) {
  EXPECT_FLOAT_EQ(SimaiNvlinkRate(100, "H100"), 100);
  EXPECT_FLOAT_EQ(SimaiNvlinkRate(-1, "H100"), 370.8F);
  EXPECT_FLOAT_EQ(SimaiNvlinkRate(0, "a100"), 240);
  EXPECT_FLOAT_EQ(SimaiNvlinkRate(-1, "A800"), 160);
  EXPECT_FLOAT_EQ(SimaiNvlinkRate(-1, "h800"), 164.8F);
  EXPECT_FLOAT_EQ(SimaiNvlinkRate(-1, "H20"), 370.8F);
  EXPECT_FLOAT_EQ(SimaiNicRate(-1, "cx6"), 23.5F);
  EXPECT_FLOAT_EQ(SimaiNicRate(-1, "CX7"), 48.5F);
  EXPECT_FLOAT_EQ(SimaiNicRate(-1, "bf3"), 48.5F);
}

TEST(SimaiBusBandwidth, UnknownTypesHaveNone) {
  EXPECT_FLOAT_EQ(SimaiNvlinkRate(-1, "B200"), -1);
  EXPECT_FLOAT_EQ(SimaiNicRate(-1, "cx8"), -1);
  EXPECT_FLOAT_EQ(SimaiNicRate(-1, "Cx7"), -1);
}

TEST(SimaiBusBandwidth, OneServerHasTheNvlinks) {
  EXPECT_FLOAT_EQ(RingBandwidth({1, 8, 8}).value, 360);
  const SimaiBusBandwidth all = SimaiBusBandwidthOf(Operation::kAllToAll, {1, 8, 8}, kBusRates);
  EXPECT_FLOAT_EQ(all.value, 360);
  EXPECT_TRUE(all.nvlink_bound);
}

TEST(SimaiBusBandwidth, OneGpuAServerHasItsNics) {
  EXPECT_FLOAT_EQ(RingBandwidth({4, 1, 2}).value, 97);
}

TEST(SimaiBusBandwidth, TheSlowerOfNicsAndNvlinksDecides) {
  EXPECT_FLOAT_EQ(RingBandwidth({2, 4, 4}).value, 194);
  EXPECT_FALSE(RingBandwidth({2, 4, 4}).nvlink_bound);
}

TEST(SimaiBusBandwidth, FasterNicsLeaveAPartOfTheRingToNvlinks) {
  // 8 x 48.5 = 388 above 360: NVLinks carry 7/8 of the ring, 360 x 8/7 = 411.4.
  EXPECT_FLOAT_EQ(RingBandwidth({2, 8, 8}).value, 388);
  const SimaiBusBandwidth slow = RingBandwidth({2, 8, 8}, {100, 48.5F});
  EXPECT_FLOAT_EQ(slow.value, 100.0F * 8 / 7);
  EXPECT_TRUE(slow.nvlink_bound);
}

TEST(SimaiBusBandwidth, AllToAllByTheShareThatLeavesAServer) {
  // Case a51: 194 / 4 x 15 / 12.
  EXPECT_FLOAT_EQ(SimaiBusBandwidthOf(Operation::kAllToAll, {4, 4, 4}, kBusRates).value, 60.625F);
}

TEST(SimaiBusBandwidth, WithoutNicsItIsMinusOneAndOneGpuHasNone) {
  EXPECT_FLOAT_EQ(RingBandwidth({2, 4, 0}).value, -1);
  EXPECT_FLOAT_EQ(RingBandwidth({1, 8, 0}).value, -1);
  EXPECT_FLOAT_EQ(RingBandwidth({2, 4, 4}, {-1, 48.5F}).value, -1);
  EXPECT_FLOAT_EQ(RingBandwidth({2, 4, 4}, {360, -1}).value, -1);
  EXPECT_FLOAT_EQ(RingBandwidth({1, 1, 8}).value, 0);
}

}  // namespace
}  // namespace heddle
