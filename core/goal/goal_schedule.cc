// SPDX-License-Identifier: GPL-2.0-only
#include "core/goal/goal_schedule.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/memory_account.h"
#include "core/goal/goal_store.h"

namespace heddle {

void GoalSchedule::Put(std::uint32_t number, GoalRank rank) {
  ranks[number] = std::move(rank);
  if (store != nullptr) return store->Put(number, &ranks[number]);
  if (window == 0 || CountOperations() <= window) return;
  store = std::make_shared<GoalStore>(ranks.size());
  for (std::uint32_t i = 0; i < ranks.size(); ++i) store->Put(i, &ranks[i]);
}

const GoalRank& GoalSchedule::Rank(std::uint32_t rank) const {
  return store != nullptr ? store->Load(rank) : ranks[rank];
}

GoalRankHead GoalSchedule::Head(std::uint32_t rank) const {
  return store != nullptr ? store->head(rank) : HeadOf(ranks[rank]);
}

GoalOperation GoalSchedule::At(std::uint32_t rank, std::uint32_t operation) const {
  return store != nullptr ? store->At(rank, operation) : ranks[rank].operations[operation];
}

bool GoalSchedule::Has(std::uint32_t rank, std::uint32_t operation) const {
  return rank < ranks.size() && operation < CountOperations(rank);
}

NodeWindow<GoalOperation> GoalSchedule::WindowOf(std::uint32_t rank) const {
  const GoalRank& held = ranks[rank];
  if (store == nullptr) return {held.operations, held.followers, {}, nullptr, 0};
  return {held.operations, held.followers, store->place(rank), &store->file(),
          static_cast<std::size_t>(window / ranks.size())};
}

std::uint32_t GoalSchedule::CountOperations(std::uint32_t rank) const {
  return store != nullptr ? store->head(rank).operations
                          : static_cast<std::uint32_t>(ranks[rank].operations.size());
}

std::uint64_t GoalSchedule::CountOperations() const {
  std::uint64_t sum = 0;
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) sum += CountOperations(rank);
  return sum;
}

std::size_t GoalSchedule::memory() const {
  std::size_t sum = sizeof *this + MemoryOf(ranks) + (store != nullptr ? store->memory() : 0);
  for (const GoalRank& rank : ranks) sum += MemoryOf(rank.operations) + MemoryOf(rank.followers);
  return sum;
}

std::string GoalSchedule::PlaceOf(std::uint32_t rank, std::uint32_t operation) const {
  const std::uint32_t line = At(rank, operation).line;
  if (line > 0) return fmt::format("{}:{}", file, line);
  return fmt::format("operation {} of rank {} in {}", operation, rank, file);
}

}  // namespace heddle
