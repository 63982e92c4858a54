// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/paths/equal_cost_paths.h"

#include <algorithm>
#include <limits>

namespace heddle {

EqualCostPaths::EqualCostPaths(NextHopTable* table, const LinkShares& shares)
    : table_(table),
      shares_(shares),
      seen_in_(table->core_count(), 0),
      use_up_to_(table->core_count(), 0) {}

void EqualCostPaths::BeginWalk() {
  if (++walk_ != 0) return;
  std::fill(seen_in_.begin(), seen_in_.end(), 0);
  walk_ = 1;
}

bool EqualCostPaths::HasRoom(const std::vector<Entrance>& entrances, std::uint32_t cls) {
  for (std::size_t i = 0; i < entrances.size(); ++i) {
    // Nodes without room for this demand need no second visit.
    if (i == 0 || !(entrances[i].rate == entrances[i - 1].rate)) BeginWalk();
    if (HasRoomFrom(entrances[i].core, entrances[i].rate, cls)) return true;
  }
  return false;
}

bool EqualCostPaths::HasRoomFrom(CoreIndex entrance, BitRate demand, std::uint32_t cls) {
  if (seen_in_[entrance] == walk_) return false;
  seen_in_[entrance] = walk_;
  onwards_.assign(1, entrance);
  while (!onwards_.empty()) {
    const CoreIndex core = onwards_.back();
    onwards_.pop_back();
    const NextHopTable::Range range = table_->Of(core, cls);
    if (range.empty()) return true;
    for (std::uint32_t i = range.first; i < range.last; ++i) {
      const NextHop& next = (*table_)[i];
      if (!shares_.Fits(next.hop, demand) || seen_in_[next.to] == walk_) continue;
      seen_in_[next.to] = walk_;
      onwards_.push_back(next.to);
    }
  }
  return false;
}

std::uint64_t EqualCostPaths::LeastWorstUse(const std::vector<Entrance>& entrances,
                                            std::uint32_t cls) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const Entrance& entrance : entrances) {
    BeginWalk();
    least = std::min(least, LeastWorstUseFrom(entrance, cls, least));
  }
  return least;
}

/// All equal-cost paths have the same number of hops, so a level is complete before the next one
/// begins, and all nodes of the last level are linked to the class. Paths that are worse than the
/// best one so far are not followed.
std::uint64_t EqualCostPaths::LeastWorstUseFrom(const Entrance& entrance, std::uint32_t cls,
                                                std::uint64_t least) {
  use_up_to_[entrance.core] = 0;
  level_.assign(1, entrance.core);
  NextHopTable::Range first = table_->Of(entrance.core, cls);
  if (first.empty()) return 0;
  while (!(first = table_->Of((*table_)[first.first].to, cls)).empty()) {
    NextLevel(entrance.rate, cls);
  }
  for (const CoreIndex core : level_) {
    const NextHopTable::Range range = table_->Of(core, cls);
    for (std::uint32_t i = range.first; i < range.last && use_up_to_[core] < least; ++i) {
      least = std::min(
          least, std::max(use_up_to_[core], shares_.UseWith((*table_)[i].hop, entrance.rate)));
    }
  }
  return least;
}

/// Replaces level_ by the nodes one hop further.
void EqualCostPaths::NextLevel(BitRate demand, std::uint32_t cls) {
  onwards_.clear();
  for (const CoreIndex core : level_) {
    const NextHopTable::Range range = table_->Of(core, cls);
    for (std::uint32_t i = range.first; i < range.last; ++i) {
      const NextHop& next = (*table_)[i];
      const std::uint64_t use = std::max(use_up_to_[core], shares_.UseWith(next.hop, demand));
      const bool seen = seen_in_[next.to] == walk_;
      use_up_to_[next.to] = seen ? std::min(use_up_to_[next.to], use) : use;
      if (seen) continue;
      seen_in_[next.to] = walk_;
      onwards_.push_back(next.to);
    }
  }
  level_.swap(onwards_);
}

}  // namespace heddle
