// SPDX-License-Identifier: GPL-2.0-only
/// Failing links and nodes in whole runs (docs/models/failures.md): which packets are lost, which
/// flows recover, which wait.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/small_fabric.h"
#include "topology/routes/ecmp_hash.h"
#include "topology/shapes/generator.h"
#include "transport/run/fabric/fabric.h"

namespace heddle::testing {
namespace {

constexpr std::int64_t kRto = 4'194'304'000;
using Kind = LinkEvent::Kind;

std::vector<LinkEvent> LinkDownForGood(std::uint32_t link, std::int64_t at) {
  return {{PicoSeconds(at), LinkId(link), Kind::kDown, {}}};
}

TEST(Failures, WhatIsOnTheWireIsLost) {
  // 5 us of cable: packet n is on it from n tx to (n + 1) tx + 5 us. At 20 tx + 1 ps it holds those
  // that began before and have not arrived: n <= 20 and n > 20 - 1 - 6.9: 13 to 20, eight. No ACK
  // is on its way back yet (the first passes the cable from 2 tx + 15 us on). The link is back 1 ns
  // later, before packet 21.
  const std::int64_t at = 20 * kTx + 1;
  TransportOptions options = Unlimited();
  options.convergence = MicroSeconds(1000);
  const Observed outcome = RunWith(Row({{100, 5 * kMicro}, {100, 5 * kMicro}}),
                                   {Flow(0, 1, 60 * 9000)}, options, Outage(0, at, at + 1000));
  EXPECT_EQ(outcome.books.dropped_packets, 8);
  EXPECT_EQ(GetColumn<std::uint32_t>(outcome.drops, "node"), std::vector<std::uint32_t>{2});
  EXPECT_EQ(GetColumn<std::uint32_t>(outcome.drops, "port"), std::vector<std::uint32_t>{0});
  EXPECT_EQ(GetColumn<std::string>(outcome.drops, "reason"), std::vector<std::string>{"link down"});
  EXPECT_TRUE(AllFinished(outcome));
}

TEST(Failures, ADegradedLinkTakesTheNewRateFromTheNextPacketOn) {
  // 100 to 50 Gbps at 10.5 tx: packets 0 to 10 take tx each, 11 to 39 two; then the last one's way.
  const std::vector<LinkEvent> slower = {
      {PicoSeconds(kTx * 21 / 2), LinkId(0), Kind::kRate, BitRate{50 * kG}}};
  const Observed outcome =
      RunWith(Row({{100}, {100}}), {Flow(0, 1, 40 * 9000)}, Unlimited(), slower);
  EXPECT_EQ(Received(outcome, 0), 11 * kTx + 29 * 2 * kTx + kTx + 2 * kMicro);
  EXPECT_EQ(outcome.books.dropped_packets, 0);
}

/// At 400 Gbps.
constexpr std::int64_t kFastTx = 9052 * 20;

/// Link 0 is down from `down` until 100 ns later, and 200 ns after that has a new rate; no route
/// follows.
Observed DownThenRate(std::int64_t first_gbps, std::int64_t gbps, std::int64_t down,
                      std::int64_t packets) {
  TransportOptions options = Unlimited();
  options.convergence = MicroSeconds(1000);
  std::vector<LinkEvent> events = Outage(0, down, down + 100'000);
  events.push_back({PicoSeconds(down + 300'000), LinkId(0), Kind::kRate, BitRate{gbps * kG}});
  return RunWith(Row({{first_gbps}, {100}}), {Flow(0, 1, packets * 9000, 3, 2 * kMicro)}, options,
                 events);
}

TEST(Failures, ASlowerRateDoesNotCutWhatLeftAfterTheOutage) {
  // 400 Gbps; down at 1.75 us, up at 1.85; the packet leaves at 2 us and would have left at 1.457
  // at the 100 Gbps from 2.05 us on.
  const Observed outcome = DownThenRate(400, 100, 1'750'000, 1);
  EXPECT_EQ(outcome.books.dropped_packets, 0);
  EXPECT_EQ(Received(outcome, 0), kFastTx + kTx + 2 * kMicro);
}

TEST(Failures, AFasterRateDoesNotSaveWhatAnOutageCut) {
  // 100 Gbps; packet 0 leaves at 2 us, and the link fails at 2.2 while it is being sent. Its
  // transmission ends at 2.724; at the 400 Gbps from 2.5 us on it would have ended at 2.543. Packet
  // 1 leaves at 2.724, at the new rate (at the old one it would have left at 2.181, and been lost
  // too). It is out of order: a NACK, and both are sent again, a tx apart as their flow is paced by
  // the healthy link's rate.
  const Observed outcome = DownThenRate(100, 400, 2'200'000, 2);
  EXPECT_EQ(outcome.books.dropped_packets, 1);
  EXPECT_EQ(GetColumn<std::string>(outcome.drops, "reason"), std::vector<std::string>{"link down"});
  EXPECT_EQ(outcome.books.timeouts, 0);
  const std::int64_t nack = kTx + kFastTx + kTx + 2 * kMicro + kAckTx + 60 * 20 + 2 * kMicro;
  EXPECT_EQ(Received(outcome, 0), nack + kTx + kFastTx + kTx + 2 * kMicro);
}

TEST(Failures, AFlowThatStartsOnADegradedLinkIsFasterOnceItIsMended) {
  // It starts at 2 us on 50 Gbps; 100 again after 10.5 packets: 0 to 10 take 2 tx, 11 to 39 one.
  for (std::int64_t mode : {0, 1}) {
    TransportOptions options = Unlimited();
    options.congestion.mode = mode;
    options.ecn.enabled = false;
    const std::vector<LinkEvent> events = {
        {MicroSeconds(1), LinkId(0), Kind::kRate, BitRate{50 * kG}},
        {PicoSeconds(2 * kMicro + 21 * kTx), LinkId(0), Kind::kRate, BitRate{100 * kG}}};
    const Observed outcome =
        RunWith(Row({{100}, {100}}), {Flow(0, 1, 40 * 9000, 3, 2 * kMicro)}, options, events);
    EXPECT_EQ(Received(outcome, 0), 11 * 2 * kTx + 29 * kTx + kTx + 2 * kMicro) << mode;
  }
}

TEST(Failures, ARateWithoutEcnThresholdsIsRefusedBeforeTheRun) {
  const Graph graph = Row({{100}, {100}});
  const std::vector<LinkEvent> odd = {{MicroSeconds(5), LinkId(0), Kind::kRate, BitRate{33 * kG}}};
  const FabricLayout layout = {
      std::vector<DomainId>(3, DomainId(0)), {{NodeId(0), NodeId(1), NodeId(2)}}, {RankId(0)}};
  TransportOptions options;
  EXPECT_NO_THROW(Fabric(graph, options, layout, RankId(0), 1, 1, odd));  // by the rule
  options.ecn.kmin = RateMap::Parse("600KB", 1e6, "KB");  // above the kmax of 33 Gbps, 528 KB
  try {
    Fabric fabric(graph, options, layout, RankId(0), 1, 1, odd);
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("33Gbps"), std::string::npos) << error.what();
  }
}

/// GPU 0 - leaf 2 - spines 4, 5 - leaf 3 - GPU 1. Links: 0, 1 to GPUs; 2, 3 leaf 2 to spines 4 and
/// 5; 4, 5 leaf 3.
Graph TwoSpines() {
  Graph graph(2, 0, 4, 1, "X");
  const auto add = [&](std::uint32_t a, std::uint32_t b) {
    graph.AddLink({NodeId(a), NodeId(b), BitRate{100 * kG}, PicoSeconds(kMicro), 0});
  };
  add(0, 2);
  add(1, 3);
  add(2, 4);
  add(2, 5);
  add(3, 4);
  add(3, 5);
  return graph;
}
/// The spine of the flow's data: 0 or 1. Sets are listed by descending id.
std::uint32_t SpineOf(std::uint16_t source_port) {
  return EcmpHash(MakeFlowKey(NodeId(0), NodeId(1), source_port, 100), 2) % 2 == 0 ? 1 : 0;
}

/// Number of the flow's ACKs on the cable from this spine to leaf 2 when it fails at 20.5 tx. If
/// ACKs return that way, ACK n is on the cable from 4 tx + 4 us + 2 ACKs + 2 us + n tx on for 1 us
/// + an ACK: none before 8.9 us; 14.845 - 8.906 = 5.939 us: n = 7 and 8 (5.069 and 5.793).
std::int64_t AcksOnTheWire(std::uint32_t spine) {
  const std::uint32_t of_acks =
      EcmpHash(MakeFlowKey(NodeId(1), NodeId(0), 100, 10000), 3) % 2 == 0 ? 1 : 0;
  return of_acks == spine ? 2 : 0;
}

TEST(Failures, AFlowTakesTheOtherSpine) {
  // The flow's path fails for good at 20.5 tx: the rest uses the other spine, once routes follow.
  // Until then packets go to the failed port for 100 us.
  const std::uint32_t spine = SpineOf(10000);
  const std::vector<FlowRequest> flow = {Flow(0, 1, 400 * 9000)};
  TransportOptions options = Unlimited();
  const Observed at_once =
      RunWith(TwoSpines(), flow, options, LinkDownForGood(2 + spine, kTx * 41 / 2));
  EXPECT_TRUE(AllFinished(at_once));
  EXPECT_GT(PortFigure(at_once, 4 + (1 - spine), 1, "sent_packets"), 300);
  EXPECT_LE(at_once.books.dropped_packets, 5);
  options.convergence = MicroSeconds(100);
  const Observed late =
      RunWith(TwoSpines(), flow, options, LinkDownForGood(2 + spine, kTx * 41 / 2));
  EXPECT_TRUE(AllFinished(late));
  // Packet n is at the leaf at (n + 1) tx + 1 us; from 14.845 us to 114.845 us those are n + 1 = 20
  // to 157.
  std::int64_t at_leaf = 0;
  for (std::size_t i = 0; i < GetColumn<std::uint32_t>(late.drops, "node").size(); ++i) {
    if (GetColumn<std::uint32_t>(late.drops, "node")[i] != 2 ||
        GetColumn<std::uint32_t>(late.drops, "port")[i] != 1 + spine)
      continue;
    EXPECT_EQ(GetColumn<std::string>(late.drops, "reason")[i], "link down");
    at_leaf += GetColumn<std::int64_t>(late.drops, "packets")[i];
  }
  EXPECT_EQ(at_leaf, 138 + AcksOnTheWire(spine));
  EXPECT_GT(Fct(late, 0), Fct(at_once, 0) + 90 * kMicro);
}

TEST(Failures, ALinkIsUsedAgainWhenRoutesFollowItsReturn) {
  // One spine fails before the flow starts and comes back at 50 us; routes follow 10 us after each.
  const std::uint32_t spine = SpineOf(10000);
  TransportOptions options = Unlimited();
  options.convergence = MicroSeconds(10);
  const Observed outcome = RunWith(TwoSpines(), {Flow(0, 1, 200 * 9000, 3, 20 * kMicro)}, options,
                                   Outage(2 + spine, kMicro, 50 * kMicro));
  EXPECT_EQ(outcome.books.dropped_packets, 0);
  // It starts at 20 us and is on the other spine until 60 us: at the leaf from 21.72 us on, a
  // packet each 724 ns: 53 of them.
  EXPECT_EQ(PortFigure(outcome, 2, 2 - spine, "sent_packets"), 53);
  EXPECT_EQ(PortFigure(outcome, 2, 1 + spine, "sent_packets"), 147);
  EXPECT_TRUE(AllFinished(outcome));
}

TEST(Failures, WithoutAWayLeftTheFlowIsListed) {
  // The receiver is gone for good: no route (2), and the run ends.
  const Observed outcome = RunWith(Row({{100}, {100}}), {Flow(0, 1, 100 * 9000), Flow(1, 0, 9000)},
                                   TransportOptions(), LinkDownForGood(1, 10 * kMicro));
  EXPECT_EQ(State(outcome, 0), 2);
  EXPECT_EQ(Fct(outcome, 0), -1);
  EXPECT_EQ(State(outcome, 1), 0) << "it was done before";
}

TEST(Failures, AFlowOutlivesAnOutageLongerThanItsTimeout) {
  // The only way is down for 20 ms. The whole window is lost; timeouts find no way. When the link
  // is back, the flow must continue although no packet arrives.
  for (bool selective : {false, true}) {
    TransportOptions options;
    options.reliability.selective_repeat = selective;
    for (std::uint32_t link : {0U, 1U}) {
      const Observed outcome = RunWith(Row({{100}, {100}}), {Flow(0, 1, 400 * 9000)}, options,
                                       Outage(link, 50 * kMicro, 20'000 * kMicro));
      EXPECT_TRUE(AllFinished(outcome)) << "link " << link << " selective " << selective;
      EXPECT_GT(Fct(outcome, 0), 20'000 * kMicro);
      // 400 packets take 0.3 ms; one timeout at most after the return.
      EXPECT_LT(Fct(outcome, 0), 20'000 * kMicro + kRto + 1000 * kMicro);
    }
  }
}

TEST(Failures, AnAckForADeadPortIsLostAsEverythingElse) {
  // The ACK, not the data, is lost on the receiver's cable, which needs two NICs. Data arrives by
  // switch 3; the ACK would return by switch 2, whose cable is down before routes change. It is
  // lost, not kept until the cable is back.
  Graph graph(2, 0, 2, 1, "X");
  for (std::uint32_t gpu : {0U, 1U}) {
    for (std::uint32_t leaf : {2U, 3U})
      graph.AddLink({NodeId(gpu), NodeId(leaf), BitRate{100 * kG}, PicoSeconds(kMicro), 0});
  }
  FlowRequest flow = Flow(0, 1, 9000);
  for (std::uint16_t port = 100;; ++port) {
    flow.destination_port = port;
    const bool data_by_3 =
        EcmpHash(MakeFlowKey(NodeId(0), NodeId(1), 10000, port), kNicHashSeed) % 2 == 0;
    const bool ack_by_2 =
        EcmpHash(MakeFlowKey(NodeId(1), NodeId(0), port, 10000), kNicHashSeed) % 2 == 1;
    if (data_by_3 && ack_by_2) break;
  }
  TransportOptions options = Unlimited();
  options.convergence = MicroSeconds(10'000'000);
  // Link 2: GPU 1 to switch 2. Down from 1 us to 1 ms; the ACK is made at 2 tx + 2 us. After one
  // timeout the packet comes again and its ACK passes.
  const Observed outcome = RunWith(graph, {flow}, options, Outage(2, kMicro, 1000 * kMicro));
  EXPECT_EQ(outcome.books.dropped_packets, 1);
  EXPECT_EQ(outcome.books.timeouts, 1);
  EXPECT_EQ(Fct(outcome, 0), kRto + 2 * kTx + 2 * kMicro + 2 * kAckTx + 2 * kMicro);
}

TEST(Failures, APausedPortForgetsAndIsPausedAgain) {
  // pfc_test.cc's case: GPU 0 is paused from 4.7 to 13.8 us. Its cable fails from 8 to 9 us: the
  // pause is forgotten at both ends, GPU 0 sends on at 9 us, and the first packet that goes to
  // headroom pauses it again, in time: of 16 packets of headroom 4 are in use then, and 12 more
  // come.
  TransportOptions options = Unlimited();
  options.buffer.buffer_mib = 1;
  options.convergence = MicroSeconds(1000);
  options.monitors.pfc = true;
  const Observed outcome = RunWith(Row({{400}, {100}}), {Flow(0, 1, 60 * 9000)}, options,
                                   Outage(0, 8 * kMicro, 9 * kMicro));
  const std::vector<PauseRow> rows = PauseRows(outcome);
  ASSERT_GE(rows.size(), 3U);
  EXPECT_EQ(rows[1].pause, 0);
  EXPECT_EQ(rows[1].time, 8 * kMicro);
  EXPECT_EQ(rows[2].pause, 1);
  // Packet 27 starts at 9 us and pauses when it is at the switch.
  EXPECT_EQ(rows[2].time, 9 * kMicro + 9052 * 20 + kMicro + 43 * 20 + kMicro);
  EXPECT_TRUE(AllFinished(outcome));
  for (const std::string& reason : GetColumn<std::string>(outcome.drops, "reason"))
    EXPECT_EQ(reason, "link down");
}

TEST(Failures, QueuePairsMoveToTheNicThatIsLeft) {
  Graph graph(2, 0, 2, 1, "X");
  for (std::uint32_t gpu : {0U, 1U}) {
    for (std::uint32_t leaf : {2U, 3U})
      graph.AddLink({NodeId(gpu), NodeId(leaf), BitRate{100 * kG}, PicoSeconds(kMicro), 0});
  }
  std::vector<FlowRequest> flows(8, Flow(0, 1, 50 * 9000));
  const Observed before = Simulate(graph, flows, Unlimited());
  EXPECT_GT(PortFigure(before, 0, 0, "sent_packets"), 0);
  EXPECT_GT(PortFigure(before, 0, 1, "sent_packets"), 0);
  // GPU 0's second NIC.
  const Observed after = RunWith(graph, flows, Unlimited(), LinkDownForGood(1, 10 * kMicro));
  EXPECT_TRUE(AllFinished(after));
  EXPECT_LE(PortFigure(after, 0, 1, "sent_bytes"), 10 * kMicro / kPs + 9052);
  EXPECT_GT(PortFigure(after, 0, 0, "sent_packets"), PortFigure(before, 0, 0, "sent_packets"));
}

TEST(Failures, TheCutIntoDomainsChangesNothing) {
  // Outages, pauses, timeouts and moving queue pairs at once, in one domain and in one a node.
  std::vector<FlowRequest> flows(8, Flow(0, 1, 200 * 9000));
  for (bool selective : {false, true}) {
    TransportOptions options;
    options.has_window = false;
    options.buffer.buffer_mib = 1;
    options.convergence = MicroSeconds(7);
    options.reliability.error_rate = 1e-3;
    options.reliability.selective_repeat = selective;
    std::vector<LinkEvent> events = Outage(2, 20 * kMicro, 300 * kMicro);
    for (const LinkEvent& event : Outage(0, 400 * kMicro, 9000 * kMicro)) events.push_back(event);
    RunPlan plan;
    const Observed fine = Simulate(TwoSpines(), flows, {options, plan, events});
    plan.grain = 0;
    const Observed whole = Simulate(TwoSpines(), flows, {options, plan, events});
    EXPECT_EQ(Digest(fine.flows), Digest(whole.flows));
    EXPECT_EQ(Digest(fine.ports), Digest(whole.ports));
    EXPECT_EQ(Digest(fine.drops), Digest(whole.drops));
    EXPECT_EQ(Digest(fine.pause_causes), Digest(whole.pause_causes));
    EXPECT_EQ(fine.end.ps, whole.end.ps);
    EXPECT_TRUE(AllFinished(fine)) << selective;
    EXPECT_GT(fine.books.timeouts, 0);
  }
}

/// Every GPU sends to its counterpart in the other half; with two leaves a GPU, the loss of one
/// leaf disconnects no GPU.
class DualFabric : public ::testing::TestWithParam<const char*> {};

TEST_P(DualFabric, KeepsAllFlowsAliveWhenALeafOrALinkFails) {
  LeafSpineOptions shape = FindTemplate(GetParam()).defaults;
  shape.gpus = 32;
  shape.nics_per_leaf = 2;
  shape.spine_switches = 4;
  shape.leaves_per_spine = 64;
  shape.bandwidth = "200Gbps";
  const Graph graph = Generate(GetParam(), shape);
  std::vector<FlowRequest> flows;
  for (std::uint32_t gpu = 0; gpu < 32; ++gpu)
    flows.push_back(Flow(gpu, (gpu + 16) % 32, 1'000'000));
  TransportOptions options;
  options.convergence = MicroSeconds(20);
  const Observed healthy = Simulate(graph, flows, options);
  ASSERT_TRUE(AllFinished(healthy));
  // The leaves of GPU 0: fail each at 10 us, in the midst of all flows (1 MB takes 40 us at 200
  // Gbps).
  int leaves = 0;
  for (const Attachment& port : graph.ports(NodeId(0))) {
    if (graph.kind(port.peer) != NodeKind::kSwitch) continue;
    ++leaves;
    FailureEvent leaf;
    leaf.time = MicroSeconds(10);
    leaf.what = FailureEvent::What::kNodeDown;
    leaf.a = port.peer;
    const Observed without_leaf = RunWith(graph, flows, options, ExpandFailures(graph, {leaf}));
    EXPECT_TRUE(AllFinished(without_leaf)) << "leaf " << port.peer.value;
    EXPECT_GT(without_leaf.books.dropped_packets, 0);
    FailureEvent cable = leaf;
    cable.what = FailureEvent::What::kLinkDown;
    cable.b = NodeId(0);
    EXPECT_TRUE(AllFinished(RunWith(graph, flows, options, ExpandFailures(graph, {cable}))))
        << "cable";
  }
  EXPECT_EQ(leaves, 2);
}

INSTANTIATE_TEST_SUITE_P(Templates, DualFabric,
                         ::testing::Values("AlibabaHPN-SinglePlane", "AlibabaHPN-DualPlane",
                                           "DCN-DualToR"),
                         [](const auto& shape) {
                           std::string name = shape.param;
                           name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
                           return name;
                         });

}  // namespace
}  // namespace heddle::testing
