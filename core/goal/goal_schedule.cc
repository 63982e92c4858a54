// SPDX-License-Identifier: GPL-2.0-only
#include "core/goal/goal_schedule.h"

#include <fmt/format.h>

#include "core/base/memory_account.h"

namespace heddle {

std::uint64_t GoalSchedule::CountOperations() const {
  std::uint64_t sum = 0;
  for (const GoalRank& rank : ranks) sum += rank.operations.size();
  return sum;
}

std::size_t GoalSchedule::memory() const {
  std::size_t sum = sizeof *this + MemoryOf(ranks);
  for (const GoalRank& rank : ranks) sum += MemoryOf(rank.operations) + MemoryOf(rank.followers);
  return sum;
}

std::string GoalSchedule::PlaceOf(std::uint32_t rank, std::uint32_t operation) const {
  const std::uint32_t line = ranks[rank].operations[operation].line;
  if (line > 0) return fmt::format("{}:{}", file, line);
  return fmt::format("operation {} of rank {} in {}", operation, rank, file);
}

std::string Describe(const GoalOperation& operation) {
  if (operation.kind == GoalOperation::Kind::kCalc)
    return fmt::format("a calc of {} ns", operation.amount);
  if (operation.is_send())
    return fmt::format("a send to {}, tag {}", operation.peer, operation.tag);
  const std::string from =
      operation.peer == GoalOperation::kAny ? "any rank" : fmt::format("{}", operation.peer);
  if (operation.tag == GoalOperation::kAny) return fmt::format("a receive from {}, any tag", from);
  return fmt::format("a receive from {}, tag {}", from, operation.tag);
}

}  // namespace heddle
