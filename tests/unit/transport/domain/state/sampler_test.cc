// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/state/sampler.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

/// One switch with two ports.
DomainPorts TwoPortSwitch() {
  DomainPorts ports;
  DomainPorts::Node node;
  node.id = NodeId(9);
  node.kind = NodeKind::kSwitch;
  node.forwards = 0;
  node.ports = 2;
  ports.nodes().push_back(node);
  for (std::uint32_t port = 0; port < 2; ++port) {
    ports.ports().emplace_back();
    ports.extras().emplace_back(1, node.id, PortId(port));
  }
  return ports;
}

MonitorOptions Every(Time interval) {
  MonitorOptions options;
  options.start = Time{0};
  options.queue_interval = options.link_interval = options.pair_interval = interval;
  return options;
}

TEST(Sampler, NothingIsDueIfNothingIsAskedFor) {
  const MonitorOptions options;
  EXPECT_EQ(Sampler(options).next(), Time::Max());
}

TEST(Sampler, AQueueHasARowWhenItHasChangedSinceTheSampleBefore) {
  MonitorOptions options = Every(MicroSeconds(1));
  options.queues = true;
  DomainPorts ports = TwoPortSwitch();
  SlotPool<QueuePair> pairs;
  Sampler sampler(options);
  sampler.CountPorts(2);
  EXPECT_EQ(sampler.next(), MicroSeconds(1));
  ports.ports()[1].queues[3].bytes = 100;
  ports.ports()[1].queued_bytes = 150;
  sampler.TakeSamples(ports, &pairs, NanoSeconds(1001));
  EXPECT_EQ(sampler.next(), MicroSeconds(2));
  sampler.TakeSamples(ports, &pairs, NanoSeconds(2001));  // nothing has changed
  const MonitorRecords taken = sampler.Take(Time::Max());
  ASSERT_EQ(taken.queues.size(), 1u);
  EXPECT_EQ(taken.queues[0].time, MicroSeconds(1));
  EXPECT_EQ(taken.queues[0].node, NodeId(9));
  EXPECT_EQ(taken.queues[0].port, PortId(1));
  EXPECT_EQ(taken.queues[0].priority, 3);
  EXPECT_EQ(taken.queues[0].queued_bytes, 100);
  EXPECT_EQ(taken.queues[0].port_bytes, 150);
  EXPECT_TRUE(sampler.Take(Time::Max()).queues.empty());
}

