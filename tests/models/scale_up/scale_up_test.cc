// SPDX-License-Identifier: GPL-2.0-only
// Packets of scale-up links: times by hand, credits, and rings that deadlock.
#include <gtest/gtest.h>

#include "tests/support/scale_up_fabric.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

/// A ring in one direction whose far ends hold this many packets of a hop.
Graph NarrowRing(std::uint32_t size, std::int64_t packets) {
  NetworkDimension ring = Loop(size, 1);
  ring.level.virtual_channels = 1;
  ring.level.buffer_flits = packets * 2;
  return ScaleUpFabric({ring});
}

TEST(ScaleUp, APaddedMessageTakesWholePackets) {
  const Observed o = Simulate(ScaleUpFabric({Loop(4, 1)}), {Flow(0, 1, 1000)});
  ASSERT_TRUE(AllFinished(o));
  EXPECT_EQ(Fct(o, 0), 4 * kPacketTime + kHop);
  EXPECT_EQ(Received(o, 0), 4 * kPacketTime + kHop);
  EXPECT_EQ(o.books.link_packets, 4);
  EXPECT_EQ(PortFigure(o, 0, 0, "sent_bytes"), 1024);
}

TEST(ScaleUp, PacketsPassThroughNodesOneByOne) {
  const Observed o = Simulate(ScaleUpFabric({Loop(4, 1)}), {Flow(0, 3, 2560)});
  EXPECT_EQ(Fct(o, 0), 12 * kPacketTime + 3 * kHop);
  EXPECT_EQ(o.books.link_packets, 30);
  EXPECT_EQ(GetColumn<std::int64_t>(o.flows, "ideal_ps").at(0), Fct(o, 0));
}

TEST(ScaleUp, FlowsOfAPortGoOneAfterTheOther) {
  const Observed o = Simulate(ScaleUpFabric({Loop(4, 1)}), {Flow(0, 1, 2560), Flow(0, 1, 2560)});
  EXPECT_EQ(Fct(o, 0), 10 * kPacketTime + kHop);
  EXPECT_EQ(Fct(o, 1), 20 * kPacketTime + kHop);
}

TEST(ScaleUp, OwnAndPassingPacketsTakeTurns) {
  // 3's packets reach 0 after a hop; then the two share the link to 1, packet by packet. What 0
  // still has to send then takes twice as long; afterwards 3's rest, which waits at 0, goes alone.
  const Observed o =
      Simulate(ScaleUpFabric({Loop(4, 1)}), {Flow(0, 1, 256 * 100), Flow(3, 1, 256 * 100)});
  const std::int64_t alone = (kHop + kPacketTime) / kPacketTime + 1;  // packets begun before then
  EXPECT_EQ(alone, 21);
  EXPECT_EQ(Fct(o, 0), (alone + 2 * (100 - alone)) * kPacketTime + kHop);
  EXPECT_EQ(Fct(o, 1), 200 * kPacketTime + kHop);
}

TEST(ScaleUp, CreditsLimitARate) {
  // Each packet waits for the credit of the one before: 10.24 ns there, 404 ns round.
  const Observed one = Simulate(NarrowRing(4, 1), {Flow(0, 1, 2560)});
  EXPECT_EQ(Fct(one, 0), 9 * (kPacketTime + 2 * kHop) + kPacketTime + kHop);
  const Observed two = Simulate(NarrowRing(4, 2), {Flow(0, 1, 2560)});
  EXPECT_EQ(Fct(two, 0), 4 * (kPacketTime + 2 * kHop) + 2 * kPacketTime + kHop);
  TransportOptions endless;
  endless.scale_up.credits = false;
  const Observed free = Simulate(NarrowRing(4, 1), {Flow(0, 1, 2560)}, endless);
  EXPECT_EQ(Fct(free, 0), 10 * kPacketTime + kHop);
}

TEST(ScaleUp, FullRingsDeadlockAndSayWhere) {
  std::vector<FlowRequest> flows;
  for (std::uint32_t i = 0; i < 4; ++i) flows.push_back(Flow(i, (i + 2) % 4, 256 * 100));
  const Observed stuck = Simulate(NarrowRing(4, 1), flows);
  EXPECT_FALSE(AllFinished(stuck));
  EXPECT_EQ(stuck.deadlock,
            "server 0 / GPU 0 port 0 -> server 0 / GPU 1 port 1 -> server 0 / GPU 2 port 1 -> "
            "server 0 / GPU 3 port 1 -> server 0 / GPU 0 port 0 (priority 0)");
  TransportOptions endless;
  endless.scale_up.credits = false;
  EXPECT_TRUE(AllFinished(Simulate(NarrowRing(4, 1), flows, endless)));
}

