// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/switch/deadlock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "core/base/random.h"

namespace heddle {
namespace {

PauseEdge Edge(std::uint32_t node, std::uint32_t port, std::uint32_t next_node,
               std::uint32_t next_port, int priority = 3) {
  return {NodeId(node), PortId(port), static_cast<std::uint8_t>(priority), NodeId(next_node),
          PortId(next_port)};
}

using Place = std::tuple<std::uint32_t, std::uint32_t, int>;

std::vector<Place> Places(const std::vector<PauseEdge>& cycle) {
  std::vector<Place> places;
  for (const PauseEdge& e : cycle) places.emplace_back(e.node.value, e.port.value, e.priority);
  return places;
}

/// Checks the definition of a cycle: edges linked to each other, closed, no transmitter twice, the
/// smallest one first.
void ExpectIsCycle(const std::vector<PauseEdge>& cycle) {
  ASSERT_FALSE(cycle.empty());
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const PauseEdge& next = cycle[(i + 1) % cycle.size()];
    EXPECT_EQ(cycle[i].next_node, next.node);
    EXPECT_EQ(cycle[i].next_port, next.port);
    EXPECT_EQ(cycle[i].priority, next.priority);
  }
  const std::vector<Place> places = Places(cycle);
  EXPECT_EQ(std::set<Place>(places.begin(), places.end()).size(), places.size());
  EXPECT_EQ(*std::min_element(places.begin(), places.end()), places.front());
}

TEST(PauseCycle, NothingToFind) {
  EXPECT_TRUE(FindPauseCycle({}).empty());
  EXPECT_TRUE(FindPauseCycle({Edge(1, 0, 2, 0)}).empty());
  // A chain whose last port is not paused, and a diamond: two ways to the same port are no cycle.
  EXPECT_TRUE(FindPauseCycle({Edge(1, 0, 2, 0), Edge(2, 0, 3, 0), Edge(3, 0, 4, 1)}).empty());
  EXPECT_TRUE(FindPauseCycle({Edge(1, 0, 2, 0), Edge(1, 0, 2, 1), Edge(2, 0, 3, 0),
                              Edge(2, 1, 3, 0), Edge(3, 0, 4, 0)})
                  .empty());
}

TEST(PauseCycle, PrioritiesDoNotMix) {
  EXPECT_TRUE(FindPauseCycle({Edge(1, 0, 2, 0, 3), Edge(2, 0, 1, 0, 4)}).empty());
  EXPECT_EQ(FindPauseCycle({Edge(1, 0, 2, 0, 4), Edge(2, 0, 1, 0, 4)}).size(), 2U);
}

TEST(PauseCycle, StartsAtTheSmallestAndLeavesOutTheWayThere) {
  // 1.0 and 9.0 wait for the triangle 14.1 -> 20.2 -> 12.3 -> 14.1 but are not on it.
  const auto cycle = FindPauseCycle({Edge(1, 0, 20, 2), Edge(14, 1, 20, 2), Edge(9, 0, 14, 1),
                                     Edge(20, 2, 12, 3), Edge(12, 3, 14, 1)});
  EXPECT_EQ(Places(cycle), (std::vector<Place>{{12, 3, 3}, {14, 1, 3}, {20, 2, 3}}));
}

TEST(PauseCycle, AWaiterOfManyPortsIsFollowedThroughEach) {
  // 5.0 waits for 6.0 (free), 6.1 (a dead end) and 6.2, which closes the cycle.
  const auto cycle = FindPauseCycle({Edge(5, 0, 6, 0), Edge(5, 0, 6, 1), Edge(5, 0, 6, 2),
                                     Edge(6, 1, 7, 0), Edge(7, 0, 8, 0), Edge(6, 2, 5, 0)});
  EXPECT_EQ(Places(cycle), (std::vector<Place>{{5, 0, 3}, {6, 2, 3}}));
}

TEST(PauseCycle, AnyOrderGivesTheSame) {
  RandomStream random(3, 0, RandomPurpose::kPermutation);
  int cycles = 0;
  int trees = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const bool acyclic = trial % 3 == 0;
    std::vector<PauseEdge> edges;
    for (int i = 0; i < 30; ++i) {
      const auto a = static_cast<std::uint32_t>(random.Below(20));
      const auto b = static_cast<std::uint32_t>(random.Below(20));
      if (acyclic && a >= b) continue;  // always upward: no cycle by construction
      edges.push_back(Edge(a, 0, b, 0));
    }
    const auto cycle = FindPauseCycle(edges);
    if (acyclic) {
      EXPECT_TRUE(cycle.empty());
      ++trees;
    } else if (!cycle.empty()) {
      ExpectIsCycle(cycle);
      ++cycles;
    }
    for (std::size_t i = edges.size(); i > 1; --i) std::swap(edges[i - 1], edges[random.Below(i)]);
    edges.insert(edges.end(), edges.begin(),
                 edges.begin() + static_cast<std::ptrdiff_t>(edges.size() / 2));
    EXPECT_EQ(Places(FindPauseCycle(edges)), Places(cycle));
  }
  EXPECT_GT(cycles, 100);
  EXPECT_EQ(trees, 100);
}

TEST(PauseCycle, AHundredThousandPortsInOneCycle) {
  constexpr std::uint32_t kPorts = 100'000;
  std::vector<PauseEdge> edges;
  for (std::uint32_t i = 0; i < kPorts; ++i) edges.push_back(Edge(i, 0, (i + 1) % kPorts, 0));
  EXPECT_EQ(FindPauseCycle(edges).size(), kPorts);
  edges.pop_back();
  EXPECT_TRUE(FindPauseCycle(edges).empty());
}

TEST(PauseCycle, IsSpelledOut) {
  const Graph graph(0, 0, 4, 8, "H100");
  EXPECT_EQ(DescribeCycle(graph, {}), "");
  EXPECT_EQ(DescribeCycle(graph, FindPauseCycle({Edge(2, 1, 0, 3), Edge(0, 3, 2, 1)})),
            "switch 0 port 3 -> switch 2 port 1 -> switch 0 port 3 (priority 3)");
}

}  // namespace
}  // namespace heddle
