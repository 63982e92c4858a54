// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/graph/graph_window.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle {
namespace {

/// A rank of so many nodes; node i is followed by i + 1, i + 7 and i * 3, where they exist.
GraphRank RankOf(std::uint32_t nodes) {
  GraphRank rank;
  rank.nodes.resize(nodes);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    GraphNode& node = rank.nodes[i];
    node.id = 1000 + i;
    node.first_follower = static_cast<std::uint32_t>(rank.followers.size());
    for (const std::uint32_t follower : {i + 1, i + 7, i * 3}) {
      if (follower <= i || follower >= nodes) continue;
      rank.followers.push_back(follower);
      ++node.followers;
      ++rank.nodes[follower].waits;
    }
  }
  return rank;
}

/// What the window says of a node: id, waits, followers.
std::vector<std::uint64_t> NodeIn(GraphWindow* window, std::uint32_t i) {
  const GraphNode node = window->Node(i);
  std::vector<std::uint64_t> words = {node.id, node.waits};
  for (const std::uint32_t follower : window->FollowersOf(i)) words.push_back(follower);
  return words;
}

TEST(GraphWindow, SaysTheSameOfNodesInTheFile) {
  for (const std::uint32_t nodes : {1U, 31U, 32U, 33U, 1000U}) {
    GraphProgram held, spilled;
    held.ranks = {RankOf(nodes)};
    spilled.ranks = {RankOf(7), RankOf(nodes), RankOf(0)};
    for (GraphRank& rank : spilled.ranks) spilled.Spill(&rank);
    EXPECT_TRUE(spilled.ranks[1].nodes.empty());
    EXPECT_LT(spilled.memory(), sizeof(GraphProgram) + 4 * sizeof(GraphRank));
    GraphWindow all(held, 0), window(spilled, 1);
    ASSERT_EQ(window.size(), nodes);
    for (std::uint32_t step = 0; step < 2 * nodes; ++step) {
      const std::uint32_t i = step * 389 % nodes;  // from block to block
      EXPECT_EQ(NodeIn(&window, i), NodeIn(&all, i)) << i << " of " << nodes;
    }
  }
}

TEST(GraphWindow, HoldsNoMoreThanItsBlocks) {
  GraphProgram program;
  program.ranks = {RankOf(100'000)};
  const std::size_t whole = program.memory();
  program.Spill(&program.ranks[0]);
  program.window = 320;
  GraphWindow window(program, 0);
  for (std::uint32_t i = 0; i < window.size(); ++i) window.Node(i);
  EXPECT_LT(window.memory(), whole / 100);
}

TEST(GraphWindow, ARankWithoutNodesStaysInMemory) {
  GraphProgram program;
  program.ranks.resize(1);
  program.Spill(&program.ranks[0]);
  EXPECT_EQ(program.file, nullptr);
  EXPECT_EQ(GraphWindow(program, 0).size(), 0u);
}

}  // namespace
}  // namespace heddle
