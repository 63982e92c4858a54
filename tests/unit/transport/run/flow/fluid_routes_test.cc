// SPDX-License-Identifier: GPL-2.0-only
/// Paths of fluids over time: dead links, new routes, rates, and the shares of weighted ports.
#include "transport/run/flow/fluid_routes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "transport/run/flow/fluid_paths.h"

namespace heddle {
namespace {

/// GPUs 0 and 1 at switches 2 and 5, between them switches 3 and 4; links 1 to 4 are between
/// switches.
Graph Diamond() {
  Graph graph(2, 0, 4, 1, "X");
  for (const auto& [a, b] : {std::pair(0U, 2U), std::pair(2U, 3U), std::pair(2U, 4U),
                             std::pair(3U, 5U), std::pair(4U, 5U), std::pair(5U, 1U)})
    graph.AddLink({NodeId(a), NodeId(b), BitRate{100'000'000'000}, MicroSeconds(1), 0});
  return graph;
}

struct Planned {
  explicit Planned(const std::vector<LinkEvent>& failures, Time convergence = {},
                   const PortOptions& balance = {})
      : graph(Diamond()), routes(graph) {
    run.graph = &graph;
    run.routes = &routes;
    run.trains = PacketTrains(graph, 9000, 52, 1);
    run.payload = 9000;
    run.packet = 9052;
    run.ack = 60;
    run.has_window = false;
    run.balance = balance;
    PlanInstants(failures, convergence, &run);
  }
  /// The part of a flow on the link of this number, away from its lower end. Negative: no path.
  double PartAt(const FluidPaths& paths, std::uint32_t link) const {
    const FluidPath path = paths.Find(NodeId(0), NodeId(1), 10'000, 100);
    if (!path.open) return -1;
    const NodeId from = graph.link(LinkId(link)).a;
    const std::uint32_t at = paths.first_link(from) + PortOf(graph, from, LinkId(link)).value;
    for (const FluidHop& hop : path.there) {
      if (hop.link == at) return static_cast<double>(hop.weight) / kWholeWeight;
    }
    return 0;
  }

  /// Whether ACKs of that flow cross a link.
  bool AcksCross(const FluidPaths& paths, std::uint32_t link) const {
    const NodeId to = graph.link(LinkId(link)).b;
    const std::uint32_t at = paths.first_link(to) + PortOf(graph, to, LinkId(link)).value;
    const FluidPath path = paths.Find(NodeId(0), NodeId(1), 10'000, 100);
    return std::any_of(path.back.begin(), path.back.end(),
                       [&](const FluidHop& hop) { return hop.link == at; });
  }

  Graph graph;
  Routes routes;
  FluidRun run;
};

LinkEvent Event(std::int64_t us, std::uint32_t link, LinkEvent::Kind kind, std::int64_t gbps = 0) {
  return {MicroSeconds(us), LinkId(link), kind, BitRate{gbps * 1'000'000'000}};
}

TEST(FluidRoutes, ADeadLinkHasNoPathUntilRoutesFollow) {
  for (const std::uint32_t dead : {1U, 2U}) {
    const Planned made(
        {Event(1, dead, LinkEvent::Kind::kDown), Event(9, dead, LinkEvent::Kind::kUp)},
        MicroSeconds(2));
    ASSERT_EQ(made.run.instants.size(), 4U);
    FluidPaths paths(&made.run);
    const bool hashed_there = made.PartAt(paths, dead) == 1;
    const bool needed = hashed_there || made.AcksCross(paths, dead);
    paths.Apply(0);
    EXPECT_EQ(made.PartAt(paths, dead), needed ? -1 : 0);
    paths.Apply(1);
    EXPECT_EQ(made.PartAt(paths, dead), 0);
    EXPECT_EQ(made.PartAt(paths, 3 - dead), 1);
    paths.Apply(2);  // up, but routes do not know it
    EXPECT_EQ(made.PartAt(paths, dead), 0);
    paths.Apply(3);
    EXPECT_EQ(made.PartAt(paths, dead), hashed_there ? 1 : 0);
  }
}

TEST(FluidRoutes, AnAdaptiveSwitchLeavesItsDeadLinkAtOnce) {
  PortOptions balance;
  balance.scheme = PortOptions::Scheme::kAdaptive;
  // ACKs go by hash, and must not need the dead link.
  const Planned healthy({}, {}, balance);
  const std::uint32_t dead = healthy.AcksCross(FluidPaths(&healthy.run), 1) ? 2 : 1;
  const Planned near({Event(1, dead, LinkEvent::Kind::kDown)}, MicroSeconds(2), balance);
  FluidPaths paths(&near.run);
  EXPECT_EQ(near.PartAt(paths, dead), 0.5);
  paths.Apply(0);
  EXPECT_EQ(near.PartAt(paths, dead), 0);
  EXPECT_EQ(near.PartAt(paths, 3 - dead), 1);
  balance.scheme = PortOptions::Scheme::kRandom;
  const Planned random({Event(1, dead, LinkEvent::Kind::kDown)}, MicroSeconds(2), balance);
  FluidPaths stays(&random.run);
  stays.Apply(0);
  EXPECT_EQ(random.PartAt(stays, dead), -1);
  stays.Apply(1);
  EXPECT_EQ(random.PartAt(stays, 3 - dead), 1);
}

TEST(FluidRoutes, WeightsFollowWhatPortsCarryOn) {
  PortOptions balance;
  balance.scheme = PortOptions::Scheme::kRandom;
  balance.weighted = true;
  // The second link of one path: its switch's neighbour knows it 2 us later.
  const Planned made({Event(1, 3, LinkEvent::Kind::kRate, 25)}, MicroSeconds(2), balance);
  ASSERT_EQ(made.run.instants.size(), 2U);
  FluidPaths paths(&made.run);
  EXPECT_EQ(made.PartAt(paths, 1), 0.5);
  paths.Apply(0);
  EXPECT_EQ(made.PartAt(paths, 1), 0.5);
  paths.Apply(1);
  EXPECT_NEAR(made.PartAt(paths, 1), 0.2, 1e-4);
  EXPECT_NEAR(made.PartAt(paths, 4), 0.8, 1e-4);
  EXPECT_EQ(made.PartAt(paths, 5), 1);
}

/// By hash a flow keeps one port, and many flows meet the weights.
TEST(FluidRoutes, WeightedHashesPickPortsInProportion) {
  PortOptions balance;
  balance.weighted = true;
  const Planned made({Event(1, 1, LinkEvent::Kind::kRate, 25)}, {}, balance);
  FluidPaths paths(&made.run);
  for (std::size_t i = 0; i < made.run.instants.size(); ++i) paths.Apply(i);
  constexpr int kFlows = 2000;
  int slow = 0;
  for (int port = 0; port < kFlows; ++port) {
    const FluidPath path =
        paths.Find(NodeId(0), NodeId(1), static_cast<std::uint16_t>(10'000 + port), 100);
    ASSERT_TRUE(path.open);
    ASSERT_EQ(path.there.size(), 4U);
    slow += path.there[1].link == paths.first_link(NodeId(2)) + 1 ? 1 : 0;
  }
  EXPECT_NEAR(slow, kFlows / 5.0, 4 * 18);  // four standard deviations
}

TEST(FluidRoutes, LevelsThatDoNotBalanceHash) {
  PortOptions balance;
  balance.scheme = PortOptions::Scheme::kRandom;
  balance.levels = "2";
  const Planned made({}, {}, balance);
  const FluidPaths paths(&made.run);
  EXPECT_EQ(made.PartAt(paths, 1) + made.PartAt(paths, 2), 1);
  EXPECT_NE(made.PartAt(paths, 1), 0.5);
}

TEST(FluidRoutes, TimesFollowRatesAndIdealOnesTheBest) {
  const Planned made(
      {Event(1, 0, LinkEvent::Kind::kRate, 50), Event(2, 0, LinkEvent::Kind::kRate, 200)});
  FluidPaths paths(&made.run);
  const auto times = [&] {
    FluidPath path = paths.Find(NodeId(0), NodeId(1), 10'000, 100);
    return paths.TimesOf(&path, NodeId(0), NodeId(1), 9000);
  };
  constexpr std::int64_t kPacket = 724'160;  // at 100 Gbps [ps]
  EXPECT_EQ(times().there, MicroSeconds(4) + Time{4 * kPacket});
  const Time ideal = times().ideal;
  paths.Apply(0);
  EXPECT_EQ(times().there, MicroSeconds(4) + Time{5 * kPacket});
  EXPECT_EQ(paths.RateOf(paths.first_link(NodeId(0))), FluidRateOf({50'000'000'000}));
  EXPECT_EQ(times().ideal, ideal);
  paths.Apply(1);
  EXPECT_EQ(times().there, MicroSeconds(4) + Time{3 * kPacket + kPacket / 2});
  EXPECT_EQ(times().there + times().back, ideal);
}

}  // namespace
}  // namespace heddle
