// SPDX-License-Identifier: GPL-2.0-only
/// Messages as fluids in small fabrics, with times by hand; and what they refuse.
#include "transport/run/backends/flow_backend.h"

#include <gtest/gtest.h>
#include <ns3/simulator.h>

#include <functional>
#include <string>

#include "core/traffic/trace_driver.h"
#include "partition/partition.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

/// What a backend is made of, on one rank.
struct Made {
  explicit Made(Graph of) : graph(std::move(of)), domains(MakeDomains(graph, {Time{0}, 1})) {
    ranks.assign(domains.nodes.size(), RankId(0));
  }
  BackendInput Input() const {
    return {graph, options, domains.domain_of, domains.nodes, ranks, RankId(0), 1, 1, failures};
  }

  Graph graph;
  Domains domains;
  std::vector<RankId> ranks;
  TransportOptions options;
  std::vector<LinkEvent> failures;
};

/// Rows and ports after the flows of a trace.
struct Flowed {
  std::map<std::pair<std::uint32_t, std::uint32_t>, FlowRecord> rows;  ///< by source and number
  std::map<std::pair<std::uint32_t, std::uint32_t>, Time> received;
  Table ports;
  std::vector<FlowRecord> open;
};

/// `finish`: all flows do.
Flowed FlowThrough(const Made& made, const std::vector<FlowRequest>& flows, bool finish = true) {
  FlowBackend backend(made.Input());
  TraceDriver driver(flows, made.options.split(), Time{0});
  backend.CheckFlows(flows);
  backend.Drive(&driver);
  backend.Run(EngineKind::kDomain, Communicator::Serial(), {});
  ns3::Simulator::Destroy();
  backend.CheckEnd(Communicator::Serial());
  Flowed flowed;
  for (const FlowLists& list : backend.NewFlows()) {
    for (const FlowRecord& row : *list.flows)
      flowed.rows[{row.flow.source.value, row.flow.number}] = row;
    for (const FlowArrival& arrival : *list.arrivals)
      flowed.received[{arrival.flow.source.value, arrival.flow.number}] = arrival.time;
  }
  EXPECT_EQ(flowed.rows.size() == flows.size(), finish);
  flowed.open = backend.OpenFlows();
  EXPECT_EQ(flowed.rows.size() + flowed.open.size(), flows.size());
  flowed.ports = backend.GatherTotals(Communicator::Serial()).ports;
  return flowed;
}

TEST(FlowBackend, ALoneMessageTakesTheTimeOfItsPackets) {
  const Made made(Row({{100}, {100}, {100}}));
  const Flowed flowed = FlowThrough(made, {Flow(0, 1, 10 * 9000)});
  const Time received{3 * kMicro + 12 * kTx};
  EXPECT_EQ(flowed.received.at({0, 0}), received);
  EXPECT_EQ(flowed.rows.at({0, 0}).completion, received + Time{3 * kMicro + 3 * kAckTx});
  EXPECT_EQ(flowed.rows.at({0, 0}).completion, flowed.rows.at({0, 0}).ideal);
}

TEST(FlowBackend, ANarrowLinkInTheMiddleCounts) {
  const Made made(Row({{100}, {25}, {50}}));
  const Flowed flowed = FlowThrough(made, {Flow(0, 1, 10 * 9000)});
  EXPECT_EQ(flowed.received.at({0, 0}), Time{3 * kMicro + kTx + 10 * 4 * kTx + 2 * kTx});
}

TEST(FlowBackend, TwoMessagesToOneHostHaveHalfOfItsLinkEach) {
  const Made made(Star({{100}, {100}, {100}}));
  const Flowed flowed = FlowThrough(made, {Flow(0, 2, 100 * 9000), Flow(1, 2, 50 * 9000)});
  // The shorter one ends when both have sent its bytes; then the other one is alone.
  const auto near = [](Time time, std::int64_t ps) {
    EXPECT_NEAR(static_cast<double>(time.ps), static_cast<double>(ps), 2);
  };
  near(flowed.received.at({1, 0}), 2 * kMicro + 100 * kTx + kTx);
  near(flowed.received.at({0, 0}), 2 * kMicro + 150 * kTx + kTx);
}

TEST(FlowBackend, DataBothWaysLeaveRoomForAcks) {
  const Made made(Star({{100}, {100}}));
  const Flowed flowed = FlowThrough(made, {Flow(0, 1, 1000 * 9000), Flow(1, 0, 1000 * 9000)});
  const double alone = static_cast<double>(1000 * kTx);
  const Time received = flowed.received.at({0, 0});
  EXPECT_NEAR(static_cast<double>(received.ps - 2 * kMicro - kTx) / alone, 9112.0 / 9052, 1e-6);
  EXPECT_EQ(flowed.received.at({1, 0}), received);
}

TEST(FlowBackend, CountsWhatPortsSend) {
  const Made made(Star({{100}, {100}}));
  const Flowed flowed = FlowThrough(made, {Flow(0, 1, 9001)});
  Observed seen;
  seen.ports = flowed.ports;
  EXPECT_EQ(PortFigure(seen, 0, 0, "sent_packets"), 2);
  EXPECT_EQ(PortFigure(seen, 0, 0, "sent_bytes"), 9001 + 2 * 52);
  EXPECT_EQ(PortFigure(seen, 2, 1, "sent_bytes"), 9001 + 2 * 52);
  EXPECT_EQ(PortFigure(seen, 1, 0, "sent_bytes"), 2 * 60);
  EXPECT_EQ(PortFigure(seen, 2, 0, "sent_packets"), 2);
}

void ExpectNear(Time time, std::int64_t ps) {
  EXPECT_NEAR(static_cast<double>(time.ps), static_cast<double>(ps), 3);
}

