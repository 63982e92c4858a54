// SPDX-License-Identifier: GPL-2.0-only
/// Capacities towards classes of GPUs in a small leaf-spine fabric, by hand.
#include "topology/paths/path_capacities.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace heddle {
namespace {

constexpr std::int64_t kG = 1'000'000'000;

/// GPUs 0 and 1 at leaf 4, 2 and 3 at leaf 5; spines 6 and 7, two cables from each to each leaf.
Graph TwoByTwo() {
  Graph graph(4, 0, 4, 1, "X");
  const auto add = [&](std::uint32_t a, std::uint32_t b) {
    graph.AddLink({NodeId(a), NodeId(b), BitRate{100 * kG}, PicoSeconds(1000), 0});
  };
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) add(gpu, 4 + gpu / 2);
  for (const std::uint32_t leaf : {4U, 5U}) {
    for (const std::uint32_t spine : {6U, 7U}) {
      add(leaf, spine);
      add(leaf, spine);
    }
  }
  return graph;
}

/// Links 8 and 9 are the cables from leaf 5 to spine 6.
FailureEvent Change(FailureEvent::What what, std::int64_t at_us, std::uint32_t cable,
                    std::int64_t gigabits = 0) {
  FailureEvent event;
  event.time = MicroSeconds(at_us);
  event.what = what;
  event.a = NodeId(5);
  event.b = NodeId(6);
  event.cable = cable;
  event.rate = BitRate{gigabits * kG};
  return event;
}

class Capacities : public ::testing::Test {
 protected:
  void Plan(const std::vector<FailureEvent>& failures, Time convergence) {
    const std::vector<LinkEvent> events = ExpandFailures(graph_, failures);
    const RouteTimeline timeline(std::make_shared<const Routes>(graph_), events, convergence);
    epochs_ = timeline.epochs();
    steps_ = CapacityTimeline(graph_, epochs_, events, convergence);
  }
  /// Of a switch towards GPU 2, at leaf 5, at a time [Gbps].
  std::int64_t Gigabits(std::uint32_t node, std::uint32_t epoch, std::int64_t at_us) const {
    const std::uint32_t step = steps_.At(steps_.First(epoch), MicroSeconds(at_us));
    return steps_[step].Of(NodeId(node), epochs_[epoch].routes->class_of(NodeId(2))).bps / kG;
  }

  Graph graph_ = TwoByTwo();
  std::vector<RouteEpoch> epochs_;
  CapacityTimeline steps_;
};

TEST_F(Capacities, AreSumsOfLeastRates) {
  Plan({}, Time{0});
  EXPECT_EQ(Gigabits(6, 0, 0), 200) << "two cables";
  EXPECT_EQ(Gigabits(4, 0, 0), 400) << "four cables up, to spines that have as much";
  EXPECT_EQ(Gigabits(5, 0, 0), PathCapacities::kUnlimited.bps / kG) << "GPU 2 is here";
  const Routes routes(graph_);
  const PathCapacities capacities(graph_, routes, LinkRates(graph_));
  EXPECT_EQ(capacities.Of(NodeId(7), routes.class_of(NodeId(0))).bps, 200 * kG);
}

TEST_F(Capacities, FollowRoutesWhenACableIsLost) {
  Plan({Change(FailureEvent::What::kLinkDown, 10, 0)}, MicroSeconds(5));
  ASSERT_EQ(epochs_.size(), 2U);
  EXPECT_EQ(Gigabits(6, 0, 12), 200) << "nobody knows yet";
  EXPECT_EQ(Gigabits(6, 1, 15), 100);
  EXPECT_EQ(Gigabits(7, 1, 15), 200);
  EXPECT_EQ(Gigabits(4, 1, 15), 300);
  const std::uint32_t cls = epochs_[1].routes->class_of(NodeId(2));
  const PathCapacities& after = steps_[steps_.First(1)];
  // Leaf 4's ports: its two GPUs, two cables to spine 6, two to spine 7.
  for (const std::uint32_t port : {2U, 3U})
    EXPECT_EQ(after.Onward(graph_, NodeId(4), PortId(port), cls).bps, 50 * kG) << port;
  for (const std::uint32_t port : {4U, 5U})
    EXPECT_EQ(after.Onward(graph_, NodeId(4), PortId(port), cls).bps, 100 * kG) << port;
  EXPECT_EQ(after.Onward(graph_, NodeId(5), PortId(0), cls).bps, 100 * kG) << "to the GPU";
}

TEST_F(Capacities, FollowRatesAfterConvergence) {
  Plan({Change(FailureEvent::What::kLinkRate, 10, 1, 25),
        Change(FailureEvent::What::kLinkRate, 30, 1, 50),
        Change(FailureEvent::What::kLinkDown, 20, 0)},
       MicroSeconds(5));
  ASSERT_EQ(epochs_.size(), 2U);
  EXPECT_EQ(Gigabits(6, 0, 14), 200);
  EXPECT_EQ(Gigabits(6, 0, 15), 125);
  EXPECT_EQ(Gigabits(6, 1, 25), 25) << "the other cable is down";
  EXPECT_EQ(Gigabits(6, 1, 35), 50);
  EXPECT_EQ(Gigabits(6, 0, 99), 125) << "the next epoch is not this one's";
}

TEST_F(Capacities, ARateMayChangeInOneDirection) {
  LinkRates rates(graph_);
  LinkEvent event;
  event.kind = LinkEvent::Kind::kRate;
  event.link = LinkId(8);
  event.rate = BitRate{10 * kG};
  event.sender = NodeId(6);
  rates.Apply(graph_, event);
  EXPECT_EQ(rates.Of(graph_, LinkId(8), NodeId(6)).bps, 10 * kG);
  EXPECT_EQ(rates.Of(graph_, LinkId(8), NodeId(5)).bps, 100 * kG);
  event.sender = NodeId();
  rates.Apply(graph_, event);
  EXPECT_EQ(rates.Of(graph_, LinkId(8), NodeId(5)).bps, 10 * kG);
}

}  // namespace
}  // namespace heddle
