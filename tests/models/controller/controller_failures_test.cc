// SPDX-License-Identifier: GPL-2.0-only
/// Links fail under the central controller: reserved paths that change are given up, their flows
/// get new ones, and no reservation remains without a flow.
#include <map>
#include <set>

#include "tests/models/controller/controlled.h"
#include "topology/paths/path_tracer.h"

namespace heddle::testing {
namespace {

using Kind = LinkEvent::Kind;

std::vector<LinkEvent> DownForGood(std::uint32_t link, std::int64_t at) {
  return {{PicoSeconds(at), LinkId(link), Kind::kDown, {}}};
}
std::uint32_t SpineNumber(const Choice& choice) { return SpineOf(choice) - kFirstSpine; }
/// The cable from leaf 4 to a spine.
std::uint32_t LeftLink(std::uint32_t spine) { return 4 + spine; }

/// Flows over three spines, as many as there are: 400 packets each, from 6 us to 312 us.
constexpr std::int64_t kPackets = 400;
FlowRequest Long(std::uint32_t from, std::uint32_t to) {
  return Flow(from, to, kPackets * 9000, 3, kSendLatency);
}

class ControllerFailures : public ::testing::Test {
 protected:
  Observed Run(const std::vector<FlowRequest>& flows,
               const std::vector<LinkEvent>& failures) const {
    return RunWith(graph_, flows, options_, failures);
  }
  /// The row of the first of these flows without failures.
  Choice First(const std::vector<FlowRequest>& flows) const {
    return Choices(Run(flows, {})).at(0);
  }

