// SPDX-License-Identifier: GPL-2.0-only
#include "core/chakra/chakra_order.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace heddle {
namespace {

/// Calls visit(index) for each node that waits for `node`.
template <class Visit>
void ForEachFollower(const ChakraRank& rank, std::uint32_t node, Visit visit) {
  const ChakraNode& before = rank.nodes[node];
  for (std::uint32_t k = 0; k < before.followers; ++k)
    visit(rank.followers[before.first_follower + k]);
}

}  // namespace

std::vector<std::uint32_t> OrderNodes(const ChakraRank& rank) {
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  std::vector<std::uint32_t> left, order;
  left.reserve(rank.nodes.size());
  order.reserve(rank.nodes.size());
  for (std::uint32_t i = 0; i < rank.nodes.size(); ++i) {
    left.push_back(rank.nodes[i].waits);
    if (left[i] == 0) ready.push(i);
  }
  while (!ready.empty()) {
    const std::uint32_t next = ready.top();
    ready.pop();
    order.push_back(next);
    ForEachFollower(rank, next, [&](std::uint32_t follower) {
      if (--left[follower] == 0) ready.push(follower);
    });
  }
  return order;
}

std::vector<std::uint32_t> FindCycle(const ChakraRank& rank) {
  const std::vector<std::uint32_t> order = OrderNodes(rank);
  if (order.size() == rank.nodes.size()) return {};
  std::vector<bool> runs(rank.nodes.size());
  for (const std::uint32_t node : order) runs[node] = true;
  // Whoever waits for ever waits for one that does: going back ends in a ring.
  std::vector<std::uint32_t> before(rank.nodes.size());
  std::uint32_t at = 0;
  for (std::uint32_t i = 0; i < rank.nodes.size(); ++i) {
    if (runs[i]) continue;
    at = i;
    ForEachFollower(rank, i, [&](std::uint32_t follower) { before[follower] = i; });
  }
  for (std::size_t step = 0; step < rank.nodes.size(); ++step) at = before[at];
  std::vector<std::uint32_t> cycle;
  const std::uint32_t first = at;
  do {
    cycle.push_back(at);
    at = before[at];
  } while (at != first);
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  return cycle;
}

std::string DescribeCycle(const ChakraRank& rank) {
  const std::vector<std::uint32_t> cycle = FindCycle(rank);
  if (cycle.empty()) return {};
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(cycle.size(), kMost); ++i)
    text += std::to_string(rank.nodes[cycle[i]].id) + " for ";
  if (cycle.size() > kMost) text += "others, " + std::to_string(cycle.size()) + " in all, for ";
  return text + std::to_string(rank.nodes[cycle[0]].id);
}

}  // namespace heddle
