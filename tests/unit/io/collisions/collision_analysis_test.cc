// SPDX-License-Identifier: GPL-2.0-only
#include "io/collisions/collision_analysis.h"

#include <algorithm>
#include <random>
#include <set>
#include <sstream>
#include <tuple>

#include "io/collisions/colliding_pairs.h"
#include "io/collisions/flow_comparison.h"
#include "io/export/export_collisions.h"
#include "tests/support/io_test_util.h"
#include "tests/unit/io/controller_tables.h"
#include "tests/unit/io/two_leaves.h"

namespace heddle {
namespace {

using Ports = std::vector<std::vector<HopIndex>>;

PortLists ListsOf(const Ports& ports) {
  PortLists lists;
  for (const auto& list : ports) {
    for (const HopIndex port : list) lists.Push(port);
    lists.EndFlow();
  }
  return lists;
}

std::uint64_t PairsOf(const Ports& ports, const std::vector<FlowSpan>& spans,
                      std::uint32_t count = 20) {
  const PortLists lists = ListsOf(ports);
  return CountCollidingPairs(lists, spans, PortUsers(lists, spans, count));
}

TEST(Collisions, TwoOfThreeFlowsOverlap) {
  // On port 5: flow 0 in [0, 100), flow 1 in [60, 160), flow 2 in [160, 200), which only touches
  // flow 1.
  const std::vector<FlowSpan> spans = {{0, 100}, {60, 160}, {160, 200}};
  const CollisionAnalysis analysis(ListsOf({{5}, {5}, {5}}), spans, 6);
  ASSERT_EQ(analysis.ports().size(), 1u);
  const PortSharing& port = analysis.ports()[0];
  EXPECT_EQ(port.port, 5u);
  EXPECT_EQ(port.flows, 3u);
  EXPECT_EQ(port.most_at_once, 2u);
  EXPECT_EQ(port.shared_ps, 40);
  EXPECT_EQ(port.pairs, 1u);
  EXPECT_EQ(PairsOf({{5}, {5}, {5}}, spans), 1u);
  EXPECT_EQ(PairsOf({{5}, {5}, {5}}, AllAtOnce(3)), 3u);
}

TEST(Collisions, APairThatSharesSeveralPortsCountsOnce) {
  const std::vector<FlowSpan> spans = {{0, 100}, {60, 160}, {90, 200}};
  const Ports ports = {{1, 2, 3}, {1, 2, 3}, {2, 4}};
  const CollisionAnalysis analysis(ListsOf(ports), spans, 5);
  std::uint64_t all = 0;
  for (const PortSharing& port : analysis.ports()) all += port.pairs;
  EXPECT_EQ(all, 5u);  // 0-1 on ports 1, 2 and 3; 0-2 and 1-2 on port 2
  EXPECT_EQ(PairsOf(ports, spans), 3u);
}

TEST(Collisions, FlowsThatAreNeverUnderWayDoNotCollide) {
  const std::vector<FlowSpan> spans = {{50, 50}, {0, 100}, {0, 100}};
  const CollisionAnalysis analysis(ListsOf({{1}, {1}, {2}}), spans, 3);
  ASSERT_EQ(analysis.ports().size(), 2u);
  EXPECT_EQ(analysis.ports()[0].flows, 1u);
  EXPECT_EQ(analysis.ports()[0].pairs, 0u);
  EXPECT_EQ(PairsOf({{1}, {1}, {2}}, spans), 0u);
}

TEST(Collisions, SpansOfUnfinishedFlowsLastUntilTheLastOneFinished) {
  Table flows =
      FlowTable({{0, 2, 1, 10, 90}, {0, 2, 1, 20, -1}, {0, 2, 1, 30, -1}, {0, 2, 1, 120, -1}});
  std::get<std::vector<std::uint8_t>>(flows.columns[9].data) = {0, 5, 1, 5};
  const auto spans = SpansOfFlows(flows);
  EXPECT_EQ(spans[0].until, 100'000);
  EXPECT_EQ(spans[1].until, 100'000);
  EXPECT_EQ(spans[2].from, spans[2].until);  // not started
  EXPECT_EQ(spans[3].from, spans[3].until);  // after the last end
}

TEST(Collisions, LastHopsAndFlowsWithinServersDoNotCount) {
  const Graph graph = TwoLeaves();
  const HopNumbers numbers(graph);
  const auto number = [&](std::uint32_t node, std::uint32_t port) {
    return numbers.Of(NodeId(node), PortId(port));
  };
  const Table flows = FlowTable({{0, 2, 1}, {0, 1, 1}, {0, 4, 1}});
  const PortLists contested = ContestedPorts(
      graph, flows, ListsOf({{number(6, 3), number(9, 1), number(7, 0)}, {number(4, 1)}, {}}));
  ASSERT_EQ(contested[0].size(), 2u);
  EXPECT_EQ(contested[0][0], number(6, 3));
  EXPECT_EQ(contested[0][1], number(9, 1));
  EXPECT_EQ(contested[1].size(), 0u);
  EXPECT_EQ(contested[2].size(), 0u);
}

struct Draw {
  Ports ports;
  std::vector<FlowSpan> spans;
};

/// Short times and few ports, so that starts and ends coincide.
Draw DrawFlows(std::mt19937* random, std::uint32_t flows) {
  Draw draw;
  for (std::uint32_t flow = 0; flow < flows; ++flow) {
    std::set<HopIndex> ports;
    for (unsigned i = (*random)() % 6; i > 0; --i) ports.insert((*random)() % 12);
    draw.ports.emplace_back(ports.begin(), ports.end());
    const std::int64_t from = (*random)() % 30;
    draw.spans.push_back({from, from + static_cast<std::int64_t>((*random)() % 15)});
  }
  return draw;
}

bool Overlap(const FlowSpan& a, const FlowSpan& b) {
  return std::max(a.from, b.from) < std::min(a.until, b.until);
}

/// Compares with a search over all pairs and instants.
TEST(Collisions, RandomFlowsAsByBruteForce) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const Draw draw = DrawFlows(&random, random() % 25);
    const CollisionAnalysis analysis(ListsOf(draw.ports), draw.spans, 12);
    std::uint64_t colliding = 0;
    std::set<std::tuple<HopIndex, std::uint32_t, std::uint32_t, std::int64_t, std::int64_t>> pairs;
    for (std::uint32_t a = 0; a < draw.ports.size(); ++a) {
      for (std::uint32_t b = a + 1; b < draw.ports.size(); ++b) {
        if (!Overlap(draw.spans[a], draw.spans[b])) continue;
        std::vector<HopIndex> both;
        std::set_intersection(draw.ports[a].begin(), draw.ports[a].end(), draw.ports[b].begin(),
                              draw.ports[b].end(), std::back_inserter(both));
        colliding += !both.empty();
        for (const HopIndex port : both) {
          pairs.insert({port, a, b, std::max(draw.spans[a].from, draw.spans[b].from),
                        std::min(draw.spans[a].until, draw.spans[b].until)});
        }
      }
    }
    EXPECT_EQ(PairsOf(draw.ports, draw.spans), colliding);
    decltype(pairs) listed;
    for (const PortPair& pair : analysis.Pairs(100'000)) {
      listed.insert({pair.port, pair.first, pair.second, pair.from, pair.until});
    }
    EXPECT_EQ(listed, pairs);
    EXPECT_EQ(analysis.Pairs(3).size(), std::min<std::size_t>(3, pairs.size()));
    // The flows on a port at an instant, from the periods and from the spans.
    std::vector<std::vector<std::set<std::uint32_t>>> at(12,
                                                         std::vector<std::set<std::uint32_t>>(50)),
        expected = at;
    analysis.ForEachPeriod(analysis.SharedPorts(), [&](const SharedPeriod& period,
                                                       const std::vector<std::uint32_t>& flows) {
      ASSERT_LT(period.from, period.until);
      for (std::int64_t t = period.from; t < period.until; ++t)
        at[period.port][t] = {flows.begin(), flows.end()};
    });
    for (std::uint32_t flow = 0; flow < draw.ports.size(); ++flow) {
      for (const HopIndex port : draw.ports[flow]) {
        for (std::int64_t t = draw.spans[flow].from; t < draw.spans[flow].until; ++t)
          expected[port][t].insert(flow);
      }
    }
    std::vector<std::int64_t> shared(12, 0);
    std::vector<std::size_t> most(12, 0);
    for (std::size_t port = 0; port < 12; ++port) {
      for (auto& flows : expected[port]) {
        most[port] = std::max(most[port], flows.size());
        shared[port] += flows.size() > 1;
        if (flows.size() < 2) flows.clear();
      }
    }
    EXPECT_EQ(at, expected);
    for (const PortSharing& port : analysis.ports()) {
      EXPECT_EQ(port.shared_ps, shared[port.port]);
      EXPECT_EQ(port.most_at_once, most[port.port]);
    }
  }
}

TEST(Collisions, ThousandsOnAPortAreCountedNotListed) {
  const std::uint32_t flows = 200'000;
  const Ports ports(flows, {0, 1});
  EXPECT_EQ(PairsOf(ports, AllAtOnce(flows)), std::uint64_t{flows} * (flows - 1) / 2);
}

TEST(ExportCollisions, PeriodsAndPairs) {
  const Graph graph = TwoLeaves();
  const HopNumbers numbers(graph);
  const HopIndex up = numbers.Of(NodeId(6), PortId(3)), down = numbers.Of(NodeId(9), PortId(1));
  const CollisionAnalysis analysis(ListsOf({{up}, {down}, {up, down}, {up}}),
                                   {{0, 100}, {50, 70}, {60, 160}, {60, 80}}, numbers.count());
  std::ostringstream periods;
  ExportSharedPeriods(analysis, graph, numbers, periods);
  EXPECT_EQ(periods.str(),
            "node,port,peer,from_ps,until_ps,flows,flow_ids\n"
            "6,3,9,60,80,3,0;2;3\n"
            "6,3,9,80,100,2,0;2\n"
            "9,1,7,60,70,2,1;2\n");
  std::ostringstream pairs;
  EXPECT_EQ(ExportCollidingPairs(analysis, graph, numbers, 100, pairs), 4u);
  EXPECT_EQ(pairs.str(),
            "flow_a,flow_b,node,port,peer,from_ps,until_ps\n"
            "0,2,6,3,9,60,100\n"
            "0,3,6,3,9,60,80\n"
            "2,3,6,3,9,60,80\n"
            "1,2,9,1,7,60,70\n");
  std::ostringstream cut;
  EXPECT_EQ(ExportCollidingPairs(analysis, graph, numbers, 1, cut), 4u);
  EXPECT_EQ(cut.str(), "flow_a,flow_b,node,port,peer,from_ps,until_ps\n0,2,6,3,9,60,100\n");
}

TEST(ExportCollisions, ManyFlowsAreNotNamed) {
  const Graph graph = TwoLeaves();
  const HopNumbers numbers(graph);
  const HopIndex port = numbers.Of(NodeId(6), PortId(3));
  const CollisionAnalysis analysis(ListsOf(Ports(17, {port})), AllAtOnce(17), numbers.count());
  std::ostringstream periods;
  ExportSharedPeriods(analysis, graph, numbers, periods);
  EXPECT_EQ(periods.str(), "node,port,peer,from_ps,until_ps,flows,flow_ids\n6,3,9,0,1,17,\n");
}

TEST(FlowComparison, FiguresOfFinishedFlows) {
  const CompletionFigures figures = FiguresOf(FlowTable({{0, 2, 1, 0, 1000, kNoRow, 10, 1000},
                                                         {0, 2, 1, 500, 3000, kNoRow, 10, 1000},
                                                         {0, 2, 1, 0, -1}}));
  EXPECT_EQ(figures.flows, 3u);
  EXPECT_EQ(figures.finished, 2u);
  EXPECT_EQ(figures.mean_fct_ps, 2'000'000);
  EXPECT_EQ(figures.p99_fct_ps, 3'000'000);
  EXPECT_EQ(figures.max_fct_ps, 3'000'000);
  EXPECT_EQ(figures.mean_slowdown, 2);
  EXPECT_EQ(figures.max_slowdown, 3);
  EXPECT_EQ(figures.last_end_ps, 3'500'000);
  std::vector<FlowFigures> many;
  for (std::int64_t i = 1; i <= 200; ++i) many.push_back({0, 2, 1, 0, i});
  EXPECT_EQ(FiguresOf(FlowTable(many)).p99_fct_ps, 198'000);
}

TEST(FlowComparison, TrafficIsEndsAndSizesInAnyOrder) {
  const Table flows = FlowTable({{0, 2, 1}, {0, 3, 1}});
  EXPECT_TRUE(SameTraffic(flows, FlowTable({{0, 3, 7, 99}, {0, 2, 9}})));
  EXPECT_FALSE(SameTraffic(flows, FlowTable({{0, 2, 1}, {0, 2, 1}})));
  EXPECT_FALSE(SameTraffic(flows, FlowTable({{0, 2, 1}})));
  EXPECT_FALSE(SameTraffic(flows, FlowTable({{0, 2, 1}, {0, 3, 1, 0, 1000, kNoRow, 5}})));
}

}  // namespace
}  // namespace heddle
