// SPDX-License-Identifier: GPL-2.0-only
/// Contents of a fabric's domains: bytes by port, compared with traced paths; and state saved
/// half-way.
#include <gtest/gtest.h>

#include <boost/archive/text_iarchive.hpp>
#include <boost/archive/text_oarchive.hpp>
#include <boost/serialization/deque.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/set.hpp>
#include <boost/serialization/vector.hpp>
#include <map>
#include <sstream>

#include "core/base/random.h"
#include "core/checkpoint/state_archive.h"
#include "core/traffic/trace_driver.h"
#include "partition/partition.h"
#include "tests/support/leaf_spine.h"
#include "tests/support/trace_posts.h"
#include "topology/paths/path_tracer.h"
#include "topology/shapes/generator.h"
#include "transport/domain/fabric_domain/fabric_domain.h"
#include "transport/run/controller/central_controller.h"
#include "transport/run/controller/controller_tables.h"
#include "transport/run/fabric/fabric.h"

namespace heddle::testing {
namespace {

/// The fabric of one process, and the engine's windows.
struct Bench {
  Bench(const Graph& graph, const std::vector<FlowRequest>& flows, std::uint32_t grain,
        const TransportOptions& options = {}, const std::vector<LinkEvent>& failures = {})
      : domains(MakeDomains(graph, {Time{0}, grain})),
        fabric(graph, options,
               {domains.domain_of, domains.nodes,
                std::vector<RankId>(domains.nodes.size(), RankId(0))},
               RankId(0), 1, 1, failures),
        driver(flows, options.split(), options.send_latency) {
    fabric.Drive(&driver);
  }
  /// Runs all events before `end`.
  void RunUntil(Time end) {
    PostOffice& post = fabric.post_office();
    const bool controlled = fabric.controller() != nullptr;
    const Time step =
        domains.lookahead == Time::Max() && !controlled ? MicroSeconds(100) : fabric.Lookahead();
    for (Time next = post.NextTime(); next < end; next = post.NextTime()) {
      const Time edge = std::min(end, next + step);
      for (std::size_t i = 0; i < post.domains().size(); ++i) post.RunDomain(i, edge);
    }
    post.EmptyAllInboxes();
  }
  Domains domains;
  Fabric fabric;
  TraceDriver driver;
};

std::vector<FlowRequest> RandomFlows(std::uint32_t gpus, int count, std::int64_t largest) {
  RandomStream random(9, 0, RandomPurpose::kPermutation);
  std::vector<FlowRequest> flows;
  for (int i = 0; i < count; ++i) {
    FlowRequest flow;
    flow.source = NodeId(static_cast<std::uint32_t>(random.Below(gpus)));
    const auto step = static_cast<std::uint32_t>(1 + random.Below(gpus - 1));
    flow.destination = NodeId((flow.source.value + step) % gpus);
    flow.size =
        Bytes{static_cast<std::int64_t>(1 + random.Below(static_cast<std::uint64_t>(largest)))};
    flow.start = PicoSeconds(static_cast<std::int64_t>(random.Below(20'000'000)));
    flow.priority = static_cast<std::uint8_t>(1 + random.Below(7));
    flows.push_back(flow);
  }
  return flows;
}

using BytesOfPorts = std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t>;

BytesOfPorts SentBytes(const Fabric& fabric) {
  BytesOfPorts sent;
  for (const auto& domain : fabric.domains()) {
    for (const auto& node : domain->nodes()) {
      for (std::uint32_t port = 0; port < node.ports; ++port) {
        const std::int64_t bytes = domain->port(node.first_port + port).sent_bytes;
        if (bytes > 0) sent[{node.id.value, port}] = bytes;
      }
    }
  }
  return sent;
}

BytesOfPorts TracedBytes(const Graph& graph, const std::vector<FlowRequest>& flows) {
  const Routes routes(graph);
  BytesOfPorts traced;
  for (const FlowPost& flow : PostsOf(flows)) {
    const NodeId from = flow.source, to = flow.destination;
    const std::int64_t packets = (flow.size + 8999) / 9000;
    const std::uint16_t source_port = flow.numbers.source_port;
    for (const Hop& hop : TracePath(graph, routes, from, to, source_port, flow.destination_port)) {
      traced[{hop.node.value, hop.port.value}] += flow.size + 52 * packets;
    }
    for (const Hop& hop : TracePath(graph, routes, to, from, flow.destination_port, source_port)) {
      traced[{hop.node.value, hop.port.value}] += 60 * packets;
    }
  }
  return traced;
}

Graph DualPlane() {
  LeafSpineOptions options = FindTemplate("AlibabaHPN-DualPlane").defaults;
  options.gpus = 64;
  options.nics_per_leaf = 4;
  options.spine_switches = 8;
  return Generate("AlibabaHPN-DualPlane", options);
}

TEST(Ports, SendWhatTracedPathsPredict) {
  const Graph graph = DualPlane();
  const auto flows = RandomFlows(64, 300, 100000);
  for (std::uint32_t grain : {1U, 0U}) {
    Bench bench(graph, flows, grain);
    bench.RunUntil(Time::Max());
    EXPECT_EQ(bench.fabric.Books().flows_finished, 300);
    const BytesOfPorts traced = TracedBytes(graph, flows);
    EXPECT_GT(traced.size(), 300U);
    EXPECT_EQ(SentBytes(bench.fabric), traced);
  }
}

TEST(Ports, TrafficWithinAServerStaysOnTheNvSwitch) {
  const Graph graph = DualPlane();
  FlowRequest flow;
  flow.source = NodeId(1);
  flow.destination = NodeId(6);
  flow.size = Bytes{90000};
  Bench bench(graph, {flow}, 1);
  bench.RunUntil(Time::Max());
  // GPU 1 and 6 use their port 0, which leads to NVSwitch 64, whose port i leads to GPU i.
  ASSERT_EQ(graph.ports(NodeId(1))[0].peer, NodeId(64));
  ASSERT_EQ(graph.ports(NodeId(64))[6].peer, NodeId(6));
  EXPECT_EQ(SentBytes(bench.fabric),
            (BytesOfPorts{{{1, 0}, 90520}, {{64, 6}, 90520}, {{6, 0}, 600}, {{64, 1}, 600}}));
}

template <class T>
std::string Saved(const T& value) {
  std::stringstream text;
  boost::archive::text_oarchive(text) << value;
  return text.str();
}
template <class T>
void Load(const std::string& saved, T* value) {
  std::stringstream text(saved);
  boost::archive::text_iarchive(text) >> *value;
}

/// Saves the state, loads it into another fabric, and expects the same bytes when saving that.
template <class T>
void Hand(const T& from, T* to) {
  const std::string saved = Saved(from);
  Load(saved, to);
  EXPECT_EQ(Saved(*to), saved);
}

/// All domains, and what their agents have not posted yet.
void HandDomains(const Bench& from, Bench* to) {
  for (std::size_t i = 0; i < from.fabric.domains().size(); ++i) {
    const FabricDomain& domain = *from.fabric.domains()[i];
    Hand(domain, to->fabric.domains()[i].get());
    if (domain.agent() == nullptr) continue;
    StateWriter state;
    domain.agent()->Save(&state);
    StateReader reader(state.bytes());
    to->fabric.domains()[i]->agent()->Load(&reader);
    reader.ExpectEnd();
  }
}

CentralController* ControllerOf(Bench* bench) {
  return dynamic_cast<CentralController*>(bench->fabric.post_office().domains().back());
}

class HalfWay : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(HalfWay, SavedStateGoesOnInFreshDomains) {
  const LeafSpine shape{4, 4, 2, {100'000'000'000}, NanoSeconds(500)};
  const Graph graph = shape.Build();
  const auto flows = RandomFlows(shape.hosts(), 150, 400000);
  TransportOptions options;
  options.reliability.ack_interval = 18000;
  options.buffer.buffer_mib = 1;
  options.ecn.kmin = options.ecn.kmax = RateMap::Parse("1 100000000000 20", 1e6, "KB");
  options.monitors.queues = options.monitors.rates = true;
  options.monitors.pair_interval = MicroSeconds(10);
  Bench whole(graph, flows, GetParam(), options);
  whole.RunUntil(Time::Max());
  ASSERT_EQ(whole.fabric.Books().flows_finished, 150);
  for (std::int64_t us : {0, 3, 17, 60, 150}) {
    Bench first(graph, flows, GetParam(), options), second(graph, flows, GetParam(), options);
    first.RunUntil(MicroSeconds(us));
    HandDomains(first, &second);
    second.RunUntil(Time::Max());
    EXPECT_EQ(Saved(second.fabric.Books()), Saved(whole.fabric.Books())) << us;
    EXPECT_EQ(second.fabric.events(), whole.fabric.events()) << us;
    EXPECT_EQ(Digest(GatherFlows(Communicator::Serial(), second.fabric)),
              Digest(GatherFlows(Communicator::Serial(), whole.fabric)))
        << us;
    EXPECT_EQ(SentBytes(second.fabric), SentBytes(whole.fabric));
  }
}

TEST_P(HalfWay, SavedControllerGoesOn) {
  // Requests wait in the queue, links fail and come back, flows are moved, some share links.
  const LeafSpine shape{4, 4, 3, {100'000'000'000}, NanoSeconds(500)};
  const Graph graph = shape.Build();
  const auto flows = RandomFlows(shape.hosts(), 150, 400000);
  TransportOptions options;
  options.controller.enabled = true;
  options.controller.service = NanoSeconds(400);
  options.controller.fallback = ControllerOptions::Fallback::kLeastLoaded;
  options.convergence = MicroSeconds(2);
  options.reliability.timeout = MicroSeconds(100);
  std::vector<LinkEvent> failures = {{MicroSeconds(15), LinkId(17), LinkEvent::Kind::kDown, {}},
                                     {MicroSeconds(58), LinkId(17), LinkEvent::Kind::kUp, {}}};
  Bench whole(graph, flows, GetParam(), options, failures);
  whole.RunUntil(Time::Max());
  ASSERT_EQ(whole.fabric.Books().flows_finished, 150);
  const ControllerFigures figures = whole.fabric.controller()->figures();
  EXPECT_GT(figures.moves, 10);
  EXPECT_GT(figures.least_loaded, 10);
  EXPECT_GT(figures.late, 10);
  CheckHeldPaths(Communicator::Serial(), whole.fabric);
  const std::vector<Table> tables = ControllerTables(whole.fabric.controller());
  for (std::int64_t us : {0, 2, 9, 19, 30, 61, 150}) {
    Bench first(graph, flows, GetParam(), options, failures),
        second(graph, flows, GetParam(), options, failures);
    first.RunUntil(MicroSeconds(us));
    HandDomains(first, &second);
    Hand(*ControllerOf(&first), ControllerOf(&second));
    second.RunUntil(Time::Max());
    EXPECT_EQ(Saved(second.fabric.Books()), Saved(whole.fabric.Books())) << us;
    EXPECT_EQ(second.fabric.events(), whole.fabric.events()) << us;
    const std::vector<Table> now = ControllerTables(second.fabric.controller());
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_EQ(Digest(now[i]), Digest(tables[i])) << tables[i].name << " from " << us;
    EXPECT_EQ(Digest(GatherFlows(Communicator::Serial(), second.fabric)),
              Digest(GatherFlows(Communicator::Serial(), whole.fabric)))
        << us;
    CheckHeldPaths(Communicator::Serial(), second.fabric);
  }
}

INSTANTIATE_TEST_SUITE_P(Grains, HalfWay, ::testing::Values(0U, 1U));

/// The archive's fields after its header must be unchanged as text, and contain the numbers that
/// were saved.
template <class T>
T RoundTrip(const T& value) {
  T copy{};
  Load(Saved(value), &copy);
  EXPECT_EQ(Saved(copy), Saved(value));
  return copy;
}

TEST(RoundTrips, Port) {
  Port port;
  port.busy_until = PicoSeconds(1);
  port.wake_at = PicoSeconds(2);
  port.sent = 3;
  port.waiting = 0xa5;
  port.last_served = 7;
  port.paused = 0x5a;
  port.flags = 0x34;
  for (std::uint32_t i = 0; i < 8; ++i) port.queues[i] = {10 + i, 20 + i, 30 + i};
  port.queued_bytes = 4;
  port.max_queued_bytes = 5;
  port.sent_bytes = std::int64_t{6} << 40;
  const Port copy = RoundTrip(port);
  EXPECT_EQ(copy.busy_until, PicoSeconds(1));
  EXPECT_EQ(copy.wake_at, PicoSeconds(2));
  EXPECT_EQ(copy.sent, 3U);
  EXPECT_EQ(copy.waiting, 0xa5U);
  EXPECT_EQ(copy.paused, 0x5aU);
  EXPECT_EQ(copy.flags, 0x34U);
  EXPECT_EQ(copy.last_served, 7);
  for (std::uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(copy.queues[i].head, 10 + i);
    EXPECT_EQ(copy.queues[i].tail, 20 + i);
    EXPECT_EQ(copy.queues[i].bytes, 30 + i);
  }
  EXPECT_EQ(copy.queued_bytes, 4);
  EXPECT_EQ(copy.max_queued_bytes, 5);
  EXPECT_EQ(copy.sent_bytes, std::int64_t{6} << 40);
}

TEST(RoundTrips, PortExtras) {
  PortExtras extras(1, NodeId(2), PortId(3)), copy(4, NodeId(5), PortId(6));
  extras.last_down = PicoSeconds(7);
  extras.rate_changed = PicoSeconds(8);
  extras.rate_before = BitRate{9};
  Hand(extras, &copy);
  EXPECT_EQ(copy.last_down, PicoSeconds(7));
  EXPECT_EQ(copy.rate_changed, PicoSeconds(8));
  EXPECT_EQ(copy.rate_before.bps, 9);
}

TEST(RoundTrips, QueuePairs) {
  QueuePair pair;
  pair.flow = {NodeId(1), 2};
  pair.destination = NodeId(3);
  pair.source_port = 4;
  pair.destination_port = 5;
  pair.priority = 6;
  pair.timeouts = 7;
  pair.resend = 8;
  pair.port = 9;
  pair.position = 10;
  pair.size = 11;
  pair.next = 12;
  pair.unacked = 13;
  pair.highest = 14;
  pair.pace = {BitRate{16}, BitRate{17}, 18, PicoSeconds(19)};
  pair.pace.limit = 15;
  pair.next_send = PicoSeconds(20);
  pair.last_progress = PicoSeconds(21);
  pair.rate_timer = PicoSeconds(22);
  pair.start = PicoSeconds(23);
  pair.recovery.waited = PicoSeconds(24);
  pair.message = 25;
  pair.cnps = 26;
  pair.last_size = 27;
  pair.seen_rate = 28;
  pair.seen_cnps = 29;
  pair.asked = 30;
  pair.recovery.resent_bytes = 31;
  pair.recovery.nacks = 32;
  pair.recovery.timeouts = 33;
  pair.recovery.moves = 34;
  const QueuePair copy = RoundTrip(pair);
  EXPECT_EQ(copy.flow, pair.flow);
  EXPECT_EQ(copy.destination, NodeId(3));
  const std::vector<std::int64_t> numbers = {copy.source_port,
                                             copy.destination_port,
                                             copy.priority,
                                             copy.timeouts,
                                             copy.resend,
                                             copy.port,
                                             copy.position,
                                             copy.size,
                                             copy.next,
                                             copy.unacked,
                                             copy.highest,
                                             copy.pace.limit,
                                             copy.pace.rate.bps,
                                             copy.pace.line_rate.bps,
                                             copy.pace.window,
                                             copy.pace.base_rtt.ps,
                                             copy.next_send.ps,
                                             copy.last_progress.ps,
                                             copy.rate_timer.ps,
                                             copy.start.ps,
                                             copy.recovery.waited.ps,
                                             copy.message,
                                             copy.cnps,
                                             copy.last_size,
                                             copy.seen_rate,
                                             copy.seen_cnps,
                                             copy.asked,
                                             copy.recovery.resent_bytes,
                                             copy.recovery.nacks,
                                             copy.recovery.timeouts,
                                             copy.recovery.moves};
  for (std::size_t i = 0; i < numbers.size(); ++i)
    EXPECT_EQ(numbers[i], static_cast<std::int64_t>(i) + 4);
}

TEST(RoundTrips, ReceiveQueuePair) {
  ReceiveQueuePair receiver;
  receiver.flow = {NodeId(1), 2};
  receiver.node = NodeId(3);
  receiver.source_port = 4;
  receiver.destination_port = 5;
  receiver.marked = 6;
  receiver.expected = 7;
  receiver.unreported = 8;
  receiver.last_nack = 9;
  receiver.nack_again = PicoSeconds(10);
  receiver.end = 11;
  receiver.ack_port = 12;
  const ReceiveQueuePair copy = RoundTrip(receiver);
  EXPECT_EQ(copy.flow, receiver.flow);
  EXPECT_EQ(copy.node, NodeId(3));
  const std::vector<std::int64_t> numbers = {
      copy.source_port, copy.destination_port, copy.marked, copy.expected, copy.unreported,
      copy.last_nack,   copy.nack_again.ps,    copy.end,    copy.ack_port};
  for (std::size_t i = 0; i < numbers.size(); ++i)
    EXPECT_EQ(numbers[i], static_cast<std::int64_t>(i) + 4);
}

TEST(RoundTrips, PauseState) {
  PauseState state;
  for (int p = 0; p < kPriorities; ++p) {
    const auto n = static_cast<std::uint32_t>(10 * p);
    state.since[p] = PicoSeconds(n);
    state.expires[p] = PicoSeconds(n + 1);
    state.renews[p] = PicoSeconds(n + 2);
    state.cause[p] = {NodeId(n + 3), PortId(n + 4), n + 5};
    state.root[p] = {NodeId(n + 6), PortId(n + 7), n + 8};
  }
  const PauseState copy = RoundTrip(state);
  for (int p = 0; p < kPriorities; ++p) {
    EXPECT_EQ(copy.since[p], state.since[p]);
    EXPECT_EQ(copy.expires[p], state.expires[p]);
    EXPECT_EQ(copy.renews[p], state.renews[p]);
    EXPECT_EQ(copy.cause[p].depth, state.cause[p].depth);
    EXPECT_EQ(copy.root[p].node, state.root[p].node);
    EXPECT_EQ(copy.root[p].port, state.root[p].port);
  }
}

TEST(RoundTrips, Records) {
  FlowRecord saved;
  saved.flow = {NodeId(1), 2};
  saved.destination = NodeId(3);
  saved.source_port = 4;
  saved.destination_port = 5;
  saved.priority = 6;
  saved.state = FlowState::kPaused;
  saved.message = 7;
  saved.size = 8;
  saved.start = PicoSeconds(9);
  saved.completion = PicoSeconds(-1);
  saved.ideal = PicoSeconds(11);
  saved.recovery = {PicoSeconds(12), 13, 14, 15, 16};
  const FlowRecord flow = RoundTrip(saved);
  EXPECT_EQ(flow.flow, (FlowId{NodeId(1), 2}));
  EXPECT_EQ(flow.destination, NodeId(3));
  EXPECT_EQ(flow.state, FlowState::kPaused);
  const std::vector<std::int64_t> numbers = {flow.source_port,
                                             flow.destination_port,
                                             flow.priority,
                                             flow.message,
                                             flow.size,
                                             flow.start.ps,
                                             flow.completion.ps,
                                             flow.ideal.ps,
                                             flow.recovery.waited.ps,
                                             flow.recovery.resent_bytes,
                                             flow.recovery.nacks,
                                             flow.recovery.timeouts,
                                             flow.recovery.moves};
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{4, 5, 6, 7, 8, 9, -1, 11, 12, 13, 14, 15, 16}));
  const FlowArrival arrival = RoundTrip(FlowArrival{{NodeId(1), 2}, PicoSeconds(3)});
  EXPECT_EQ(arrival.flow, (FlowId{NodeId(1), 2}));
  EXPECT_EQ(arrival.time, PicoSeconds(3));
  const DropRecord drop = RoundTrip(DropRecord{NodeId(1), PortId(2), DropReason::kLinkDown, 3});
  EXPECT_EQ(drop.node, NodeId(1));
  EXPECT_EQ(drop.port, PortId(2));
  EXPECT_EQ(drop.reason, DropReason::kLinkDown);
  EXPECT_EQ(drop.packets, 3);
  const PauseCauseRecord cause =
      RoundTrip(PauseCauseRecord{NodeId(1), PortId(2), 3, PicoSeconds(4), 5});
  EXPECT_EQ(cause.node, NodeId(1));
  EXPECT_EQ(cause.port, PortId(2));
  EXPECT_EQ(cause.pauses, 3);
  EXPECT_EQ(cause.paused, PicoSeconds(4));
  EXPECT_EQ(cause.longest_chain, 5U);
  DomainBooks books;
  for (int i = 0; i < DomainBooks::kCount; ++i) *books.Counts()[i] = i + 1;
  const DomainBooks copy = RoundTrip(books);
  for (int i = 0; i < DomainBooks::kCount; ++i) EXPECT_EQ(copy.Values()[i], i + 1);
}

}  // namespace
}  // namespace heddle::testing