TEST(ScaleUp, LevelsHavePacketsOfTheirOwn) {
  NetworkDimension large = Loop(2, 1);
  large.level.packet_bytes = 512;
  // A packet of 512 bytes is two on the next link; one of 256 is padded there.
  const Observed cut = Simulate(ScaleUpFabric({large, Loop(2, 1)}), {Flow(0, 3, 1024)});
  EXPECT_EQ(Fct(cut, 0), 2 * kPacketTime + 4 * kPacketTime + 2 * kHop);
  EXPECT_EQ(Fct(cut, 0), GetColumn<std::int64_t>(cut.flows, "ideal_ps").at(0));
  const Observed padded = Simulate(ScaleUpFabric({Loop(2, 1), large}), {Flow(0, 3, 1024)});
  EXPECT_EQ(Fct(padded, 0), kPacketTime + 4 * 2 * kPacketTime + 2 * kHop);
  EXPECT_EQ(Fct(padded, 0), GetColumn<std::int64_t>(padded.flows, "ideal_ps").at(0));
  // Buffers that hold one small packet pass a large one as well.
  NetworkDimension narrow = Loop(2, 1);
  narrow.level.virtual_channels = 1;
  narrow.level.buffer_flits = 2;
  EXPECT_TRUE(AllFinished(Simulate(ScaleUpFabric({large, narrow}), {Flow(0, 3, 5120)})));
}

TEST(ScaleUp, WithoutCongestionMessagesDoNotMeet) {
  TransportOptions apart;
  apart.scale_up.congestion = false;
  // Three share the link from 0 to 1: two of its own, one that passes. A hop more is a delay more.
  const Observed o = Simulate(ScaleUpFabric({Loop(4, 1)}),
                              {Flow(0, 1, 2560), Flow(0, 1, 2560), Flow(3, 1, 2560)}, apart);
  ASSERT_TRUE(AllFinished(o));
  EXPECT_EQ(Fct(o, 0), 10 * kPacketTime + kHop);
  EXPECT_EQ(Fct(o, 1), 10 * kPacketTime + kHop);
  EXPECT_EQ(Fct(o, 2), 10 * kPacketTime + 2 * kHop);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(Fct(o, i), GetColumn<std::int64_t>(o.flows, "ideal_ps").at(i));
  // Credits that would run out do not matter.
  const Observed narrow = Simulate(NarrowRing(4, 1), {Flow(0, 2, 2560)}, apart);
  EXPECT_EQ(Fct(narrow, 0), 10 * kPacketTime + 2 * kHop);
  // A slower link on the way takes the difference.
  NetworkDimension slow = Loop(2, 1);
  slow.rate = BitRate{100'000'000'000};
  const Observed slower = Simulate(ScaleUpFabric({Loop(2, 1), slow}), {Flow(0, 3, 2560)}, apart);
  EXPECT_EQ(Fct(slower, 0), 20 * kPacketTime + 2 * kHop);
  EXPECT_EQ(Fct(slower, 0), GetColumn<std::int64_t>(slower.flows, "ideal_ps").at(0));
}

TEST(ScaleUp, WholeMessagesAreStoredAndForwarded) {
  NetworkDimension whole = Switched(4);
  whole.level.packet_bytes = ScaleUpLevel::kWholeMessages;
  whole.level.padded = false;
  whole.level.buffer_flits = 0;
  const Observed o = Simulate(ScaleUpFabric({whole}), {Flow(0, 3, 1'000'000)});
  EXPECT_EQ(Fct(o, 0), 2 * 40'000'000 + 2 * (kHop - 1000));
  EXPECT_EQ(o.books.link_packets, 2);
  // 8 * 1001 bits at 200 Gbps are 40.04 ns, cut down to 40.
  ScaleUpNetwork network;
  network.dimensions = {whole};
  network.whole_ns = true;
  const Observed cut = Simulate(MakeScaleUpGraph(network), {Flow(0, 3, 1001)});
  EXPECT_EQ(Fct(cut, 0), 2 * 40'000 + 2 * (kHop - 1000));
  EXPECT_EQ(Fct(cut, 0), GetColumn<std::int64_t>(cut.flows, "ideal_ps").at(0));
}

TEST(ScaleUp, ASwitchForwards) {
  const Observed o = Simulate(ScaleUpFabric({Switched(4, 2)}), {Flow(0, 3, 2560)});
  EXPECT_EQ(Fct(o, 0), 11 * kPacketTime + 2 * (kHop - 1000));
}

}  // namespace
}  // namespace heddle::testing
