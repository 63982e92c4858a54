// SPDX-License-Identifier: GPL-2.0-only
/// Full buffers, and the books that must balance all the same.
#include <gtest/gtest.h>

#include <set>

#include "tests/support/simulate.h"

namespace heddle::testing {
namespace {

constexpr std::uint32_t kSenders = 16;

/// `kSenders` GPUs and, on the last port of the only switch, the receiver.
Graph Star() {
  Graph graph(kSenders + 1, 0, 1, 1, "X");
  for (std::uint32_t gpu = 0; gpu <= kSenders; ++gpu) {
    graph.AddLink(
        {NodeId(gpu), NodeId(kSenders + 1), BitRate{100'000'000'000}, NanoSeconds(500), 0});
  }
  return graph;
}

std::vector<FlowRequest> Incast(std::int64_t packets) {
  std::vector<FlowRequest> flows;
  for (std::uint32_t gpu = 0; gpu < kSenders; ++gpu) {
    FlowRequest flow;
    flow.source = NodeId(gpu);
    flow.destination = NodeId(kSenders);
    flow.size = Bytes{packets * 9000};
    flows.push_back(flow);
  }
  return flows;
}

struct Expected {
  std::int64_t drops = 0;
  std::set<std::uint32_t> hurt;  // senders that lost a packet
};

/// In each slot every sender's packet arrives, in order of ports, then the egress takes the next
/// one; the first of all goes straight through. `room`: packets that fit into the buffer.
Expected CountDrops(std::int64_t packets, std::int64_t room) {
  Expected expected;
  std::int64_t queued = 0;
  for (std::int64_t slot = 0; slot < packets; ++slot) {
    for (std::uint32_t gpu = 0; gpu < kSenders; ++gpu) {
      if (slot == 0 && gpu == 0) continue;
      if (queued < room) {
        ++queued;
      } else {
        ++expected.drops;
        expected.hurt.insert(gpu);
      }
    }
    if (slot > 0) --queued;
  }
  return expected;
}

TEST(Buffer, OverflowIsCountedWhereItHappens) {
  constexpr std::int64_t kPackets = 40;
  TransportOptions options;
  options.has_window = false;
  for (std::int64_t mib : {1, 2, 32}) {
    options.buffer_mib = mib;
    const Expected expected = CountDrops(kPackets, mib * 1048576 / 9052);
    const Outcome outcome = Simulate(Star(), Incast(kPackets), options);  // checks conservation
    EXPECT_EQ(outcome.books.dropped_packets, expected.drops) << mib;
    EXPECT_EQ(outcome.books.dropped_bytes, expected.drops * 9052);
    EXPECT_EQ(outcome.books.injected_packets, outcome.books.received_packets + expected.drops);
    const auto& fct = ValuesOf<std::int64_t>(outcome.flows, "fct_ps");
    ASSERT_EQ(fct.size(), kSenders);
    for (std::uint32_t gpu = 0; gpu < kSenders; ++gpu) {
      EXPECT_EQ(fct[gpu] == -1, expected.hurt.count(gpu) == 1) << gpu;
    }
    EXPECT_EQ(outcome.books.flows_finished,
              static_cast<std::int64_t>(kSenders - expected.hurt.size()));
    if (expected.drops == 0) {
      EXPECT_EQ(mib, 32);
      EXPECT_TRUE(ValuesOf<std::uint32_t>(outcome.drops, "node").empty());
      continue;
    }
    EXPECT_EQ(ValuesOf<std::uint32_t>(outcome.drops, "node"),
              std::vector<std::uint32_t>{kSenders + 1});
    EXPECT_EQ(ValuesOf<std::uint32_t>(outcome.drops, "port"), std::vector<std::uint32_t>{kSenders});
    EXPECT_EQ(ValuesOf<std::int64_t>(outcome.drops, "packets"),
              std::vector<std::int64_t>{expected.drops});
  }
}

TEST(Conservation, AVanishedPacketIsNoticed) {
  TransportOptions options;
  EXPECT_NO_THROW(Simulate(Star(), Incast(3), options));
  options.lose_packet = 2;
  try {
    Simulate(Star(), Incast(3), options);
    FAIL() << "not noticed";
  } catch (const SharedError& error) {
    EXPECT_EQ(error.code(), ExitCode::kInvariantViolated);
  }
}

}  // namespace
TEST(Conservation, LosePacketLosesOnePacketOnly) {
  Graph graph(2, 0, 1, 1, "X");
  graph.AddLink({NodeId(0), NodeId(2), BitRate{100'000'000'000}, NanoSeconds(500), 0});
  graph.AddLink({NodeId(1), NodeId(2), BitRate{100'000'000'000}, NanoSeconds(500), 0});
  FlowRequest flow;
  flow.source = NodeId(0);
  flow.destination = NodeId(1);
  flow.size = Bytes{90000};
  TransportOptions options;
  options.has_window = false;
  options.lose_packet = 3;
  Cut cut;
  cut.grain = 0;
  try {
    Simulate(graph, {flow}, options, cut);
    FAIL();
  } catch (const SharedError& error) {
    EXPECT_NE(std::string(error.what()).find(" 1 packets are missing"), std::string::npos) << error.what();
  }
}

}  // namespace heddle::testing
