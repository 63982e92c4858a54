// SPDX-License-Identifier: GPL-2.0-only
#include "io/goal/goal_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "core/base/check.h"

namespace heddle {
namespace {

/// A send or receive, as its destination sees it.
struct End {
  std::uint32_t destination, source, tag;
  GoalPlace place;
  std::int64_t bytes;

  std::tuple<std::uint32_t, std::uint32_t, std::uint32_t> key() const {
    return {destination, source, tag};
  }
};

struct Ends {
  std::vector<End> sends, receives;
  std::vector<std::uint8_t> wild;  ///< by rank: whether it receives from any source or with any tag
};

void SortByKey(std::vector<End>* ends) {
  std::sort(ends->begin(), ends->end(), [](const End& a, const End& b) {
    return std::tuple(a.key(), a.place.operation) < std::tuple(b.key(), b.place.operation);
  });
}

Ends EndsOf(const GoalSchedule& schedule) {
  Ends ends;
  ends.wild.resize(schedule.ranks.size());
  for (std::uint32_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    const std::vector<GoalOperation>& operations = schedule.ranks[rank].operations;
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
      const GoalOperation& op = operations[i];
      if (op.is_send()) ends.sends.push_back({op.peer, rank, op.tag, {rank, i}, op.amount});
      if (!op.is_receive()) continue;
      ends.receives.push_back({rank, op.peer, op.tag, {rank, i}, op.amount});
      if (op.peer == GoalOperation::kAny || op.tag == GoalOperation::kAny) ends.wild[rank] = 1;
    }
  }
  SortByKey(&ends.sends);
  SortByKey(&ends.receives);
  return ends;
}

using At = std::vector<End>::const_iterator;

void AddAlone(At from, At to, std::uint64_t* count, GoalPlace* first) {
  if (from == to) return;
  if (!first->found()) *first = from->place;
  *count += static_cast<std::uint64_t>(to - from);
}

void CompareSizes(At send, At receive, std::ptrdiff_t pairs, GoalMessages* found) {
  for (; pairs > 0; --pairs, ++send, ++receive) {
    if (send->bytes == receive->bytes) continue;
    if (found->sizes_differ++ > 0) continue;
    found->send_of_other_size = send->place;
    found->receive_of_other_size = receive->place;
  }
}

/// Returns the end of the messages like the one at `from`: of one destination, or of one key.
At EndOf(At from, At end, bool by_destination) {
  return std::find_if(from, end, [&](const End& other) {
    return by_destination ? other.destination != from->destination : other.key() != from->key();
  });
}

}  // namespace

GoalMessages MatchGoalMessages(const GoalSchedule& schedule) {
  const Ends ends = EndsOf(schedule);
  GoalMessages found;
  At send = ends.sends.begin(), receive = ends.receives.begin();
  while (send != ends.sends.end() || receive != ends.receives.end()) {
    const bool takes_send = receive == ends.receives.end() ||
                            (send != ends.sends.end() && send->key() <= receive->key());
    const End& next = takes_send ? *send : *receive;
    const bool wild = ends.wild[next.destination] != 0;
    const auto is_like = [&](At at, At end) {
      return at != end && (wild ? at->destination == next.destination : at->key() == next.key());
    };
    const At sends_to =
        is_like(send, ends.sends.end()) ? EndOf(send, ends.sends.end(), wild) : send;
    const At receives_to =
        is_like(receive, ends.receives.end()) ? EndOf(receive, ends.receives.end(), wild) : receive;
    const std::ptrdiff_t pairs = std::min(sends_to - send, receives_to - receive);
    if (!wild) CompareSizes(send, receive, pairs, &found);
    AddAlone(send + pairs, sends_to, &found.sends_alone, &found.send_alone);
    AddAlone(receive + pairs, receives_to, &found.receives_alone, &found.receive_alone);
    send = sends_to;
    receive = receives_to;
  }
  return found;
}

std::string CheckGoalMessages(const GoalSchedule& schedule) {
  const GoalMessages found = MatchGoalMessages(schedule);
  const auto operation = [&](GoalPlace at) -> const GoalOperation& {
    return schedule.ranks[at.rank].operations[at.operation];
  };
  const bool receives = found.receives_alone > 0;
  if (receives || found.sends_alone > 0) {
    const GoalPlace first = receives ? found.receive_alone : found.send_alone;
    throw UserError(fmt::format(
        "{}: rank {} has {} without a {}; there are {} such receives and {} such sends. Expected: "
        "a send for each receive, with the same source, destination and tag",
        schedule.PlaceOf(first.rank, first.operation), first.rank, Describe(operation(first)),
        receives ? "send" : "receive", found.receives_alone, found.sends_alone));
  }
  if (found.sizes_differ == 0) return "";
  const GoalPlace at = found.receive_of_other_size;
  return fmt::format(
      "{}: rank {} has {} of {} bytes, and the send has {} bytes; sends decide (sizes differ in {} "
      "of the messages)",
      schedule.PlaceOf(at.rank, at.operation), at.rank, Describe(operation(at)),
      operation(at).amount, operation(found.send_of_other_size).amount, found.sizes_differ);
}

}  // namespace heddle
