// SPDX-License-Identifier: GPL-2.0-only
#include "core/chakra/chakra_order.h"

#include <gtest/gtest.h>

#include <utility>

namespace heddle {
namespace {

using Indices = std::vector<std::uint32_t>;

/// `pairs`: ascending, the earlier and the later. Ids are ten times the indices.
ChakraRank RankOf(std::uint32_t nodes,
                  const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
  ChakraRank rank;
  rank.nodes.resize(nodes);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    rank.nodes[i].id = 10 * i;
    rank.nodes[i].first_follower = static_cast<std::uint32_t>(rank.followers.size());
    for (const auto& [earlier, later] : pairs) {
      if (earlier != i) continue;
      rank.followers.push_back(later);
      ++rank.nodes[i].followers;
      ++rank.nodes[later].waits;
    }
  }
  return rank;
}

TEST(ChakraOrder, TheLowestNodeThatMayRunIsNext) {
  EXPECT_EQ(OrderNodes(RankOf(5, {{3, 0}, {4, 1}})), (Indices{2, 3, 0, 4, 1}));
  EXPECT_EQ(OrderNodes(RankOf(0, {})), Indices{});
}

TEST(ChakraOrder, NamesTheNodesOfACycle) {
  const ChakraRank rank = RankOf(6, {{1, 4}, {2, 1}, {3, 5}, {4, 2}, {4, 3}});
  EXPECT_EQ(OrderNodes(rank), Indices{0});
  EXPECT_EQ(FindCycle(rank), (Indices{1, 2, 4}));
  EXPECT_EQ(DescribeCycle(rank), "10 for 20 for 40 for 10");
  EXPECT_EQ(DescribeCycle(RankOf(2, {{0, 1}})), "");
}

TEST(ChakraOrder, ALongCycleIsCutShort) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t i = 0; i < 20; ++i) pairs.emplace_back((i + 1) % 20, i);
  EXPECT_EQ(DescribeCycle(RankOf(20, pairs)),
            "0 for 10 for 20 for 30 for 40 for 50 for 60 for 70 for others, 20 in all, for 0");
}

}  // namespace
}  // namespace heddle
