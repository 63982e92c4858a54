// SPDX-License-Identifier: GPL-2.0-only
/// Flows that begin or end at an NVSwitch (NVLS), and what an NVSwitch does not support: PFC, ECN.
#include <gtest/gtest.h>

#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

/// 2880 Gbps: 9052 bytes take 25,144.44.. ps, rounded up; an ACK 166.66..
constexpr std::int64_t kNvTx = 25'145, kNvAck = 167, kNvDelay = 25'000;

/// `gpus` of one server on NVSwitch `gpus`.
Graph Server(std::uint32_t gpus) {
  Graph graph(gpus, 1, 0, gpus, "X");
  for (std::uint32_t i = 0; i < gpus; ++i)
    graph.AddLink({NodeId(i), NodeId(gpus), BitRate{2880 * kG}, PicoSeconds(kNvDelay), 0});
  return graph;
}

TEST(Nvls, OneLinkEachWay) {
  for (std::int64_t packets : {1, 10}) {
    for (bool up : {true, false}) {
      const Observed outcome = Simulate(
          Server(2), {up ? Flow(0, 2, packets * 9000) : Flow(2, 0, packets * 9000)}, Unlimited());
      EXPECT_EQ(Received(outcome, 0), packets * kNvTx + kNvDelay);
      EXPECT_EQ(Fct(outcome, 0), packets * kNvTx + kNvDelay + kNvAck + kNvDelay);
    }
  }
}

TEST(Nvls, BothWaysShareTheLinkWithEachOthersAcks) {
  // 10 packets each way. A packet arrives each tx, from tx + D on; its ACK goes before the next
  // packet. Packet 0's arrives at 50,145, in the midst of packet 1 (25,145 to 50,290); so before
  // packets 2 to 9 there is an ACK each: 8 of them.
  const Observed outcome =
      Simulate(Server(2), {Flow(0, 2, 90'000), Flow(2, 0, 90'000)}, Unlimited());
  for (std::size_t i : {0U, 1U})
    EXPECT_EQ(Received(outcome, i), 10 * kNvTx + 8 * kNvAck + kNvDelay) << i;
}

TEST(Nvls, AnAckOfNoTimeDoesNotStopOwnFlows) {
  // Rounded down to whole nanoseconds a full packet takes 25, an ACK none. A byte from the GPU
  // arrives at 35 ns, while the NVSwitch's second packet is on the wire; its ACK is sent at 50, and
  // the third packet too. (That packet used to wait for another event at the NVSwitch: the first
  // packet's ACK, 25 ns later; in a collective, for 3 us.)
  TransportOptions options = Unlimited();
  options.truncate_ns = true;
  const Observed outcome =
      Simulate(Server(2), {Flow(0, 2, 1, 3, 10'000), Flow(2, 0, 90'000)}, options);
  EXPECT_EQ(Received(outcome, 1), 10 * 25'000 + kNvDelay);
}

TEST(Nvls, OwnFlowsAndPassingOnesTakeTurns) {
  // NVSwitch to GPU 1, and GPU 0 to GPU 1 through it, 10 packets each. Its own packets 0 and 1 go
  // first; the first passing one comes at 50,145 and goes at 50,290, then they alternate: passing
  // in slots 2, 4, .., 18, own in 3, 5, .., 17, passing in 19.
  const Observed outcome =
      Simulate(Server(2), {Flow(0, 1, 90'000), Flow(2, 1, 90'000)}, Unlimited());
  EXPECT_EQ(Received(outcome, 1), 18 * kNvTx + kNvDelay);
  EXPECT_EQ(Received(outcome, 0), 20 * kNvTx + kNvDelay);
}

TEST(Nvls, AnOwnFlowGetsItsTurnsInTheMidstOfAStream) {
  // 40 packets from GPU 0 to GPU 1: the NVSwitch sends packet n in slot n, from tx + D on, and each
  // arrives in the very moment in which the one before has left. Its own flow of 10 starts in slot
  // 10: passing in slot 11, own in 12, 14, .., 30, passing in 13, 15, .., 31 and on to 49. (They
  // used to wait until the stream had passed.)
  const std::int64_t start = kNvTx + kNvDelay + 10 * kNvTx + 12'000;
  const Observed outcome =
      Simulate(Server(2), {Flow(0, 1, 360'000), Flow(2, 1, 90'000, 3, start)}, Unlimited());
  EXPECT_EQ(Received(outcome, 1), 21 * kNvTx - 12'000 + kNvDelay);
  EXPECT_EQ(Received(outcome, 0), kNvTx + kNvDelay + 50 * kNvTx + kNvDelay);
}

TEST(Nvls, NoPausesNoMarks) {
  // Seven into one with 1 MiB: an NVSwitch drops what does not fit. DCQCN knows no threshold for
  // 2880 Gbps and needs none.
  std::vector<FlowRequest> flows;
  for (std::uint32_t i = 0; i < 7; ++i) flows.push_back(Flow(i, 7, 100 * 9000));
  TransportOptions options;
  options.has_window = false;
  options.buffer.buffer_mib = 1;
  const Observed outcome = Simulate(Server(8), flows, options);
  EXPECT_EQ(outcome.books.pauses, 0);
  EXPECT_EQ(outcome.books.marked, 0);
  EXPECT_GT(outcome.books.dropped_packets, 0);
  EXPECT_TRUE(AllFinished(outcome));
  options.has_window = true;
  EXPECT_EQ(Simulate(Server(8), flows, options).books.dropped_packets, 0);
}

}  // namespace
}  // namespace heddle::testing
