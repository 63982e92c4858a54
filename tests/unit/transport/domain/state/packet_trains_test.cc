// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/state/packet_trains.h"

#include <gtest/gtest.h>

#include "tests/support/simulate.h"
#include "tests/support/small_fabric.h"

namespace heddle {
namespace {

using testing::Fct;
using testing::Flow;
using testing::Simulate;

/// GPUs 0 to 3 on NVSwitch 4 by 400 Gbps and 25 ns, and on leaf 5.
Graph Server() {
  Graph graph(4, 1, 1, 4, "H100");
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
    graph.AddLink({NodeId(gpu), NodeId(4), BitRate{400'000'000'000}, NanoSeconds(25)});
    graph.AddLink({NodeId(gpu), NodeId(5), BitRate{100'000'000'000}, MicroSeconds(1)});
  }
  return graph;
}

TEST(PacketTrains, CountTheHeadersOfAllPackets) {
  const PacketTrains trains(Server(), 1000, 52, 4);
  EXPECT_EQ(trains.packets(), 4);
  EXPECT_EQ(trains.PayloadOf(NodeId(0), NodeId(4)), 4000);
  EXPECT_EQ(trains.PayloadOf(NodeId(4), NodeId(0)), 4000);
  EXPECT_EQ(trains.PayloadOf(NodeId(0), NodeId(1)), 1000);
  EXPECT_EQ(trains.PayloadOf(NodeId(0), NodeId(5)), 1000);
  for (const std::int64_t payload : {1, 999, 1000, 1001, 2000, 2001, 3999, 4000}) {
    const std::int64_t packets = (payload + 999) / 1000;
    EXPECT_EQ(trains.WireBytes(payload), payload + 52 * packets) << payload;
    EXPECT_EQ(trains.PayloadIn(trains.WireBytes(payload)), payload);
  }
}

TEST(PacketTrains, FitARecord) {
  EXPECT_EQ(PacketTrains(Server(), 9000, 52, 64).packets(), 7) << "65535 / 9052";
  EXPECT_EQ(PacketTrains(Server(), 60'000, 52, 64).packets(), 1);
  EXPECT_EQ(PacketTrains(Server(), 60'000, 52, 64).PayloadOf(NodeId(0), NodeId(4)), 60'000);
  EXPECT_EQ(PacketTrains().packets(), 1);
}

/// Whole picoseconds a byte at 400 Gbps: the time of packet by packet, but for the 1.2 ns of an ACK
/// that the last one may meet.
TEST(PacketTrains, TakeAsLongAsTheirPackets) {
  TransportOptions one_by_one, in_trains;
  in_trains.nvlink.train = 7;
  for (const std::int64_t size : {1, 9000, 9001, 63'000, 63'001, 1'000'000}) {
    for (const bool up : {true, false}) {
      const auto flow = up ? Flow(0, 4, size) : Flow(4, 0, size);
      const auto single = Simulate(Server(), {flow}, one_by_one),
                 train = Simulate(Server(), {flow}, in_trains);
      EXPECT_LE(Fct(train, 0), Fct(single, 0)) << size;
      EXPECT_GE(Fct(train, 0), Fct(single, 0) - 1200) << size;
      const std::int64_t packets = (size + 8999) / 9000, trains = (size + 62'999) / 63'000;
      EXPECT_EQ(train.books.injected_packets, 2 * trains) << "each has an ACK";
      EXPECT_EQ(train.books.injected_bytes, size + kHeaderBytes * packets + kAckBytes * trains);
    }
  }
}

TEST(PacketTrains, AreNotMadeWherePacketsCountOneByOne) {
  TransportOptions options;
  options.nvlink.train = 7;
  EXPECT_EQ(options.train_packets(), 7);
  options.reliability.selective_repeat = true;
  EXPECT_EQ(options.train_packets(), 1);
  options.reliability.selective_repeat = false;
  options.protocol = TransportOptions::Protocol::kUec;
  EXPECT_EQ(options.train_packets(), 1);
}

}  // namespace
}  // namespace heddle