  TransportOptions options_ = Controlled();
  Graph graph_ = TwoLeaves(3).Build();
};

TEST_F(ControllerFailures, AFlowIsMovedALatencyAfterItsRoutesHaveChanged) {
  const Choice before = First({Long(0, 2)});
  for (const std::int64_t convergence : {0, 10}) {
    options_.convergence = MicroSeconds(convergence);
    const Observed outcome =
        Run({Long(0, 2)}, DownForGood(LeftLink(SpineNumber(before)), 50 * kMicro));
    const std::vector<Choice> choices = Choices(outcome);
    const std::int64_t heard = (50 + convergence) * kMicro + kLatency;
    ASSERT_EQ(choices.size(), 2U);
    EXPECT_EQ(choices[0].path, before.path);
    EXPECT_EQ(choices[0].released, heard);
    EXPECT_EQ(choices[1].cause, 1);
    EXPECT_EQ(choices[1].outcome, 0);
    EXPECT_EQ(choices[1].request, 0U);
    EXPECT_EQ(choices[1].destination, 2U);
    EXPECT_EQ(choices[1].asked, heard);
    EXPECT_EQ(choices[1].decided, heard);
    EXPECT_EQ(choices[1].wait, 0);
    EXPECT_NE(SpineOf(choices[1]), SpineOf(choices[0]));
    EXPECT_EQ(choices[1].released, kSendLatency + Fct(outcome, 0) + kLatency);
    EXPECT_TRUE(AllFinished(outcome));
    EXPECT_EQ(SourcePort(outcome, 0), choices[1].source_port);
    // From 50 us on; some 60 packets were over by then.
    EXPECT_GT(PortFigure(outcome, SpineOf(choices[1]), 1, "sent_packets"), 300);
    EXPECT_LT(PortFigure(outcome, SpineOf(choices[0]), 1, "sent_packets"), 70);
    EXPECT_EQ(WhatIsWrongWith(choices), "");
  }
}

TEST_F(ControllerFailures, FlowsThatMoveDoNotMeet) {
  // Two flows on two of three spines; the spine of the first fails. Afterwards each flow has one of
  // the other spines.
  const std::vector<FlowRequest> flows = {Long(0, 2), Long(1, 3)};
  std::size_t other_ports = 0;
  for (const std::vector<FlowRequest>& both :
       {flows, std::vector<FlowRequest>{Long(0, 3), Long(1, 2)}}) {
    const Choice before = First(both);
    const Observed outcome = Run(both, DownForGood(LeftLink(SpineNumber(before)), 50 * kMicro));
    std::map<std::uint32_t, Choice> last;
    for (const Choice& choice : Choices(outcome)) last[choice.source] = choice;
    EXPECT_EQ(last[0].cause, 1);
    EXPECT_EQ(
        (std::set<std::uint32_t>{SpineNumber(before), SpineNumber(last[0]), SpineNumber(last[1])}
             .size()),
        3U);
    for (std::uint32_t i : {0U, 1U}) {
      EXPECT_EQ(SourcePort(outcome, i), last[i].source_port);
      other_ports += last[i].source_port != 1 ? 1 : 0;
      EXPECT_GT(PortFigure(outcome, SpineOf(last[i]), 1, "sent_packets"), 300) << i;
      // One round trip's worth of packets comes again; sharing a spine would take another 240 us.
      EXPECT_LT(Fct(outcome, i), LoneFct(kPackets) + 40 * kMicro) << i;
    }
    EXPECT_EQ(WhatIsWrongWith(Choices(outcome)), "");
  }
  EXPECT_GT(other_ports, 0U) << "some flow must have changed its port for this to prove anything";
}

TEST_F(ControllerFailures, AFlowGoesBackWhenItsLinkDoes) {
  const Choice before = First({Long(0, 2)});
  const Observed outcome =
      Run({Long(0, 2)}, Outage(LeftLink(SpineNumber(before)), 50 * kMicro, 150 * kMicro));
  const std::vector<Choice> choices = Choices(outcome);
  ASSERT_EQ(choices.size(), 3U);
  EXPECT_EQ(choices[1].released, 150 * kMicro + kLatency);
  EXPECT_EQ(choices[2].asked, 150 * kMicro + kLatency);
  EXPECT_EQ(choices[2].cause, 1);
  EXPECT_EQ(choices[2].path, before.path);
  EXPECT_TRUE(AllFinished(outcome));
  EXPECT_EQ(WhatIsWrongWith(choices), "");
}

TEST_F(ControllerFailures, ALinkThatNobodyHoldsMovesNobodyWhoseWayStays) {
  // GPU 1's cable: the flow of GPU 0 keeps its port and its path.
  const Observed outcome = Run({Long(0, 2)}, Outage(1, 50 * kMicro, 80 * kMicro));
  EXPECT_EQ(Choices(outcome).size(), 1U);
  EXPECT_EQ(Fct(outcome, 0), LoneFct(kPackets));
}

TEST_F(ControllerFailures, WithoutAWayTheFlowIsLeftToTheHost) {
  // GPU 2's only cable fails. The path is given up, and the choice is the host's own port, which
  // does not help. No reservation remains.
  const Observed gone = Run({Long(0, 2)}, DownForGood(2, 50 * kMicro));
  const std::vector<Choice> choices = Choices(gone);
  ASSERT_EQ(choices.size(), 2U);
  EXPECT_EQ(choices[0].released, 50 * kMicro + kLatency);
  EXPECT_EQ(choices[1].outcome, 1);
  EXPECT_EQ(choices[1].source_port, 0U);
  EXPECT_EQ(State(gone, 0), 2) << "no route";
  EXPECT_EQ(SourcePort(gone, 0), 10000U);
  EXPECT_EQ(WhatIsWrongWith(choices), "");
}

TEST_F(ControllerFailures, WhenAWayComesBackTheControllerChoosesAgain) {
  const Observed back = Run({Long(0, 2)}, Outage(2, 50 * kMicro, 90 * kMicro));
  const std::vector<Choice> choices = Choices(back);
  ASSERT_EQ(choices.size(), 3U);
  EXPECT_EQ(choices[1].outcome, 1);
  EXPECT_EQ(choices[2].cause, 1);
  EXPECT_EQ(choices[2].outcome, 0);
  EXPECT_EQ(choices[2].decided, 90 * kMicro + kLatency);
  EXPECT_TRUE(AllFinished(back));
  EXPECT_EQ(SourcePort(back, 0), choices[2].source_port);
  EXPECT_EQ(WhatIsWrongWith(choices), "");
}

TEST_F(ControllerFailures, AFlowHandedOverDuringAnOutageIsTheControllersToo) {
  FlowRequest flow = Long(0, 2);
  flow.start = PicoSeconds(60 * kMicro);
  const Observed outcome = Run({flow}, Outage(2, 50 * kMicro, 90 * kMicro));
  const std::vector<Choice> choices = Choices(outcome);
  ASSERT_EQ(choices.size(), 2U);
  EXPECT_EQ(choices[0].outcome, 1) << "there is no way";
  EXPECT_EQ(choices[1].outcome, 0);
  EXPECT_TRUE(AllFinished(outcome));
  EXPECT_EQ(SourcePort(outcome, 0), choices[1].source_port);
  EXPECT_EQ(WhatIsWrongWith(choices), "");
}

TEST_F(ControllerFailures, TheLastSpineIsSharedBeyondTheController) {
  // Two flows, two spines, one fails: one flow keeps a path, the other is left to the host; both
  // finish over the same spine.
  graph_ = TwoLeaves(2).Build();
  const std::vector<FlowRequest> flows = {Long(0, 2), Long(1, 3)};
  const Choice before = First(flows);
  const Observed outcome = Run(flows, DownForGood(LeftLink(SpineNumber(before)), 50 * kMicro));
  EXPECT_TRUE(AllFinished(outcome));
  std::map<std::uint32_t, Choice> last;
  for (const Choice& choice : Choices(outcome)) last[choice.source] = choice;
  EXPECT_EQ(last[0].outcome + last[1].outcome, 1);
  EXPECT_GT(PortFigure(outcome, kFirstSpine + 1 - SpineNumber(before), 1, "sent_packets"), 700);
  EXPECT_EQ(WhatIsWrongWith(Choices(outcome)), "");
}

TEST_F(ControllerFailures, RoutesMayChangeWhileAnAnswerIsUnderWay) {
  // Decided at 1 us, received at 2 us. The controller learns of the failure at 1.5 us; its second
  // answer is received at 2.5 us. The flow starts with that, at 6 us, and never uses the failed
  // link.
  const Choice before = First({Long(0, 2)});
  const Observed early = Run({Long(0, 2)}, DownForGood(LeftLink(SpineNumber(before)), kMicro / 2));
  std::vector<Choice> choices = Choices(early);
  ASSERT_EQ(choices.size(), 2U);
  EXPECT_EQ(choices[0].path, before.path);
  EXPECT_EQ(choices[0].released, 3 * kMicro / 2);
  EXPECT_EQ(choices[1].decided, 3 * kMicro / 2);
  EXPECT_EQ(Start(early, 0), kSendLatency);
  EXPECT_EQ(Fct(early, 0), LoneFct(kPackets));
  EXPECT_EQ(SourcePort(early, 0), choices[1].source_port);
  EXPECT_EQ(PortFigure(early, SpineOf(choices[0]), 1, "sent_packets"), 0);
  EXPECT_EQ(PortFigure(early, SpineOf(choices[1]), 1, "sent_packets"), kPackets);
  EXPECT_EQ(early.books.dropped_packets, 0);
  EXPECT_EQ(WhatIsWrongWith(choices), "");
  // With 10 us each way: decided at 10, started at 20; the failure at 15 is known at 25, the flow
  // moves at 35.
  options_.controller.latency = MicroSeconds(10);
  const Observed late = Run({Long(0, 2)}, DownForGood(LeftLink(SpineNumber(before)), 15 * kMicro));
  choices = Choices(late);
  ASSERT_EQ(choices.size(), 2U);
  EXPECT_EQ(Start(late, 0), 20 * kMicro);
  EXPECT_EQ(choices[1].decided, 25 * kMicro);
  EXPECT_EQ(late.books.dropped_packets, 0) << "switches know at once";
  EXPECT_EQ(WhatIsWrongWith(choices), "");
}

TEST_F(ControllerFailures, AFailureAtTheBeginningIsKnownToTheFirstRequest) {
  const Choice before = First({Long(0, 2)});
  const Observed outcome = Run({Long(0, 2)}, DownForGood(LeftLink(SpineNumber(before)), 0));
  const std::vector<Choice> choices = Choices(outcome);
  ASSERT_EQ(choices.size(), 1U) << "routes come before requests of the same time";
  EXPECT_NE(SpineOf(choices[0]), SpineOf(before));
  EXPECT_EQ(Fct(outcome, 0), LoneFct(kPackets));
}

TEST_F(ControllerFailures, AFlowMayEndWhileItIsMoved) {
  // A pair whose ACKs return over another spine than its data, so that the failure does not affect
  // them.
  const Routes routes(graph_);
  for (std::uint32_t from : {0U, 1U}) {
    for (std::uint32_t to : {2U, 3U}) {
      const std::vector<FlowRequest> flows = {Long(from, to)};
      const Choice before = First(flows);
      const auto acks =
          NodesEntered(graph_, TracePath(graph_, routes, NodeId(to), NodeId(from), 100, 1));
      if (acks.at(1).value == SpineOf(before)) continue;
      const std::int64_t end = kSendLatency + LoneFct(kPackets);
      const std::vector<LinkEvent> failure =
          DownForGood(LeftLink(SpineNumber(before)), end - kMicro / 2);
      // The failure is known half a microsecond before the end of the flow: a new path is granted
      // and released.
      options_.controller.service = Time{0};
      const std::vector<Choice> at_once = Choices(Run(flows, failure));
      ASSERT_EQ(at_once.size(), 2U);
      EXPECT_EQ(at_once[0].released, end + kMicro / 2);
      EXPECT_EQ(at_once[1].decided, end + kMicro / 2);
      EXPECT_EQ(at_once[1].released, end + kLatency);
      EXPECT_EQ(WhatIsWrongWith(at_once), "");
      // A controller that takes 3 us for a request finds that the flow has ended.
      options_.controller.service = MicroSeconds(3);
      const Observed slow = Run(flows, failure);
      const std::vector<Choice> choices = Choices(slow);
      ASSERT_EQ(choices.size(), 1U);
      EXPECT_EQ(choices[0].released, end + kMicro / 2);
      EXPECT_TRUE(AllFinished(slow));
      EXPECT_EQ(WhatIsWrongWith(choices), "");
      return;
    }
  }
  FAIL() << "no pair fits";
}

TEST_F(ControllerFailures, MovedFlowsWaitTheirTurn) {
  // Decided at 1 + 3 and 1 + 6 us. Both lose their spines at 50 us (all spines of leaf 4 but one,
  // which neither flow used): known at 51 us, decided at 54 and 57, in the order of GPUs. Until
  // then they have no reservation.
  options_.controller.service = MicroSeconds(3);
  const std::vector<FlowRequest> flows = {Long(0, 2), Long(1, 3)};
  const std::vector<Choice> before = Choices(Run(flows, {}));
  std::vector<LinkEvent> failures = DownForGood(LeftLink(SpineNumber(before[0])), 50 * kMicro);
  failures.push_back(DownForGood(LeftLink(SpineNumber(before[1])), 50 * kMicro)[0]);
  const Observed outcome = Run(flows, failures);
  const std::vector<Choice> choices = Choices(outcome);
  ASSERT_EQ(choices.size(), 4U);
  for (std::uint32_t i : {0U, 1U}) {
    EXPECT_EQ(choices[i].released, 51 * kMicro);
    EXPECT_EQ(choices[2 + i].source, i);
    EXPECT_EQ(choices[2 + i].asked, 51 * kMicro);
    EXPECT_EQ(choices[2 + i].decided, (54 + 3 * i) * kMicro);
    EXPECT_EQ(choices[2 + i].outcome, i == 0 ? 0 : 1);
  }
  EXPECT_TRUE(AllFinished(outcome));
  EXPECT_EQ(WhatIsWrongWith(choices), "");
}

TEST_F(ControllerFailures, RoutesMayChangeAgainWhileMovedFlowsWait) {
  // As before, but the links come back at 53 us, known at 54: while the first is decided and the
  // second still waits.
  options_.controller.service = MicroSeconds(3);
  const std::vector<FlowRequest> flows = {Long(0, 2), Long(1, 3)};
  const std::vector<Choice> before = Choices(Run(flows, {}));
  std::vector<LinkEvent> failures =
      Outage(LeftLink(SpineNumber(before[0])), 50 * kMicro, 53 * kMicro);
  for (const LinkEvent& event : Outage(LeftLink(SpineNumber(before[1])), 50 * kMicro, 53 * kMicro))
    failures.push_back(event);
  std::stable_sort(failures.begin(), failures.end(),
                   [](const LinkEvent& a, const LinkEvent& b) { return a.time < b.time; });
  const Observed outcome = Run(flows, failures);
  EXPECT_TRUE(AllFinished(outcome));
  EXPECT_EQ(WhatIsWrongWith(Choices(outcome)), "");
  EXPECT_GE(Choices(outcome).size(), 4U);
}

TEST_F(ControllerFailures, AFlowThatGivesUpGivesBackItsPath) {
  // Its cable is down and routes never change: timeouts, then the retry limit.
  options_.convergence = MicroSeconds(10'000'000);
  options_.reliability.timeout = MicroSeconds(100);
  options_.reliability.retry_limit = 1;
  const Choice before = First({Long(0, 2)});
  std::vector<FlowRequest> flows = {Long(0, 2)};
  flows.push_back(Flow(0, 2, 9000, 3, 9000 * kMicro));
  const Observed outcome =
      Run(flows, Outage(LeftLink(SpineNumber(before)), 50 * kMicro, 8000 * kMicro));
  EXPECT_EQ(State(outcome, 0), 3) << "retry limit";
  EXPECT_EQ(State(outcome, 1), 0);
  const std::vector<Choice> choices = Choices(outcome);
  ASSERT_EQ(choices.size(), 2U);
  EXPECT_GT(choices[0].released, 100 * kMicro);
  EXPECT_LT(choices[0].released, 8000 * kMicro);
  EXPECT_EQ(choices[1].path, before.path) << "free again";
  EXPECT_EQ(WhatIsWrongWith(choices), "");
}

/// GPU 0 and 1 have two NICs each, at leaves 2 and 3 (GPU 0) and 4 and 5 (GPU 1), below spines 6
/// and 7. Links 4 and 5 are of leaf 2, 6 and 7 of leaf 3, 8 to 11 of the others.
Graph TwoNics() {
  Graph graph(2, 0, 6, 1, "X");
  const auto add = [&](std::uint32_t a, std::uint32_t b) {
    graph.AddLink({NodeId(a), NodeId(b), BitRate{100 * kG}, PicoSeconds(kMicro), 0});
  };
  add(0, 2);
  add(0, 3);
  add(1, 4);
  add(1, 5);
  for (std::uint32_t leaf : {2U, 3U, 4U, 5U}) {
    for (std::uint32_t spine : {6U, 7U}) add(leaf, spine);
  }
  return graph;
}

TEST(ControllerFailuresTwoNics, AFlowMovesToTheNicThatIsLeft) {
  // The first leaf of the path loses its cables to both spines: only the other NIC has a way left.
  const Graph graph = TwoNics();
  const std::vector<FlowRequest> flows = {Long(0, 1)};
  const Choice before = Choices(Simulate(graph, flows, Controlled())).at(0);
  const std::uint32_t leaf = before.path[0].first;
  std::vector<LinkEvent> failures = DownForGood(leaf == 2 ? 4 : 6, 50 * kMicro);
  failures.push_back(DownForGood(leaf == 2 ? 5 : 7, 50 * kMicro)[0]);
  const Observed outcome = RunWith(graph, flows, Controlled(), failures);
  const std::vector<Choice> choices = Choices(outcome);
  ASSERT_EQ(choices.size(), 2U);
  EXPECT_EQ(choices[1].path[0].first, 5 - leaf) << "the other leaf";
  for (const PortName& hop : choices[1].path)
    EXPECT_GT(PortFigure(outcome, hop.first, hop.second, "sent_packets"), 300);
  EXPECT_TRUE(AllFinished(outcome));
  EXPECT_EQ(WhatIsWrongWith(choices), "");
}

TEST(ControllerFailuresTwoNics, AFlowMovesToTheOtherNicIfItsNewPortSaysSo) {
  // Any cable of a leaf may fail; both NICs stay in use. A NIC sends the rest of the flows that
  // were moved to it, 340 to 400 packets each, in addition to its own earlier packets and what is
  // sent again.
  const Graph graph = TwoNics();
  std::size_t changed = 0;
  for (std::uint32_t link = 4; link < 12; ++link) {
    for (const std::size_t count : {1U, 2U, 3U}) {
      const std::vector<FlowRequest> flows(count, Long(0, 1));
      const Observed outcome = RunWith(graph, flows, Controlled(), DownForGood(link, 50 * kMicro));
      const std::vector<Choice> choices = Choices(outcome);
      EXPECT_EQ(WhatIsWrongWith(choices), "");
      EXPECT_TRUE(AllFinished(outcome));
      std::map<std::uint32_t, Choice> first, last;
      for (const Choice& choice : choices) {
        first.emplace(choice.request, choice);
        last[choice.request] = choice;
      }
      std::map<std::uint32_t, std::int64_t> flows_at;
      bool all_held = true;
      for (const auto& [request, choice] : last) {
        all_held = all_held && !choice.path.empty() && !first[request].path.empty();
        if (!all_held) break;
        ++flows_at[choice.path[0].first];
        changed += choice.path[0].first != first[request].path[0].first ? 1 : 0;
      }
      if (!all_held) continue;
      for (const std::uint32_t leaf : {2U, 3U}) {
        const std::int64_t packets = PortFigure(outcome, 0, leaf - 2, "sent_packets");
        EXPECT_GE(packets, flows_at[leaf] * 330)
            << "link " << link << ", " << count << " flows, leaf " << leaf;
        EXPECT_LE(packets, flows_at[leaf] * 400 + 150)
            << "link " << link << ", " << count << " flows, leaf " << leaf;
      }
    }
  }
  EXPECT_GT(changed, 0U);
}

}  // namespace
}  // namespace heddle::testing
