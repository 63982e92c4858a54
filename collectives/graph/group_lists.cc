// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/graph/group_lists.h"

#include <algorithm>
#include <utility>

#include "core/base/memory_account.h"

namespace heddle {

std::uint32_t GroupLists::Add(const std::string& name, std::vector<std::uint32_t> ranks,
                              bool along_dimensions) {
  List list{name, std::move(ranks), along_dimensions, {}};
  bool in_order = true;
  for (std::uint32_t i = 0; i < list.ranks.size(); ++i) in_order = in_order && list.ranks[i] == i;
  if (!in_order) {
    for (std::uint32_t i = 0; i < list.ranks.size(); ++i) list.places.push_back({list.ranks[i], i});
    std::sort(list.places.begin(), list.places.end());
  }
  lists_.push_back(std::move(list));
  return count() - 1;
}

std::uint32_t GroupLists::RankIn(std::uint32_t group, std::uint32_t rank) const {
  const List& list = lists_[group];
  if (list.places.empty()) return rank < list.ranks.size() ? rank : kNone;
  const auto at = std::lower_bound(list.places.begin(), list.places.end(), Place{rank, 0});
  return at != list.places.end() && at->rank == rank ? at->place : kNone;
}

std::size_t GroupLists::memory() const {
  std::size_t sum = MemoryOf(lists_);
  for (const List& list : lists_) sum += MemoryOf(list.ranks) + MemoryOf(list.places);
  return sum;
}

}  // namespace heddle
