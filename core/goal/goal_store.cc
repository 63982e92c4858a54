// SPDX-License-Identifier: GPL-2.0-only
#include "core/goal/goal_store.h"

#include "core/base/memory_account.h"

namespace heddle {

void GoalStore::Put(std::uint32_t number, GoalRank* rank) {
  heads_[number] = HeadOf(*rank);
  places_[number] = SpilledNodes::Spill(&rank->operations, &rank->followers, &file_);
}

const GoalRank& GoalStore::Load(std::uint32_t rank) {
  if (number_ == rank) return loaded_;
  number_ = kNone;
  const SpilledNodes& place = places_[rank];
  loaded_.operations.clear();
  loaded_.followers.clear();
  if (place.count > 0) place.Read(file_, 0, place.count, &loaded_.operations, &loaded_.followers);
  number_ = rank;
  return loaded_;
}

GoalOperation GoalStore::At(std::uint32_t rank, std::uint32_t operation) const {
  GoalOperation found;
  file_.Read(
      places_[rank].nodes_at + std::int64_t{operation} * static_cast<std::int64_t>(sizeof found),
      &found, sizeof found);
  return found;
}

std::size_t GoalStore::memory() const {
  std::size_t sum = sizeof *this + MemoryOf(heads_) + MemoryOf(places_) +
                    MemoryOf(loaded_.operations) + MemoryOf(loaded_.followers);
  for (const GoalRankHead& head : heads_) sum += MemoryOf(head.roots);
  return sum;
}

}  // namespace heddle
