// SPDX-License-Identifier: GPL-2.0-only
#include "core/goal/goal_operation.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

GoalRankHead HeadOf(const GoalRank& rank) {
  GoalRankHead head;
  head.operations = static_cast<std::uint32_t>(rank.operations.size());
  for (std::uint32_t i = 0; i < head.operations; ++i) {
    const GoalOperation& operation = rank.operations[i];
    head.cpus = std::max<std::uint32_t>(head.cpus, operation.cpu + 1U);
    head.nics = std::max<std::uint32_t>(head.nics, operation.nic + 1U);
    if (operation.waits == 0) head.roots.push_back(i);
  }
  return head;
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
