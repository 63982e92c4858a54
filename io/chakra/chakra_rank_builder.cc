// SPDX-License-Identifier: GPL-2.0-only
#include "io/chakra/chakra_rank_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/check.h"

namespace heddle {

std::vector<std::uint32_t> ChakraRankBuilder::Sort() {
  std::vector<ChakraNode>& nodes = rank_.nodes;
  std::vector<std::uint32_t> by_id(nodes.size()), index(nodes.size());
  std::iota(by_id.begin(), by_id.end(), 0);
  const auto is_before = [&](std::uint32_t a, std::uint32_t b) {
    return nodes[a].id < nodes[b].id;
  };
  if (std::is_sorted(by_id.begin(), by_id.end(), is_before)) return by_id;
  std::stable_sort(by_id.begin(), by_id.end(), is_before);
  std::vector<ChakraNode> sorted;
  sorted.reserve(nodes.size());
  for (std::uint32_t i = 0; i < by_id.size(); ++i) {
    sorted.push_back(nodes[by_id[i]]);
    index[by_id[i]] = i;
  }
  nodes = std::move(sorted);
  return index;
}

void ChakraRankBuilder::CheckIds() const {
  const auto twice =
      std::adjacent_find(rank_.nodes.begin(), rank_.nodes.end(),
                         [](const ChakraNode& a, const ChakraNode& b) { return a.id == b.id; });
  if (twice == rank_.nodes.end()) return;
  throw UserError(
      fmt::format("{}: two nodes of id {}. Expected: each id once", rank_.file, twice->id));
}

std::uint32_t ChakraRankBuilder::Find(std::uint64_t id) const {
  const std::vector<ChakraNode>& nodes = rank_.nodes;
  const std::uint64_t offset = nodes.empty() ? 0 : id - nodes.front().id;
  if (offset < nodes.size() && nodes[offset].id == id) return static_cast<std::uint32_t>(offset);
  const auto at =
      std::lower_bound(nodes.begin(), nodes.end(), id,
                       [](const ChakraNode& node, std::uint64_t key) { return node.id < key; });
  const bool found = at != nodes.end() && at->id == id;
  return static_cast<std::uint32_t>(found ? at - nodes.begin()
                                          : static_cast<std::ptrdiff_t>(nodes.size()));
}

void ChakraRankBuilder::Link(const std::vector<std::uint32_t>& index, std::uint32_t number,
                             ChakraOddities* odd) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  // the earlier, the later
  pairs.reserve(waits_.size());
  for (const Wait& wait : waits_) {
    const std::uint32_t earlier = Find(wait.id), later = index[wait.node];
    if (earlier == rank_.nodes.size()) {
      (wait.control ? odd->missing_control : odd->missing_data).Add({number, later});
      continue;
    }
    if (earlier == later) {
      odd->on_itself.Add({number, later});
      continue;
    }
    pairs.emplace_back(earlier, later);
    ++rank_.nodes[earlier].followers;
    ++rank_.nodes[later].waits;
  }
  std::sort(pairs.begin(), pairs.end());
  std::uint32_t first = 0;
  for (ChakraNode& node : rank_.nodes) {
    node.first_follower = first;
    first += node.followers;
  }
  rank_.followers.reserve(pairs.size());
  for (const auto& [earlier, later] : pairs) rank_.followers.push_back(later);
}

ChakraRank ChakraRankBuilder::Take(std::uint32_t number, const std::string& file,
                                   ChakraOddities* odd) {
  rank_.file = file;
  const std::vector<std::uint32_t> index = Sort();
  CheckIds();
  Link(index, number, odd);
  waits_.clear();
  rank_.nodes.shrink_to_fit();
  return std::exchange(rank_, ChakraRank());
}

}  // namespace heddle
