// SPDX-License-Identifier: GPL-2.0-only
/// The groups of a job, whoever made them: SimAI's six types by arithmetic (groups.h), or lists of
/// ranks (group_lists.h).
///
/// A group is a type and a number, and has members in an order. An operation names its type and,
/// of listed groups, its group; of the others every rank has one.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/graph/group_lists.h"
#include "collectives/program/groups.h"
#include "collectives/program/program.h"

namespace heddle {

class JobGroups {
 public:
  /// Both arguments must outlive it.
  JobGroups(const ParallelGroups& types, const GroupLists& lists) : types_(types), lists_(lists) {}

  /// Groups of one type: so many from the first one on.
  struct Range {
    std::uint32_t first = 0, count = 0;
    std::uint32_t end() const { return first + count; }  ///< one past the last
  };

  /// Counts the groups of a type.
  std::uint32_t count(GroupType type) const {
    return type == GroupType::kListed ? lists_.count() : types_.count(type);
  }
  /// Returns the ranks of the job in a group, in its order.
  std::vector<std::uint32_t> Members(GroupType type, std::uint32_t group) const {
    return type == GroupType::kListed ? lists_.Members(group) : types_.Members(type, group);
  }

  /// Returns the groups that do an operation: all of its type, those of some stages, or one listed
  /// group.
  Range GroupsOf(const ProgramOp& op) const {
    if (IsListed(op)) return {op.list, 1};
    const std::uint32_t all = types_.count(op.spec.group);
    if (op.stages.count == 0) return {0, all};
    const std::uint32_t of_stage = all / types_.pipeline();  // groups are numbered by stage
    return {op.stages.first * of_stage, op.stages.count * of_stage};
  }
  /// Counts the ranks in each of them.
  std::uint32_t SizeOf(const ProgramOp& op) const {
    return IsListed(op) ? lists_.size(op.list) : types_.size(op.spec.group);
  }
  /// Returns the group in which a rank does an operation.
  std::uint32_t GroupOf(const ProgramOp& op, std::uint32_t rank) const {
    return IsListed(op) ? op.list : types_.GroupOf(op.spec.group, rank);
  }
  /// Returns the rank's place in that group; GroupLists::kNone if it is not in it.
  std::uint32_t RankIn(const ProgramOp& op, std::uint32_t rank) const {
    return IsListed(op) ? lists_.RankIn(op.list, rank) : types_.RankIn(op.spec.group, rank);
  }

  /// Counts the communicators of a rank: one for each type, and one for each listed group.
  std::uint32_t communicators() const { return kGroupTypes + lists_.count(); }
  /// Returns the number of an operation's communicator, below communicators().
  static std::uint32_t CommunicatorOf(const ProgramOp& op) {
    return static_cast<std::uint32_t>(op.spec.group) + (IsListed(op) ? op.list : 0);
  }

 private:
  static bool IsListed(const ProgramOp& op) { return op.spec.group == GroupType::kListed; }

  const ParallelGroups& types_;
  const GroupLists& lists_;
};

}  // namespace heddle
