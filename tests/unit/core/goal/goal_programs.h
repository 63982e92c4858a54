// SPDX-License-Identifier: GPL-2.0-only
/// Ranks of schedules written by hand; messages have 100 bytes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/goal/goal_schedule.h"

namespace heddle::testing {

inline GoalOperation Calc(std::int64_t ns, std::uint8_t cpu = 0) {
  GoalOperation op;
  op.amount = ns;
  op.cpu = cpu;
  return op;
}
inline GoalOperation Message(GoalOperation::Kind kind, std::uint32_t peer, std::uint32_t tag,
                             std::uint8_t cpu = 0) {
  GoalOperation op;
  op.kind = kind;
  op.amount = 100;
  op.peer = peer;
  op.tag = tag;
  op.cpu = cpu;
  return op;
}
inline GoalOperation Send(std::uint32_t to, std::uint32_t tag = 0, std::uint8_t cpu = 0) {
  return Message(GoalOperation::Kind::kSend, to, tag, cpu);
}
inline GoalOperation Receive(std::uint32_t from, std::uint32_t tag = 0, std::uint8_t cpu = 0) {
  return Message(GoalOperation::Kind::kReceive, from, tag, cpu);
}

/// `later` waits for the end, or the start, of `earlier`.
struct Edge {
  std::uint32_t later, earlier;
  bool start = false;
};

inline GoalRank RankOf(std::vector<GoalOperation> operations, const std::vector<Edge>& edges = {}) {
  GoalRank rank{std::move(operations), {}};
  for (std::uint32_t i = 0; i < rank.operations.size(); ++i) {
    GoalOperation& op = rank.operations[i];
    op.first_follower = static_cast<std::uint32_t>(rank.followers.size());
    for (const bool start : {false, true}) {
      for (const Edge& edge : edges) {
        if (edge.earlier != i || edge.start != start) continue;
        ++(start ? op.after_start : op.after_end);
        ++rank.operations[edge.later].waits;
        rank.followers.push_back(edge.later);
      }
    }
  }
  return rank;
}

/// The schedule of these ranks in a file "a.goal". `window`: as GoalSchedule's.
inline GoalSchedule ScheduleOf(std::vector<GoalRank> ranks, std::uint64_t window = 0) {
  GoalSchedule schedule;
  schedule.file = "a.goal";
  schedule.window = window;
  schedule.ranks.resize(ranks.size());
  for (std::uint32_t i = 0; i < ranks.size(); ++i) schedule.Put(i, std::move(ranks[i]));
  return schedule;
}

}  // namespace heddle::testing
