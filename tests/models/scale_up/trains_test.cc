// SPDX-License-Identifier: GPL-2.0-only
// Trains: fewer events, and not one bit of a result differs from single packets.
#include <gtest/gtest.h>

#include "tests/models/scale_up/lane_driver.h"
#include "tests/support/results.h"
#include "tests/support/scale_up_fabric.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

/// Messages of many sizes on all lanes of a 2 x 3 x 4 torus, some of which wait for each other.
std::vector<FlowPost> Messages() {
  std::vector<FlowPost> posts;
  for (std::uint32_t npu = 0; npu < 24; ++npu) {
    const std::uint32_t up = npu % 2 == 0 ? npu + 1 : npu - 1;
    const std::uint32_t right = npu / 2 % 3 == 2 ? npu - 4 : npu + 2;
    const std::uint32_t back = npu / 6 == 0 ? npu + 18 : npu - 6;
    for (std::int64_t i = 0; i < 5; ++i) {
      posts.push_back(LanePost(npu, up, 0, 1 + 7919 * i, 1000 * i * npu));
      posts.push_back(LanePost(npu, right, 1, 100'000 + 333 * npu, 50'000 * i));
      posts.push_back(LanePost(npu, back, 4, 256 * (1 + i * npu), 0));
    }
  }
  return posts;
}

Graph Torus() {
  NetworkDimension local = Loop(2, 1);
  local.level.packet_bytes = 512;
  local.level.padded = false;
  local.level.header_bytes = 16;
  local.level.virtual_channels = 200;
  return ScaleUpFabric({local, Loop(3, 1), Loop(4, 1, 2)});
}

Observed RunMessages(bool trains, bool monitored, std::uint64_t* events) {
  TransportOptions options;
  options.scale_up.trains = trains;
  if (monitored) {
    options.monitors.links = true;
    options.monitors.link_interval = PicoSeconds(777'777);
  }
  LaneDriver driver(Messages());
  const Observed o = SimulateDriven(Torus(), &driver, options);
  EXPECT_TRUE(AllFinished(o));
  *events = o.events;
  return o;
}

TEST(Trains, AreFewerEventsAndTheSameResult) {
  for (const bool monitored : {false, true}) {
    std::uint64_t with = 0, without = 0;
    const Observed trains = RunMessages(true, monitored, &with),
                   packets = RunMessages(false, monitored, &without);
    EXPECT_LT(with, without / 4);
    EXPECT_EQ(trains.flow_digest, packets.flow_digest);
    EXPECT_EQ(Digest(trains.flows), Digest(packets.flows));
    EXPECT_EQ(Digest(trains.ports), Digest(packets.ports));
    EXPECT_EQ(trains.end, packets.end);
    EXPECT_EQ(trains.books.Values(), packets.books.Values());
    ASSERT_EQ(trains.statistics.size(), packets.statistics.size());
    for (std::size_t i = 0; i < trains.statistics.size(); ++i)
      EXPECT_EQ(Digest(trains.statistics[i]), Digest(packets.statistics[i]))
          << trains.statistics[i].name;
    ASSERT_EQ(trains.monitors.size(), packets.monitors.size());
    for (std::size_t i = 0; i < trains.monitors.size(); ++i)
      EXPECT_EQ(Digest(trains.monitors[i]), Digest(packets.monitors[i]));
  }
}

TEST(Trains, AreNotUsedWhereCreditsMayRunOut) {
  NetworkDimension ring = Loop(4, 1);
  ring.level.virtual_channels = 1;
  ring.level.buffer_flits = 2;
  LaneDriver driver({LanePost(0, 1, 0, 2560)});
  const Observed o = SimulateDriven(ScaleUpFabric({ring}), &driver);
  EXPECT_EQ(Fct(o, 0), 9 * (kPacketTime + 2 * kHop) + kPacketTime + kHop);
}

TEST(Trains, AgentsHearOfArrivalsWhenTheyAre) {
  LaneDriver driver({LanePost(0, 1, 0, 2560)});
  SimulateDriven(ScaleUpFabric({Loop(4, 1)}), &driver);
  EXPECT_EQ(driver.received(), PicoSeconds(10 * kPacketTime + kHop));
}

}  // namespace
}  // namespace heddle::testing
