// SPDX-License-Identifier: GPL-2.0-only
/// Whether the sends of a schedule have receives, and the receives sends.
#pragma once

#include <cstdint>
#include <string>

#include "core/goal/goal_schedule.h"

namespace heddle {

/// An operation of a schedule; none if there is no such one.
struct GoalPlace {
  static constexpr std::uint32_t kNone = ~0U;
  std::uint32_t rank = kNone, operation = kNone;

  bool found() const { return rank != kNone; }
};

/// What is odd about messages. The first of a kind is that of the lowest destination, source and
/// tag.
struct GoalMessages {
  std::uint64_t sends_alone = 0;     ///< sends that no receive can take
  std::uint64_t receives_alone = 0;  ///< receives that no send can serve
  std::uint64_t sizes_differ = 0;    ///< pairs of equal source, destination and tag
  GoalPlace send_alone, receive_alone, receive_of_other_size;
  GoalPlace send_of_other_size;  ///< the send of receive_of_other_size
};

/// Counts per source, destination and tag. Of ranks with receives of all sources or tags only the
/// sums are compared, as times decide who gets what; sizes are not compared there. Messages of one
/// source, destination and tag count as pairs in the order of the file.
GoalMessages MatchGoalMessages(const GoalSchedule& schedule);

/// Throws UserError for sends or receives that stay alone: such a schedule cannot end. Returns a
/// warning if sizes differ, else an empty text.
std::string CheckGoalMessages(const GoalSchedule& schedule);

}  // namespace heddle