TEST(Sampler, AfterALongSilenceTheNextSampleIsTheFirstThatMayDiffer) {
  MonitorOptions options = Every(MicroSeconds(1));
  options.links = true;
  DomainPorts ports = TwoPortSwitch();
  SlotPool<QueuePair> pairs;
  Sampler sampler(options);
  ports.ports()[0].sent_bytes = 700;
  sampler.TakeSamples(ports, &pairs, NanoSeconds(10'500));
  EXPECT_EQ(sampler.next(), MicroSeconds(11));
  ports.ports()[0].sent_bytes = 1000;
  sampler.TakeLast(ports, &pairs, NanoSeconds(10'800));
  EXPECT_EQ(sampler.next(), Time::Max());
  const MonitorRecords taken = sampler.Take(Time::Max());
  ASSERT_EQ(taken.links.size(), 2u);
  EXPECT_EQ(taken.links[0].time, MicroSeconds(1));
  EXPECT_EQ(taken.links[0].sent_bytes, 700);
  EXPECT_EQ(taken.links[1].time, NanoSeconds(10'800)) << "the end, before the next is due";
  EXPECT_EQ(taken.links[1].sent_bytes, 300);
}

TEST(Sampler, ASampleAfterTheLastEventStaysUntilItIsKnownWhetherItIsTheEnd) {
  MonitorOptions options = Every(MicroSeconds(1));
  options.links = true;
  DomainPorts ports = TwoPortSwitch();
  SlotPool<QueuePair> pairs;
  Sampler sampler(options);
  ports.ports()[0].sent_bytes = 700;
  sampler.TakeSamples(ports, &pairs, NanoSeconds(1500));
  EXPECT_TRUE(sampler.Take(NanoSeconds(900)).links.empty()) << "the traffic may end at 900 ns";
  sampler.TakeLast(ports, &pairs, NanoSeconds(900));
  const MonitorRecords taken = sampler.Take(Time::Max());
  ASSERT_EQ(taken.links.size(), 1u);
  EXPECT_EQ(taken.links[0].time, NanoSeconds(900));
  EXPECT_EQ(taken.links[0].sent_bytes, 700);
}

TEST(Sampler, RowsOfOneTimeAreTakenTogether) {
  // A row at the end so far may get company: that of a later sample, if the traffic ends here.
  MonitorOptions options = Every(MicroSeconds(1));
  options.queues = true;
  DomainPorts ports = TwoPortSwitch();
  SlotPool<QueuePair> pairs;
  Sampler sampler(options);
  sampler.CountPorts(2);
  ports.ports()[1].queues[3].bytes = 5;
  sampler.TakeSamples(ports, &pairs, NanoSeconds(1001));
  EXPECT_TRUE(sampler.Take(MicroSeconds(1)).queues.empty());
  ports.ports()[1].queues[3].bytes = 0;
  sampler.TakeSamples(ports, &pairs, NanoSeconds(2001));
  sampler.TakeLast(ports, &pairs, MicroSeconds(1));
  const MonitorRecords taken = sampler.Take(Time::Max());
  ASSERT_EQ(taken.queues.size(), 2u);
  EXPECT_EQ(taken.queues[0].time, taken.queues[1].time);
  EXPECT_EQ(taken.queues[0].queued_bytes, 5);
  EXPECT_EQ(taken.queues[1].queued_bytes, 0);
}

TEST(Sampler, LiveQueuePairsComeInTheOrderOfTheirFlows) {
  MonitorOptions options = Every(MicroSeconds(1));
  options.rates = true;
  DomainPorts ports = TwoPortSwitch();
  SlotPool<QueuePair> pairs;
  for (const std::uint32_t number : {5U, 3U, 4U}) {
    QueuePair& pair = pairs[pairs.Allocate()];
    pair = QueuePair();
    pair.flow = {NodeId(0), number};
    pair.pace.rate = BitRate{number};
  }
  pairs[2].flow = FlowId();  // has ended
  Sampler sampler(options);
  sampler.TakeSamples(ports, &pairs, NanoSeconds(1001));
  const MonitorRecords taken = sampler.Take(Time::Max());
  ASSERT_EQ(taken.rates.size(), 2u);
  EXPECT_EQ(taken.rates[0].value, 3);
  EXPECT_EQ(taken.rates[1].value, 5);
}

TEST(Sampler, PausesBeforeTheStartHaveNoRow) {
  MonitorOptions options = Every(MicroSeconds(1));
  options.start = MicroSeconds(5);
  PauseRecord early, late;
  early.time = MicroSeconds(4);
  late.time = MicroSeconds(5);
  Sampler deaf(options);
  deaf.AddPause(late);
  EXPECT_TRUE(deaf.Take(Time::Max()).pauses.empty());
  options.pfc = true;
  Sampler sampler(options);
  sampler.AddPause(early);
  sampler.AddPause(late);
  EXPECT_EQ(sampler.Take(Time::Max()).pauses.size(), 1u);
}

TEST(Sampler, StateOfOtherPortsIsRefused) {
  MonitorOptions options = Every(MicroSeconds(1));
  options.queues = true;
  Sampler sampler(options);
  sampler.CountPorts(2);
  EXPECT_NO_THROW(sampler.Check(2));
  EXPECT_THROW(sampler.Check(3), UserError);
}

}  // namespace
}  // namespace heddle
