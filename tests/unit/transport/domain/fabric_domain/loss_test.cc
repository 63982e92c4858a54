// SPDX-License-Identifier: GPL-2.0-only
/// Full buffers, and the books that must balance all the same.
#include <gtest/gtest.h>

#include <utility>

#include "tests/support/simulate.h"

namespace heddle::testing {
namespace {

constexpr std::uint32_t kSenders = 16;

/// `kSenders` GPUs and, on the last port of the only switch, the receiver.
Graph SmallStar() {
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

TransportOptions Blast(std::int64_t buffer_mib, bool pfc) {
  TransportOptions options;
  options.congestion.mode = 0;
  options.has_window = false;
  options.buffer.buffer_mib = buffer_mib;
  options.pfc.enabled = pfc;
  return options;
}

/// 16 senders put 40 packets each into 1 or 2 MiB while 40 leave: without PFC most of the 5.8 MB
/// cannot stay. All are dropped at the egress to the receiver, and go-back-N brings every flow home
/// all the same.
TEST(Buffer, OverflowIsCountedWhereItHappensAndRecoveredFrom) {
  constexpr std::int64_t kPackets = 40;
  for (std::int64_t mib : {1, 2}) {
    const Observed outcome =
        Simulate(SmallStar(), Incast(kPackets), Blast(mib, false));  // checks conservation
    // Of the 16 * 40 packets at most those fit that fill the buffer, and 40 leave while they come.
    EXPECT_GE(outcome.books.dropped_packets, 16 * kPackets - mib * 1048576 / 9052 - kPackets)
        << mib;
    EXPECT_EQ(outcome.books.dropped_bytes, outcome.books.dropped_packets * 9052);
    EXPECT_EQ(outcome.books.injected_packets,
              outcome.books.received_packets + outcome.books.dropped_packets);
    EXPECT_EQ(outcome.books.flows_finished, kSenders);
    EXPECT_GT(outcome.books.nacks, 0);
    EXPECT_GE(outcome.books.resent_bytes,
              outcome.books.dropped_packets * 9000 - 16 * kPackets * 9000);
    EXPECT_EQ(GetColumn<std::uint32_t>(outcome.drops, "node"),
              std::vector<std::uint32_t>{kSenders + 1});
    EXPECT_EQ(GetColumn<std::uint32_t>(outcome.drops, "port"),
              std::vector<std::uint32_t>{kSenders});
    EXPECT_EQ(GetColumn<std::string>(outcome.drops, "reason"),
              std::vector<std::string>{"buffer full"});
    EXPECT_EQ(GetColumn<std::int64_t>(outcome.drops, "packets"),
              std::vector<std::int64_t>{outcome.books.dropped_packets});
  }
}

TEST(Buffer, NothingIsLostInALargeOneOrWithPfc) {
  constexpr std::int64_t kPackets = 40;
  for (const auto& [mib, pfc] :
       {std::pair<std::int64_t, bool>{32, false}, {32, true}, {1, true}, {2, true}}) {
    const Observed outcome = Simulate(SmallStar(), Incast(kPackets), Blast(mib, pfc));
    EXPECT_EQ(outcome.books.dropped_packets, 0) << mib;
    EXPECT_EQ(outcome.books.flows_finished, kSenders);
    EXPECT_EQ(outcome.books.resent_bytes, 0);
    EXPECT_EQ(outcome.books.pauses > 0, pfc && mib < 32) << mib;
    EXPECT_TRUE(GetColumn<std::uint32_t>(outcome.drops, "node").empty());
  }
}

TEST(Conservation, AVanishedPacketIsNoticed) {
  TransportOptions options;
  EXPECT_NO_THROW(Simulate(SmallStar(), Incast(3), options));
  options.lose_packet = 2;
  try {
    Simulate(SmallStar(), Incast(3), options);
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
  RunPlan plan;
  plan.grain = 0;
  try {
    Simulate(graph, {flow}, {options, plan});
    FAIL();
  } catch (const SharedError& error) {
    EXPECT_NE(std::string(error.what()).find(" 1 packets are missing"), std::string::npos)
        << error.what();
  }
}

}  // namespace heddle::testing
