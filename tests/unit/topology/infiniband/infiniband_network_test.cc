// SPDX-License-Identifier: GPL-2.0-only
/// Data rates of cables.
#include "topology/infiniband/infiniband_network.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(InfinibandRate, IsOfDataAfterEncoding) {
  EXPECT_EQ(InfinibandRate(4, "SDR").bps, 8'000'000'000);
  EXPECT_EQ(InfinibandRate(4, "DDR").bps, 16'000'000'000);
  EXPECT_EQ(InfinibandRate(4, "QDR").bps, 32'000'000'000);
  EXPECT_EQ(InfinibandRate(4, "FDR10").bps, 40'000'000'000);
  EXPECT_EQ(InfinibandRate(4, "FDR").bps, 54'545'454'544);
  EXPECT_EQ(InfinibandRate(4, "EDR").bps, 100'000'000'000);
  EXPECT_EQ(InfinibandRate(4, "HDR").bps, 200'000'000'000);
  EXPECT_EQ(InfinibandRate(4, "NDR").bps, 400'000'000'000);
  EXPECT_EQ(InfinibandRate(4, "XDR").bps, 800'000'000'000);
}

TEST(InfinibandRate, GrowsWithTheLanes) {
  for (const std::uint32_t width : {1u, 2u, 4u, 8u, 12u})
    EXPECT_EQ(InfinibandRate(width, "EDR").bps, width * 25'000'000'000);
}

TEST(InfinibandRate, OfWhatIsUnknownIsZero) {
  EXPECT_EQ(InfinibandRate(4, "???").bps, 0);
  EXPECT_EQ(InfinibandRate(4, "").bps, 0);
  EXPECT_EQ(InfinibandRate(4, "sdr").bps, 0);
  EXPECT_EQ(InfinibandRate(0, "EDR").bps, 0);
  EXPECT_EQ(InfinibandRate(3, "EDR").bps, 0);
}

}  // namespace
}  // namespace heddle
