// SPDX-License-Identifier: GPL-2.0-only
/// No timer outlives its queue pair: a run ends with its last real event.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

/// Time when the last flow was completed, which is when its last ACK arrived.
std::int64_t LastAck(const Observed& o) {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < GetColumn<std::int64_t>(o.flows, "start_ps").size(); ++i) {
    last = std::max(last, GetColumn<std::int64_t>(o.flows, "start_ps")[i] + Fct(o, i));
  }
  return last;
}

const Graph& ThreeGpus() {
  static const Graph graph = Star({{100}, {100}, {100}});
  return graph;
}

TEST(Timers, TheRetransmissionTimerDiesWithItsFlow) {
  // One packet: 2 tx + 2 us there, 2 ACK + 2 us back. The timeout of 4.19 ms was pending.
  const Observed outcome = Simulate(Row({{100}, {100}}), {Flow(0, 1, 9000)}, Unlimited());
  EXPECT_EQ(outcome.end.ps, 2 * kTx + 2 * kAckTx + 4 * kMicro);
}

TEST(Timers, ACnpOnTheLastAckStartsNothing) {
  // SimAI's leak: GPU 1's only packet waits behind GPU 0's first, leaves GPU 0's second behind and
  // is marked. Packets 0 to 2 of the two arrive at 3 tx + 2 us at the latest; the last ACK: GPU 0's
  // second.
  const Observed outcome =
      Simulate(ThreeGpus(), {Flow(0, 2, 18'000), Flow(1, 2, 9000)}, MarkAlways());
  EXPECT_EQ(outcome.books.marked, 1);
  EXPECT_EQ(outcome.end.ps, 4 * kTx + 2 * kAckTx + 4 * kMicro);
}

TEST(Timers, CutAndRecoveryDieWithTheFlow) {
  // Many CNPs: checks each 4 us and recovery each 900 us are pending when the flows end.
  const Observed outcome =
      Simulate(ThreeGpus(), {Flow(0, 2, 900'000), Flow(1, 2, 900'000)}, MarkAlways());
  EXPECT_GT(outcome.books.marked, 10);
  EXPECT_EQ(outcome.end.ps, LastAck(outcome));
}

TEST(Timers, EveryCongestionControlEndsWithTheLastAck) {
  for (std::int64_t mode : {0, 1, 3, 7, 8, 10}) {
    TransportOptions options = MarkAlways();
    options.congestion.mode = mode;
    const Observed outcome =
        Simulate(ThreeGpus(), {Flow(0, 2, 900'000), Flow(1, 2, 450'000)}, options);
    EXPECT_EQ(outcome.end.ps, LastAck(outcome)) << mode;
  }
}

TEST(Timers, OfAnEarlierFlowDoNotTouchTheNextOneInItsPlace) {
  // Flow A ends with its timers pending; B takes its slot 1 us later and runs as if it were alone,
  // at line rate.
  const std::vector<FlowRequest> first = {Flow(0, 2, 90'000), Flow(1, 2, 90'000)};
  const Observed a = Simulate(ThreeGpus(), first, MarkAlways());
  EXPECT_GT(a.books.marked, 0);
  std::vector<FlowRequest> flows = first;
  flows.push_back(Flow(0, 2, 900'000, 3, LastAck(a) + kMicro));
  const Observed both = Simulate(ThreeGpus(), flows, MarkAlways());
  EXPECT_EQ(Fct(both, 1), 101 * kTx + 2 * kAckTx + 4 * kMicro);
  EXPECT_EQ(both.end.ps, LastAck(both));
}

TEST(Timers, PausesOfALinkWithLossesEnd) {
  // Pauses on a link that loses frames are renewed each 2.5 us and expire after 5: not later than
  // that after the last ACK.
  TransportOptions options = Unlimited();
  options.buffer.buffer_mib = 1;
  const Observed outcome =
      Simulate(Row({{400, kMicro, 1e-3}, {100}}), {Flow(0, 1, 3'000'000)}, options);
  EXPECT_TRUE(AllFinished(outcome));
  EXPECT_GT(outcome.books.pauses, 0);
  EXPECT_LE(outcome.end.ps, LastAck(outcome) + 8 * kMicro);
}

}  // namespace
}  // namespace heddle::testing
