// SPDX-License-Identifier: GPL-2.0-only
/// Deadlock by PFC in whole runs: a ring whose flows all go in the same direction.
#include <gtest/gtest.h>

#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

TransportOptions SmallBuffer() {
  TransportOptions options = Unlimited();
  options.buffer.buffer_mib = 1;
  return options;
}

TEST(Deadlock, ARingOfFullBuffersIsSpelledOut) {
  // Three flows use each clockwise link. Each switch's ring ingress fills with packets for its ring
  // egress, which the next switch pauses: each waits for the next one, and no event is left.
  const Observed outcome = Simulate(Ring(), AllClockwise(2000), SmallBuffer());
  EXPECT_EQ(outcome.deadlock,
            "switch 0 port 1 -> switch 1 port 2 -> switch 2 port 2 -> switch 3 port 2 -> switch "
            "4 port 2 -> switch 5 port 2 -> "
            "switch 6 port 2 -> switch 0 port 1 (priority 3)");
  EXPECT_LT(outcome.books.flows_finished, std::int64_t{kRing});
  for (std::size_t i = 0; i < kRing; ++i) {
    EXPECT_EQ(Fct(outcome, i), -1);
    EXPECT_EQ(State(outcome, i), 4) << "paused, flow " << i;
  }
  EXPECT_EQ(outcome.books.dropped_packets, 0);
}

TEST(Deadlock, NoneWithoutPauses) {
  // The same topology: short flows never fill a buffer; without PFC packets are lost instead.
  const Observed small = Simulate(Ring(), AllClockwise(3), SmallBuffer());
  EXPECT_EQ(small.deadlock, "");
  EXPECT_TRUE(AllFinished(small));
  TransportOptions lossy = SmallBuffer();
  lossy.pfc.enabled = false;
  lossy.reliability.selective_repeat = true;
  const Observed dropping = Simulate(Ring(), AllClockwise(200), lossy);
  EXPECT_EQ(dropping.deadlock, "");
  EXPECT_TRUE(AllFinished(dropping));
  EXPECT_GT(dropping.books.dropped_packets, 0);
}

TEST(Deadlock, NoneWithPausesButWithoutACycle) {
  // The ring without one link: the same load, no cycle of waits; everything is delivered in spite
  // of pauses.
  Graph chain(kRing, 0, kRing, 1, "X");
  for (std::uint32_t i = 0; i < kRing; ++i)
    chain.AddLink({NodeId(i), NodeId(kRing + i), BitRate{100 * kG}, PicoSeconds(kMicro), 0});
  for (std::uint32_t i = 0; i + 1 < kRing; ++i) {
    chain.AddLink(
        {NodeId(kRing + i), NodeId(kRing + i + 1), BitRate{100 * kG}, PicoSeconds(kMicro), 0});
  }
  const Observed outcome = Simulate(chain, AllClockwise(200), SmallBuffer());
  EXPECT_GT(outcome.books.pauses, 0);
  EXPECT_EQ(outcome.deadlock, "");
  EXPECT_TRUE(AllFinished(outcome));
}

TEST(Deadlock, OnLinksThatMayLoseFramesEndsByTheWatchdog) {
  // Pauses are renewed every 2.5 us, and no frame is ever lost: without the watchdog the run would
  // not end.
  TransportOptions options = SmallBuffer();
  options.pfc.watchdog = MicroSeconds(500);
  options.reliability.selective_repeat = true;
  const Observed outcome = Simulate(Ring(kMicro, 1e-15), AllClockwise(500), options);
  EXPECT_GT(outcome.books.dropped_packets, 0);
  EXPECT_GT(outcome.end.ps, MicroSeconds(500).ps);
  for (std::size_t i = 0; i < kRing; ++i)
    EXPECT_TRUE(State(outcome, i) == 0 || State(outcome, i) == 3) << i;
}

TEST(Deadlock, APacketThatTurnsBackAfterAFailureAndTheResumeForItsPortDoNotCollide) {
  // Five switches, 400 Gbps to the GPUs. A packet is rerouted to the port that it came in through.
  // When it leaves, that port's sender may resume, and the resume frame is sent from the same port.
  // (It once took the wire while the packet was being sent: "asked to carry more than its rate".)
  // The run checks conservation and rates.
  Graph ring(5, 0, 5, 1, "X");
  for (std::uint32_t i = 0; i < 5; ++i)
    ring.AddLink({NodeId(i), NodeId(5 + i), BitRate{400 * kG}, NanoSeconds(500), 0});
  for (std::uint32_t i = 0; i < 5; ++i) {
    ring.AddLink({NodeId(5 + i), NodeId(5 + (i + 1) % 5), BitRate{100 * kG}, NanoSeconds(500), 0});
  }
  std::vector<FlowRequest> flows;
  for (std::uint32_t i = 0; i < 5; ++i)
    flows.push_back(Flow(i, (i + 2) % 5, 8'388'608, 3, 6 * kMicro));
  const Observed outcome = RunWith(ring, flows, SmallBuffer(),
                                   {{MicroSeconds(100), LinkId(5), LinkEvent::Kind::kDown, {}}});
  EXPECT_GT(outcome.books.pauses, 0);
}

TEST(Deadlock, EndsTheRunAlsoWhereALinkHasFailedBefore) {
  // A link fails and comes back before the flows start: its pauses are renewed while a frame could
  // still be lost, but not forever.
  TransportOptions options = SmallBuffer();
  std::vector<FlowRequest> flows = AllClockwise(2000);
  for (FlowRequest& flow : flows) flow.start = MicroSeconds(10);
  const Observed outcome = RunWith(Ring(), flows, options, Outage(kRing, kMicro, 2 * kMicro));
  EXPECT_NE(outcome.deadlock, "");
  EXPECT_EQ(outcome.books.flows_finished, 0);
}

}  // namespace
}  // namespace heddle::testing
