// SPDX-License-Identifier: GPL-2.0-only
/// Makes the binary form of a schedule, for tests of its reader.
#pragma once

#include <cstdint>
#include <string>

#include "core/goal/goal_schedule.h"

namespace heddle::testing {

/// Appends the lowest `bytes` bytes of a number, little endian.
inline void Put(std::uint64_t number, int bytes, std::string* to) {
  for (int i = 0; i < bytes; ++i) to->push_back(static_cast<char>(number >> (8 * i) & 0xff));
}

inline std::string BytesOfOperation(const GoalOperation& op) {
  std::string bytes;
  Put(op.waits, 4, &bytes);
  Put(op.is_send() ? 1 : op.is_receive() ? 2 : 3, 1, &bytes);
  Put(op.peer, 4, &bytes);
  Put(static_cast<std::uint64_t>(op.amount), 8, &bytes);
  Put(op.tag, 4, &bytes);
  Put(op.cpu, 1, &bytes);
  Put(op.nic, 1, &bytes);
  Put(op.after_end, 4, &bytes);
  Put(op.first_follower, 4, &bytes);
  Put(op.after_start, 4, &bytes);
  Put(op.first_follower + op.after_end, 4, &bytes);
  return bytes;
}

inline std::string BytesOfRank(const GoalRank& rank) {
  std::string roots, nodes, links;
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < rank.operations.size(); ++i) {
    if (rank.operations[i].waits == 0) {
      Put(i, 4, &roots);
      ++count;
    }
    nodes += BytesOfOperation(rank.operations[i]);
  }
  for (const std::uint32_t follower : rank.followers) Put(follower, 4, &links);
  std::string head;
  Put(rank.operations.size(), 4, &head);
  Put(count, 4, &head);
  return head + roots + nodes + links;
}

inline std::string BytesOf(const GoalSchedule& schedule) {
  std::string head, body;
  Put(4223, 8, &head);
  Put(schedule.ranks.size(), 4, &head);
  Put(0, 2, &head);
  const std::uint64_t first = 6 + 16 * schedule.ranks.size();
  for (const GoalRank& rank : schedule.ranks) {
    Put(first + body.size(), 8, &head);
    body += BytesOfRank(rank);
    Put(first + body.size(), 8, &head);
  }
  return head + body;
}

}  // namespace heddle::testing
