// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/stepwise/ring_replay.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

/// One edge inside, one between: 1 us and 10 us a message, latencies of 2 us and 3 us.
RingThroughServer SmallRing(std::uint64_t steps) {
  RingThroughServer ring;
  ring.steps = steps;
  ring.message_inside = 1e-6;
  ring.message_between = 10e-6;
  ring.latency_inside = 2e-6;
  ring.latency_between = 3e-6;
  return ring;
}

TEST(RingReplay, ANicThatIsNeverIdleHidesTheRest) {
  EXPECT_NEAR(RingSeconds(SmallRing(5)), 3e-6 + 5 * 10e-6, 1e-12);
}

TEST(RingReplay, SmallMessagesTakeTheirLatencies) {
  RingThroughServer ring = SmallRing(6);
  ring.message_inside = ring.message_between = 1e-15;
  EXPECT_NEAR(RingSeconds(ring), 3 * (2e-6 + 3e-6), 1e-12);
}

TEST(RingReplay, ARelayedStepIsBothMessages) {
  RingThroughServer ring = SmallRing(3);
  ring.relayed = true;
  EXPECT_NEAR(RingSeconds(ring), 3 * (1e-6 + 10e-6 + 2e-6 + 3e-6), 1e-12);
}

TEST(RingReplay, EdgesInsideShareTheNvlinks) {
  RingThroughServer ring;
  ring.inside = 4;
  ring.steps = 50;
  ring.message_inside = 1e-6;
  ring.message_between = 1e-9;
  EXPECT_NEAR(RingSeconds(ring), 50 * 4e-6, 50 * 4e-6 * 0.03);
  EXPECT_GE(RingSeconds(ring), 50 * 4e-6 - 1e-12) << "the NVLinks have no less to do";
}

TEST(RingReplay, PacketsOfOtherMessagesDelayAMessage) {
  RingThroughServer ring = SmallRing(6);
  ring.message_inside = ring.message_between = 1e-15;
  const double before = RingSeconds(ring);
  ring.packet_inside = 0.1e-6;
  EXPECT_DOUBLE_EQ(RingSeconds(ring), before) << "a ring alone waits for nobody";
  ring.inside = 3;
  const double alone = 2 * (3 * 2e-6 + 3e-6) - 2e-6 * 2;  // six of eight edges, the slowest start
  EXPECT_GT(RingSeconds(ring), alone);
}

TEST(RingReplay, ManyStepsGoOnAsTheFirstThousands) {
  const double each = (RingSeconds(SmallRing(2048)) - RingSeconds(SmallRing(1024))) / 1024;
  EXPECT_NEAR(RingSeconds(SmallRing(10048)), RingSeconds(SmallRing(2048)) + 8000 * each, 1e-9);
}

}  // namespace
}  // namespace heddle
