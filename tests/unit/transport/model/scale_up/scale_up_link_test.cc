// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/scale_up/scale_up_link.h"

#include <gtest/gtest.h>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr BitRate kPackageRate{200'000'000'000};

/// Table IV of ASTRA-SIM, links between packages.
ScaleUpLevel Package() {
  ScaleUpLevel level;
  level.name = "package";
  level.packet_bytes = 256;
  level.efficiency = 0.94;
  level.flit_bytes = 128;
  level.buffer_flits = 5000;
  level.virtual_channels = 50;
  return level;
}

ScaleUpLink LinkOf(const ScaleUpLevel& level) {
  return ScaleUpLink(level, kPackageRate, NanoSeconds(202));
}

TEST(ScaleUpLink, TheEfficiencyTakesItsShareOfTheRate) {
  // 256 * 8 / 188 Gbps = 10.893617 ns, rounded up to picoseconds.
  EXPECT_EQ(LinkOf(Package()).full_time(), PicoSeconds(10894));
}

TEST(ScaleUpLink, WholeMessagesOfAnySizeHaveATime) {
  ScaleUpLevel level;
  level.packet_bytes = ScaleUpLevel::kWholeMessages;
  level.padded = false;
  const ScaleUpLink link(level, kPackageRate, NanoSeconds(202));
  EXPECT_EQ(link.PacketsOf(1 << 30), 1);
  EXPECT_EQ(link.PacketTime(25), PicoSeconds(1000));
  EXPECT_EQ(link.PacketTime(1LL << 30), PicoSeconds(42'949'672'960));
  EXPECT_EQ(link.PacketTime((1LL << 30) + 1), PicoSeconds(42'949'673'000));
  const ScaleUpLink cut(level, kPackageRate, PicoSeconds(202'500), true);
  EXPECT_EQ(cut.PacketTime((1LL << 30) + 1), NanoSeconds(42'949'673));
  EXPECT_EQ(cut.PacketTime(1LL << 30), NanoSeconds(42'949'672));
  // Cut after the delay: 1.96 + 202.5 ns.
  EXPECT_EQ(cut.Reach(49, 1), NanoSeconds(204));
}

TEST(ScaleUpLink, PaddedPacketsAreAllOfOneSize) {
  const ScaleUpLink link = LinkOf(Package());
  EXPECT_EQ(link.PacketsOf(1), 1);
  EXPECT_EQ(link.PacketsOf(256), 1);
  EXPECT_EQ(link.PacketsOf(257), 2);
  EXPECT_EQ(link.WireBytes(1), 256);
  EXPECT_EQ(link.WireBytes(257, 2), 512);
  EXPECT_EQ(link.TrainTime(257, 2), PicoSeconds(2 * 10894));
}

TEST(ScaleUpLink, OthersAreAsLongAsTheirPayloadAndHeader) {
  ScaleUpLevel level = Package();
  level.padded = false;
  level.header_bytes = 16;
  level.efficiency = 1;
  const ScaleUpLink link = LinkOf(level);
  EXPECT_EQ(link.WireBytes(1), 17);
  EXPECT_EQ(link.WireBytes(256 + 10, 2), 272 + 26);
  EXPECT_EQ(link.PacketTime(10), PicoSeconds(26 * 40));
  EXPECT_EQ(link.TrainTime(256 + 10, 2), PicoSeconds((272 + 26) * 40));
  EXPECT_EQ(link.FlitsOf(272), 3u);
  EXPECT_EQ(link.FlitsOf(128), 1u);
}

TEST(ScaleUpLink, CreditsLastIfTheBuffersOutlastTheirRoundTrip) {
  EXPECT_FALSE(LinkOf(Package()).MayRunOut());
  ScaleUpLevel level = Package();
  level.buffer_flits = 0;
  EXPECT_FALSE(LinkOf(level).MayRunOut());
  // 404 ns and a packet are 38.1 packets of 10.894 ns.
  level.buffer_flits = 2;
  level.virtual_channels = 39;
  EXPECT_FALSE(LinkOf(level).MayRunOut());
  level.virtual_channels = 38;
  EXPECT_TRUE(LinkOf(level).MayRunOut());
  level.credit_delay = NanoSeconds(100);
  level.virtual_channels = 39;
  EXPECT_TRUE(LinkOf(level).MayRunOut());
}

TEST(ScaleUpLink, ABufferHoldsAPacket) {
  ScaleUpLevel level = Package();
  level.buffer_flits = 1;
  try {
    LinkOf(level);
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("'package': buffers of 1 flits, but a packet has 2"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace heddle
