// SPDX-License-Identifier: GPL-2.0-only
/// Closed forms by hand: formulas on given figures, and figures of small fabrics.
#include "collectives/closed_form/closed_form.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "collectives/algorithms/make_schedule.h"
#include "collectives/closed_form/closed_prices.h"
#include "core/base/check.h"

namespace heddle {
namespace {

ClosedFormInput Ring(double load, double latency) {
  ClosedFormInput input;
  input.order = MessageOrder::kSteps;
  input.load.network = load;
  input.steps = {0, 6};
  input.latency_between = latency;
  return input;
}

TEST(ClosedForm, ARingOfNicsIsBytesAndLatencies) {
  EXPECT_DOUBLE_EQ(ClosedFormSeconds(Ring(60e-6, 5e-6)), 60e-6 + 6 * 5e-6);
  ClosedFormInput with_base = Ring(60e-6, 5e-6);
  with_base.base = 8e-6;
  EXPECT_DOUBLE_EQ(ClosedFormSeconds(with_base), 98e-6);
}

TEST(ClosedForm, RingsThatShareAPortAndKeepStepWaitForAll) {
  ClosedFormInput input;
  input.load.inside = 80e-6;
  input.steps = {4, 0};
  input.latency_inside = 3e-6;
  input.channels = 8;
  EXPECT_NEAR(ClosedFormSeconds(input), 80e-6 + 4 * 3e-6, 1e-15);
}

ClosedFormInput TwoKindsOfSteps() {
  ClosedFormInput input;
  input.load.inside = 80e-6;
  input.load.network = 20e-6;
  input.steps = {3, 1};
  input.latency_inside = 10e-6;
  input.latency_between = 20e-6;
  input.channels = 4;
  return input;
}

TEST(ClosedForm, RingsThatLoseStepShareAsOftenAsThePortIsBusy) {
  // A = 3 (80/4/4 + 10) + 20/4 + 20 = 70, B = 3 (80/4) 3/4 = 45, g = 1/4, P = 80, A + B - P = 35.
  const double t = ClosedFormSeconds(TwoKindsOfSteps()) * 1e6;
  const double u = 80 / t;
  EXPECT_NEAR(t, 70 + 45 * (u + (1 - u) / 4) - 35 * std::pow(u, 12), 1e-6);
  EXPECT_GT(t, 80);
  EXPECT_LT(t, 115) << "all in step";
}

TEST(ClosedForm, APortThatIsNeverIdleHidesLatencies) {
  ClosedFormInput input = TwoKindsOfSteps();
  input.load.inside = 8e-3;
  input.load.network = 2e-3;
  EXPECT_NEAR(ClosedFormSeconds(input), 8e-3, 8e-3 * 0.01);
  EXPECT_GE(ClosedFormSeconds(input), 8e-3) << "the port has no less to do";
}

TEST(ClosedForm, OnItsWayUpATreeTheFirstPieceMeetsThoseBehindIt) {
  ClosedFormInput input;
  input.order = MessageOrder::kPieces;
  input.up_and_down = true;
  input.load.network = 60e-6;
  input.steps = {4, 2};
  input.latency_inside = 1e-6;
  input.latency_between = 5e-6;
  input.piece_inside = 2e-6;
  input.share = 2;
  input.piece_between = 10e-6;
  input.pieces = 3;
  // Up 2 + 1 and 4 + 1, between twice 15, down twice 1 + 1, then two pieces of 20.
  EXPECT_NEAR(ClosedFormSeconds(input), (8 + 30 + 4 + 40) * 1e-6, 1e-12);
  input.pieces = 1;
  input.load.network = 20e-6;
  EXPECT_NEAR(ClosedFormSeconds(input), (6 + 30 + 4) * 1e-6, 1e-12) << "none behind it";
  input.load.inside = 50e-6;
  EXPECT_NEAR(ClosedFormSeconds(input), 50e-6, 1e-12) << "the port has no less to do";
}

TEST(ClosedForm, PiecesFollowTheFirst) {
  ClosedFormInput input;
  input.order = MessageOrder::kPieces;
  input.load.network = 40e-6;
  input.steps = {0, 3};
  input.latency_between = 5e-6;
  input.piece_between = 8e-6;
  input.pieces = 4;
  input.in_flight = 4;
  EXPECT_NEAR(ClosedFormSeconds(input), 3 * 13e-6 + 3 * 10e-6, 1e-15) << "the port is the limit";
  input.in_flight = 1;
  EXPECT_NEAR(ClosedFormSeconds(input), 3 * 13e-6 + 3 * 13e-6, 1e-15) << "the flight is";
}

TEST(ClosedForm, WhatIsSentAtOnceTakesThePortAndALatency) {
  ClosedFormInput input;
  input.order = MessageOrder::kAtOnce;
  input.load.network = 40e-6;
  input.load.fabric = 90e-6;
  input.steps = {0, 1};
  input.latency_between = 5e-6;
  EXPECT_DOUBLE_EQ(ClosedFormSeconds(input), 95e-6) << "an oversubscribed leaf counts";
}

TEST(PortRates, AQueuePairUsesOnePort) {
  const PortRates two{0, 400e9, 2};
  EXPECT_DOUBLE_EQ(two.NetworkOf(1), 200e9);
  EXPECT_DOUBLE_EQ(two.NetworkOf(2), 400e9);
  EXPECT_DOUBLE_EQ(two.NetworkOf(9), 400e9);
  EXPECT_DOUBLE_EQ(PortRates().NetworkOf(3), 0);
}

constexpr std::int64_t kGbps = 1'000'000'000;

/// Two servers of two GPUs (0 to 3) with an NVSwitch each (4, 5); switches 6 and 7 for the NICs of
/// a server, and 8 between them.
Graph TwoServers(std::int64_t uplink = 200) {
  Graph graph(4, 2, 3, 2, "H100");
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
    graph.AddLink({NodeId(gpu), NodeId(4 + gpu / 2), BitRate{800 * kGbps}, NanoSeconds(25)});
    graph.AddLink({NodeId(gpu), NodeId(6 + gpu / 2), BitRate{100 * kGbps}, NanoSeconds(500)});
  }
  for (std::uint32_t leaf = 6; leaf < 8; ++leaf)
    graph.AddLink({NodeId(leaf), NodeId(8), BitRate{uplink * kGbps}, NanoSeconds(500)});
  return graph;
}

std::vector<NodeId> Gpus(std::uint32_t count) {
  std::vector<NodeId> gpus;
  for (std::uint32_t gpu = 0; gpu < count; ++gpu) gpus.emplace_back(gpu);
  return gpus;
}

PortLoad LoadOfAllToAll(const Graph& graph, std::int64_t bytes) {
  const GroupShape shape(graph, Gpus(4));
  CollectiveSpec spec;
  spec.operation = Operation::kAllToAll;
  spec.bytes = bytes;
  AlgorithmChoice choice;
  choice.algorithm = Algorithm::kDirect;
  const auto schedule = MakeSchedule(spec, choice, shape, {});
  return LoadOf(graph, shape, *schedule, Protocol::kNone, {1000, 0});
}

TEST(PortLoad, EachPortCarriesWhatTheScheduleSends) {
  // Each GPU sends 1 MB to its mate and to both of the other server.
  const PortLoad load = LoadOfAllToAll(TwoServers(), 4'000'000);
  EXPECT_DOUBLE_EQ(load.inside, 8e6 / 800e9);
  EXPECT_DOUBLE_EQ(load.network, 2 * 8e6 / 100e9);
  EXPECT_DOUBLE_EQ(load.fabric, 4 * 8e6 / 200e9) << "as fast as the NICs below";
  EXPECT_DOUBLE_EQ(LoadOfAllToAll(TwoServers(50), 4'000'000).fabric, 4 * 8e6 / 50e9);
}

TEST(WireFigures, PacketsHaveHeaders) {
  const WireFigures wire{1000, 50};
  EXPECT_DOUBLE_EQ(wire.BytesOnWire(2500), 2500 + 3 * 50);
  EXPECT_DOUBLE_EQ(wire.LargestPacket(2500), 1050);
  EXPECT_DOUBLE_EQ(wire.LargestPacket(10), 60);
}

CollectiveCall Call(const std::vector<NodeId>& members, std::int64_t bytes) {
  CollectiveCall call;
  call.bytes = bytes;
  call.members = members.data();
  call.ranks = static_cast<std::uint32_t>(members.size());
  return call;
}

TEST(ClosedPrices, AReductionInAServerIsItsRing) {
  const Graph graph = TwoServers();
  CollectiveOptions options;
  options.send_latency = MicroSeconds(6);
  ClosedPrices prices(graph, options, {1000, 0});
  const std::vector<NodeId> pair = Gpus(2);
  // Two rings share the NVLink: each of two steps carries half of 8 MB over 800 Gbps. A message
  // waits 6 us and 10 ns, crosses two links of 25 ns, and is stored once as a packet of 1,000
  // bytes.
  const double latency = 6.01e-6 + 50e-9 + 8000 / 800e9;
  const double expected = 2 * (4e6 * 8 / 800e9 + latency);
  EXPECT_NEAR(prices.PriceOf(Call(pair, 8'000'000)).seconds(), expected, 1e-9);
}

TEST(ClosedPrices, GroupsOfOneShapeCostTheSame) {
  const Graph graph = TwoServers();
  CollectiveOptions options;
  ClosedPrices prices(graph, options, {1000, 0});
  const std::vector<NodeId> first = {NodeId(0), NodeId(1)}, second = {NodeId(2), NodeId(3)};
  const std::vector<NodeId> across = {NodeId(0), NodeId(2)};
  CollectiveCall call = Call(first, 1'000'000);
  const Time inside = prices.PriceOf(call);
  call = Call(second, 1'000'000);
  call.name.group = 1;
  EXPECT_EQ(prices.PriceOf(call), inside);
  call = Call(across, 1'000'000);
  call.name.group = 2;
  EXPECT_GT(prices.PriceOf(call), inside) << "over NICs";
}

// A message between servers that has arrived when its sender has the answer takes the answer's
// time, too: four links, and 60 bytes on each.
TEST(ClosedPrices, AnAnswerCountsIfMessagesWaitForIt) {
  const Graph graph = TwoServers();
  CollectiveOptions options;
  const std::vector<NodeId> pair = {NodeId(0), NodeId(2)};
  CollectiveCall call = Call(pair, 1000);
  call.operation = Operation::kSendRecv;
  call.peer = 1;
  WireFigures wire{1000, 50, 1, false, 60};
  ClosedPrices received(graph, options, wire);
  wire.acked = true;
  ClosedPrices acked(graph, options, wire);
  const double back = 4 * 500e-9 + 2 * 8 * 60 / 100e9 + 2 * 8 * 60 / 200e9;
  EXPECT_NEAR(acked.PriceOf(call).seconds() - received.PriceOf(call).seconds(), back, 2e-12);
}

TEST(ClosedPrices, MoreBytesTakeLonger) {
  const Graph graph = TwoServers();
  CollectiveOptions options;
  ClosedPrices prices(graph, options, {1000, 52});
  const std::vector<NodeId> all = Gpus(4);
  for (const Operation operation : {Operation::kAllReduce, Operation::kAllGather,
                                    Operation::kAllToAll, Operation::kBroadcast}) {
    Time before{0};
    for (std::int64_t bytes = 1; bytes <= std::int64_t{1} << 30; bytes *= 4) {
      CollectiveCall call = Call(all, bytes);
      call.operation = operation;
      const Time price = prices.PriceOf(call);
      EXPECT_GE(price, before) << ToText(operation) << " of " << bytes;
      before = price;
    }
  }
}

}  // namespace
}  // namespace heddle
