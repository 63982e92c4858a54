// SPDX-License-Identifier: GPL-2.0-only
/// What a schedule consists of, in numbers.
#pragma once

#include <cstdint>

#include "core/goal/goal_schedule.h"
#include "io/goal/goal_messages.h"

namespace heddle {

struct GoalSummary {
  std::uint64_t ranks = 0;
  std::uint64_t sends = 0, receives = 0, calcs = 0;
  std::uint64_t dependencies = 0;    ///< requires and irequires
  std::uint64_t idle_ranks = 0;      ///< without an operation
  std::uint64_t any_receives = 0;    ///< receives from any rank, or with any tag
  std::uint64_t own_sends = 0;       ///< sends to the rank itself
  std::int64_t largest_message = 0;  ///< [byte]
  double sent_bytes = 0;             ///< of all sends; exact below 2^53
  double calc_ns = 0;                ///< of all ranks; exact below 2^53
  std::uint32_t highest_cpu = 0, highest_nic = 0;
  /// The longest time that the calcs of one rank take if each waits for nothing but what it
  /// requires in its rank: messages take no time, and cpus are never busy [ns].
  double longest_chain_ns = 0;
  std::uint32_t longest_chain_rank = 0;  ///< the first rank with that time
  GoalMessages messages;

  std::uint64_t operations() const { return sends + receives + calcs; }  ///< of all ranks
};

/// Counts all operations, and matches the messages (io/goal/goal_messages.h).
GoalSummary Summarize(const GoalSchedule& schedule);

}  // namespace heddle