LinkEvent Event(std::int64_t us, std::uint32_t link, LinkEvent::Kind kind, std::int64_t gbps = 0) {
  return {MicroSeconds(us), LinkId(link), kind, BitRate{gbps * kG}};
}

TEST(FlowBackendFailures, ALinkThatBecomesSlowerTakesLonger) {
  Made made(Star({{100}, {100}}));
  made.failures = {Event(100, 0, LinkEvent::Kind::kRate, 25)};
  const Flowed flowed = FlowThrough(made, {Flow(0, 1, 1000 * 9000)});
  // What is left after 100 us takes four times as long; the last packet stays fast at its last hop.
  const std::int64_t left = 1000 * kTx - 100 * kMicro;
  ExpectNear(flowed.received.at({0, 0}), 100 * kMicro + 4 * left + 2 * kMicro + kTx);
  // Nothing was lost, and the ideal time is that of the healthy link.
  EXPECT_EQ(flowed.rows.at({0, 0}).ideal, Time{4 * kMicro + 1001 * kTx + 2 * kAckTx});
}

TEST(FlowBackendFailures, ADeadLinkHoldsAFlowUntilItIsBack) {
  Made made(Star({{100}, {100}}));
  made.failures = {Event(100, 1, LinkEvent::Kind::kDown), Event(350, 1, LinkEvent::Kind::kUp)};
  const Flowed flowed = FlowThrough(made, {Flow(0, 1, 1000 * 9000)});
  ExpectNear(flowed.received.at({0, 0}), 250 * kMicro + 2 * kMicro + 1001 * kTx);
}

TEST(FlowBackendFailures, ARouteThatIsLeftTakesOver) {
  for (const std::int64_t convergence : {0, 20}) {
    Made made(TwoPorts());
    made.options.convergence = MicroSeconds(convergence);
    const std::vector<FlowRequest> flows{Flow(0, 1, 1000 * 9000)};
    const Flowed healthy = FlowThrough(made, flows);
    Observed seen;
    seen.ports = healthy.ports;
    const bool first = PortFigure(seen, 0, 0, "sent_packets") > 0;
    made.failures = {Event(100, first ? 0 : 1, LinkEvent::Kind::kDown)};
    const Flowed flowed = FlowThrough(made, flows);
    ExpectNear(flowed.received.at({0, 0}), healthy.received.at({0, 0}).ps + convergence * kMicro);
    EXPECT_EQ(flowed.rows.at({0, 0}).ideal, healthy.rows.at({0, 0}).ideal);
    // What each port has carried: whole packets, all of them once.
    seen.ports = flowed.ports;
    const std::int64_t before = PortFigure(seen, 0, first ? 0 : 1, "sent_packets");
    EXPECT_EQ(before, 100 * kMicro / kTx);
    EXPECT_EQ(before + PortFigure(seen, 0, first ? 1 : 0, "sent_packets"), 1000);
    EXPECT_EQ(PortFigure(seen, 0, 0, "sent_bytes") + PortFigure(seen, 0, 1, "sent_bytes"),
              1000 * 9052);
  }
}

TEST(FlowBackendFailures, AFlowWithoutARouteStaysOpen) {
  Made made(Star({{100}, {100}, {100}}));
  made.failures = {Event(100, 1, LinkEvent::Kind::kDown)};
  const Flowed flowed =
      FlowThrough(made, {Flow(0, 1, 1000 * 9000), Flow(0, 2, 1000 * 9000)}, /*finish=*/false);
  ASSERT_EQ(flowed.open.size(), 1U);
  EXPECT_EQ(flowed.open[0].state, FlowState::kNoRoute);
  EXPECT_EQ(flowed.open[0].destination, NodeId(1));
  // The other one has the link alone from then on.
  const std::int64_t shared = 100 * kMicro;
  ExpectNear(flowed.received.at({0, 1}), 2 * kMicro + kTx + 1000 * kTx + shared / 2);
}

TEST(FlowBackendFailures, EventsAfterTheTrafficChangeNothing) {
  Made made(Star({{100}, {100}}));
  const std::vector<FlowRequest> flows{Flow(0, 1, 10 * 9000), Flow(1, 0, 9000, 3, 400 * kMicro)};
  const Flowed healthy = FlowThrough(made, flows);
  // While nothing flows, and after all has.
  made.failures = {Event(100, 1, LinkEvent::Kind::kDown), Event(300, 1, LinkEvent::Kind::kUp),
                   Event(5000, 0, LinkEvent::Kind::kDown)};
  const Flowed flowed = FlowThrough(made, flows);
  EXPECT_EQ(flowed.received, healthy.received);
}

/// The message of the error with which a backend is refused after `change`.
std::string Refused(const std::function<void(Made*)>& change) {
  Made made(Star({{100}, {100}}));
  change(&made);
  try {
    FlowBackend backend(made.Input());
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(FlowBackend, RefusesByNameWhatFluidsDoNotKnow) {
  EXPECT_EQ(Refused([](Made*) {}), "");
  const auto names = [](const std::string& what, const std::function<void(Made*)>& change) {
    const std::string text = Refused(change);
    EXPECT_NE(text.find(what), std::string::npos) << text;
    EXPECT_NE(text.find("Expected: --backend packet, or "), std::string::npos) << text;
  };
  names("controller.enable", [](Made* made) { made->options.controller.enabled = true; });
  names("transport.protocol=uec",
        [](Made* made) { made->options.protocol = TransportFields::Protocol::kUec; });
  names("monitor", [](Made* made) { made->options.monitors.queues = true; });
  names("debug.lose_packet", [](Made* made) { made->options.lose_packet = 3; });
  names("link.error_rate", [](Made* made) { made->graph = Star({{100}, {100, kMicro, 0.5}}); });
}

}  // namespace
}  // namespace heddle::testing
