// SPDX-License-Identifier: GPL-2.0-only
#include "topology/routes/failures.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/support/test_data.h"
#include "topology/routes/route_timeline.h"

namespace heddle {

bool operator==(const LinkEvent& a, const LinkEvent& b) {
  return a.time == b.time && a.link == b.link && a.kind == b.kind && a.rate == b.rate;
}
void PrintTo(const LinkEvent& e, std::ostream* out) {
  *out << ToText(e.time) << " link " << e.link.value << " kind " << static_cast<int>(e.kind);
}

namespace {

using What = FailureEvent::What;
using Kind = LinkEvent::Kind;
using Events = std::vector<LinkEvent>;

constexpr BitRate kFull{100'000'000'000};
constexpr BitRate kHalf{50'000'000'000};

/// GPUs 0 to 3, leaves 4 and 5, spines 6 and 7; links 0 to 3 to the leaves, 4 to 7 between leaves
/// and spines, 8 a second cable of 4-6.
Graph Fabric() {
  Graph graph(4, 0, 4, 1, "X");
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) Connect(&graph, gpu, 4 + gpu / 2);
  for (std::uint32_t leaf : {4, 5}) {
    for (std::uint32_t spine : {6, 7}) Connect(&graph, leaf, spine);
  }
  Connect(&graph, 4, 6);
  return graph;
}

FailureEvent LinkChange(std::int64_t us, What what, std::uint32_t a, std::uint32_t b,
                        std::uint32_t cable = FailureEvent::kAllCables, BitRate rate = {}) {
  return {MicroSeconds(us), what, NodeId(a), NodeId(b), cable, rate, {"events.csv", us}};
}
FailureEvent NodeChange(std::int64_t us, What what, std::uint32_t node) {
  return {MicroSeconds(us),         what, NodeId(node),      {},
          FailureEvent::kAllCables, {},   {"events.csv", us}};
}
LinkEvent Change(std::int64_t us, std::uint32_t link, Kind kind, BitRate rate = {}) {
  return {MicroSeconds(us), LinkId(link), kind, rate};
}

/// The message for an event at nodes of these names; of a known name the node's number.
std::string FindNode(const Graph& graph, const std::string& name) {
  std::vector<FailureEvent> events = {NodeChange(1, What::kNodeDown, 0)};
  events[0].a = NodeId();
  events[0].a_name = name;
  try {
    FindNamedNodes(graph, &events);
  } catch (const UserError& error) {
    return error.what();
  }
  return std::to_string(events[0].a.value);
}

TEST(Failures, NodesByTheNamesOfMessages) {
  const Graph graph = Fabric();
  EXPECT_EQ(FindNode(graph, "leaf 1"), "5");
  EXPECT_EQ(FindNode(graph, "Spine 0"), "6");
  EXPECT_EQ(FindNode(graph, "gpu 3"), "3");
  EXPECT_EQ(FindNode(graph, "leef 1"),
            "events.csv:1: no node is named 'leef 1'. Expected: a number, or a name as heddle topo "
            "show lists them; the nearest is leaf 1");
  // Servers of two GPUs, a leaf for each place: with and without its rail.
  Graph rails(4, 0, 2, 2, "X");
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) Connect(&rails, gpu, 4 + gpu % 2);
  EXPECT_EQ(FindNode(rails, "server 1 / GPU 0"), "2");
  Graph named = Fabric();
  named.SetNames({"a", "b", "c", "d", "tor", "Tor", "s0", "s1"});
  EXPECT_EQ(FindNode(named, "s1"), "7");
  EXPECT_EQ(FindNode(named, "Tor"), "5");
  EXPECT_EQ(FindNode(named, "TOR"),
            "events.csv:1: several nodes are named 'TOR'. Expected: the node's number");
}

TEST(Failures, AllParallelCablesOrOne) {
  const Graph graph = Fabric();
  EXPECT_EQ(ExpandFailures(graph, {LinkChange(5, What::kLinkDown, 6, 4)}),
            (Events{Change(5, 4, Kind::kDown), Change(5, 8, Kind::kDown)}));
  EXPECT_EQ(ExpandFailures(graph, {LinkChange(5, What::kLinkDown, 6, 4, 1)}),
            (Events{Change(5, 8, Kind::kDown)}));
  EXPECT_TRUE(ExpandFailures(graph, {}).empty());
}

TEST(Failures, AreSortedByTimeThenLink) {
  EXPECT_EQ(
      ExpandFailures(Fabric(),
                     {LinkChange(9, What::kLinkUp, 2, 5), LinkChange(5, What::kLinkDown, 2, 5),
                      LinkChange(5, What::kLinkDown, 0, 4)}),
      (Events{Change(5, 0, Kind::kDown), Change(5, 2, Kind::kDown), Change(9, 2, Kind::kUp)}));
}

TEST(Failures, ANodeTakesItsLinksAlong) {
  EXPECT_EQ(ExpandFailures(Fabric(),
                           {NodeChange(1, What::kNodeDown, 7), NodeChange(2, What::kNodeUp, 7)}),
            (Events{Change(1, 5, Kind::kDown), Change(1, 7, Kind::kDown), Change(2, 5, Kind::kUp),
                    Change(2, 7, Kind::kUp)}));
}

TEST(Failures, OverlappingCausesAreResolved) {
  const Graph graph = Fabric();
  // The link's own failure lasts longer than its node's.
  EXPECT_EQ(ExpandFailures(graph,
                           {LinkChange(1, What::kLinkDown, 4, 7), NodeChange(2, What::kNodeDown, 7),
                            NodeChange(3, What::kNodeUp, 7), LinkChange(4, What::kLinkUp, 4, 7)}),
            (Events{Change(1, 5, Kind::kDown), Change(2, 7, Kind::kDown), Change(3, 7, Kind::kUp),
                    Change(4, 5, Kind::kUp)}));
  // A link between two failed nodes needs both to come back.
  EXPECT_EQ(
      ExpandFailures(graph, {NodeChange(1, What::kNodeDown, 0), NodeChange(2, What::kNodeDown, 4),
                             NodeChange(3, What::kNodeUp, 4), NodeChange(4, What::kNodeUp, 0)})
          .back(),
      Change(4, 0, Kind::kUp));
}

TEST(Failures, LinksThatAreDownAtATime) {
  const std::vector<LinkEvent> events = ExpandFailures(
      Fabric(), {LinkChange(1, What::kLinkDown, 0, 4), LinkChange(3, What::kLinkUp, 0, 4),
                 NodeChange(2, What::kNodeDown, 2)});
  const auto down = [&](std::int64_t us) {
    std::string text;
    for (const bool is_down : LinksDownAt(events, 9, MicroSeconds(us))) text += is_down ? 'x' : '.';
    return text;
  };
  EXPECT_EQ(down(0), "");
  EXPECT_EQ(down(1), "x........");
  EXPECT_EQ(down(2), "x.x......");
  EXPECT_EQ(down(3), "..x......");
}

TEST(Failures, RedundantChangesVanish) {
  const Graph graph = Fabric();
  EXPECT_EQ(ExpandFailures(
                graph, {LinkChange(1, What::kLinkDown, 0, 4), LinkChange(2, What::kLinkDown, 4, 0),
                        LinkChange(3, What::kLinkUp, 0, 4), LinkChange(4, What::kLinkUp, 0, 4)}),
            (Events{Change(1, 0, Kind::kDown), Change(3, 0, Kind::kUp)}));
  EXPECT_TRUE(ExpandFailures(
                  graph, {LinkChange(1, What::kLinkDown, 0, 4), LinkChange(1, What::kLinkUp, 0, 4)})
                  .empty());
  EXPECT_EQ(ExpandFailures(
                graph, {LinkChange(1, What::kLinkUp, 0, 4), LinkChange(1, What::kLinkDown, 0, 4)}),
            (Events{Change(1, 0, Kind::kDown)}));
  EXPECT_TRUE(ExpandFailures(graph, {LinkChange(1, What::kLinkRate, 0, 4, 0, kFull)}).empty());
}

TEST(Failures, RatesChangeAlsoWhileALinkIsDown) {
  EXPECT_EQ(ExpandFailures(Fabric(), {LinkChange(1, What::kLinkDown, 0, 4),
                                      LinkChange(2, What::kLinkRate, 0, 4, 0, kHalf),
                                      LinkChange(3, What::kLinkUp, 0, 4),
                                      LinkChange(3, What::kLinkRate, 0, 4, 0, kFull)}),
            (Events{Change(1, 0, Kind::kDown), Change(2, 0, Kind::kRate, kHalf),
                    Change(3, 0, Kind::kUp), Change(3, 0, Kind::kRate, kFull)}));
}

std::string EventMessageOf(const FailureEvent& event) {
  try {
    ExpandFailures(Fabric(), {event});
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Failures, MistakesNameTheLine) {
  EXPECT_EQ(
      EventMessageOf(LinkChange(7, What::kLinkDown, 0, 5)),
      "events.csv:7: no link between GPU 0 and switch 5. Expected: two nodes that the topology "
      "links");
  EXPECT_EQ(EventMessageOf(LinkChange(7, What::kLinkDown, 4, 4)),
            "events.csv:7: no link between switch 4 and switch 4. Expected: two nodes that the "
            "topology links");
  EXPECT_EQ(EventMessageOf(LinkChange(7, What::kLinkUp, 0, 8)),
            "events.csv:7: node 8. Expected: a node of the topology, 0 to 7");
  EXPECT_EQ(EventMessageOf(NodeChange(7, What::kNodeDown, 99)),
            "events.csv:7: node 99. Expected: a node of the topology, 0 to 7");
  EXPECT_EQ(EventMessageOf(LinkChange(7, What::kLinkDown, 4, 6, 2)),
            "events.csv:7: cable 2. Expected: one of the 2 cables between switch 4 and switch 6, 0 "
            "to 1");
  EXPECT_EQ(EventMessageOf(LinkChange(7, What::kLinkRate, 0, 4)),
            "events.csv:7: a rate of 0 bps. Expected: above 0");
  EXPECT_NE(EventMessageOf(LinkChange(-7, What::kLinkDown, 0, 4)).find("Expected: zero or more"),
            std::string::npos);
}

RouteTimeline Timeline(const Graph& graph, const std::vector<FailureEvent>& events,
                       Time convergence) {
  return RouteTimeline(std::make_shared<const Routes>(graph), ExpandFailures(graph, events),
                       convergence);
}

TEST(RouteTimeline, HasAnEpochForEveryTimeOfChange) {
  const Graph graph = Fabric();
  const RouteTimeline timeline =
      Timeline(graph,
               {LinkChange(1, What::kLinkDown, 4, 7), NodeChange(1, What::kNodeDown, 2),
                LinkChange(2, What::kLinkRate, 0, 4, 0, kHalf), NodeChange(3, What::kNodeUp, 2),
                LinkChange(4, What::kLinkUp, 4, 7)},
               MicroSeconds(10));
  const auto& epochs = timeline.epochs();
  ASSERT_EQ(epochs.size(), 4u);  // a change of rate makes no epoch
  EXPECT_EQ(epochs[0].time, Time{0});
  EXPECT_EQ(epochs[1].time, MicroSeconds(11));
  EXPECT_EQ(epochs[2].time, MicroSeconds(13));
  EXPECT_EQ(epochs[3].time, MicroSeconds(14));
  EXPECT_TRUE(epochs[0].routes->down().empty());
  EXPECT_EQ(epochs[1].routes->down(), (std::vector<LinkId>{LinkId(2), LinkId(5)}));
  EXPECT_EQ(epochs[2].routes->down(), std::vector<LinkId>{LinkId(5)});
  EXPECT_TRUE(epochs[3].routes->down().empty());
  EXPECT_EQ(timeline.At(Time{0}), 0u);
  EXPECT_EQ(timeline.At(MicroSeconds(11) - PicoSeconds(1)), 0u);
  EXPECT_EQ(timeline.At(MicroSeconds(11)), 1u);
  EXPECT_EQ(timeline.At(Time::Max()), 3u);
}

TEST(RouteTimeline, TellsWhomAnEpochAffects) {
  const Graph graph = Fabric();
  const RouteTimeline timeline = Timeline(graph, {NodeChange(1, What::kNodeDown, 0)}, {});
  const RouteEpoch& epoch = timeline.epochs().at(1);
  EXPECT_TRUE(epoch.Affects(NodeId(0)));   // moved
  EXPECT_TRUE(epoch.Affects(NodeId(1)));   // its class lost a member, so its place changed
  EXPECT_FALSE(epoch.Affects(NodeId(2)));  // another class
  EXPECT_TRUE(epoch.change.recomputed.size() == 1);  // the new class of GPU 0
  EXPECT_EQ(epoch.routes->Hops(NodeId(2), NodeId(0)), Routes::kUnreachable);
}

TEST(RouteTimeline, StartsWithWhatIsDownAtTimeZero) {
  const Graph graph = Fabric();
  const RouteTimeline timeline = Timeline(graph, {NodeChange(0, What::kNodeDown, 6)}, {});
  ASSERT_EQ(timeline.epochs().size(), 2u);
  EXPECT_EQ(timeline.At(Time{0}), 1u);
}

TEST(RouteTimeline, RefusesTimesOutOfRange) {
  const Graph graph = Fabric();
  EXPECT_THROW(Timeline(graph, {}, PicoSeconds(-1)), UserError);
  EXPECT_THROW(Timeline(graph, {NodeChange(2, What::kNodeDown, 6)}, Time::Max()), UserError);
}

}  // namespace
}  // namespace heddle
