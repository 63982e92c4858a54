// SPDX-License-Identifier: GPL-2.0-only
#include "io/goal/goal_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <vector>

#include "core/base/check.h"
#include "core/base/spill_file.h"

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
};

/// Ends by destination, in groups of neighbouring destinations, one of which is in memory at a
/// time.
class EndGroups {
 public:
  /// `spills`: whether the others are in a file; else there is one group.
  EndGroups(std::size_t ranks, bool spills)
      : per_group_(spills ? (ranks + kMostGroups - 1) / kMostGroups : ranks),
        groups_((ranks + per_group_ - 1) / per_group_) {
    if (spills) file_ = std::make_unique<SpillFile>();
  }

  void Add(const End& end, bool is_send) {
    Group& group = groups_[end.destination / per_group_];
    std::vector<End>& ends = is_send ? group.held.sends : group.held.receives;
    ends.push_back(end);
    if (file_ == nullptr || ends.size() < kPart) return;
    (is_send ? group.sends_at : group.receives_at)
        .push_back(file_->Append(ends.data(), kPart * sizeof(End)));
    ends.clear();
  }

  /// Calls visit(ends) for each group, the lowest destinations first. All are gone then.
  template <class Visit>
  void Take(Visit visit) {
    for (Group& group : groups_) {
      Load(group.sends_at, &group.held.sends);
      Load(group.receives_at, &group.held.receives);
      visit(&group.held);
      group = Group();
    }
  }

 private:
  static constexpr std::size_t kMostGroups = 1024;
  static constexpr std::size_t kPart = 64;  ///< ends that are written at once
  struct Group {
    Ends held;
    std::vector<std::int64_t> sends_at, receives_at;  ///< parts in the file
  };

  void Load(const std::vector<std::int64_t>& parts, std::vector<End>* ends) const {
    std::size_t size = ends->size();
    ends->resize(size + parts.size() * kPart);
    for (const std::int64_t at : parts) {
      file_->Read(at, ends->data() + size, kPart * sizeof(End));
      size += kPart;
    }
  }

  std::size_t per_group_;  ///< destinations
  std::vector<Group> groups_;
  std::unique_ptr<SpillFile> file_;
};

void SortByKey(std::vector<End>* ends) {
  std::sort(ends->begin(), ends->end(), [](const End& a, const End& b) {
    return std::tuple(a.key(), a.place.operation) < std::tuple(b.key(), b.place.operation);
  });
}

/// Adds all ends of a schedule. Sets `wild` by rank: whether it receives from any source or with
/// any tag.
void AddEnds(const GoalSchedule& schedule, EndGroups* groups, std::vector<std::uint8_t>* wild) {
  for (std::uint32_t rank = 0; rank < schedule.rank_count(); ++rank) {
    const std::vector<GoalOperation>& operations = schedule.Rank(rank).operations;
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
      const GoalOperation& op = operations[i];
      if (op.is_send()) groups->Add({op.peer, rank, op.tag, {rank, i}, op.amount}, true);
      if (!op.is_receive()) continue;
      groups->Add({rank, op.peer, op.tag, {rank, i}, op.amount}, false);
      if (op.peer == GoalOperation::kAny || op.tag == GoalOperation::kAny) (*wild)[rank] = 1;
    }
  }
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

/// Matches sends and receives of some destinations, and adds what is odd.
void MatchEnds(const Ends& ends, const std::vector<std::uint8_t>& is_wild, GoalMessages* found) {
  At send = ends.sends.begin(), receive = ends.receives.begin();
  while (send != ends.sends.end() || receive != ends.receives.end()) {
    const bool takes_send = receive == ends.receives.end() ||
                            (send != ends.sends.end() && send->key() <= receive->key());
    const End& next = takes_send ? *send : *receive;
    const bool wild = is_wild[next.destination] != 0;
    const auto is_like = [&](At at, At end) {
      return at != end && (wild ? at->destination == next.destination : at->key() == next.key());
    };
    const At sends_to =
        is_like(send, ends.sends.end()) ? EndOf(send, ends.sends.end(), wild) : send;
    const At receives_to =
        is_like(receive, ends.receives.end()) ? EndOf(receive, ends.receives.end(), wild) : receive;
    const std::ptrdiff_t pairs = std::min(sends_to - send, receives_to - receive);
    if (!wild) CompareSizes(send, receive, pairs, found);
    AddAlone(send + pairs, sends_to, &found->sends_alone, &found->send_alone);
    AddAlone(receive + pairs, receives_to, &found->receives_alone, &found->receive_alone);
    send = sends_to;
    receive = receives_to;
  }
}

}  // namespace

GoalMessages MatchGoalMessages(const GoalSchedule& schedule) {
  EndGroups groups(schedule.rank_count(), schedule.store != nullptr);
  std::vector<std::uint8_t> wild(schedule.rank_count());
  AddEnds(schedule, &groups, &wild);
  GoalMessages found;
  groups.Take([&](Ends* ends) {
    SortByKey(&ends->sends);
    SortByKey(&ends->receives);
    MatchEnds(*ends, wild, &found);
  });
  return found;
}

std::string CheckGoalMessages(const GoalSchedule& schedule) {
  const GoalMessages found = MatchGoalMessages(schedule);
  const auto operation = [&](GoalPlace at) { return schedule.At(at.rank, at.operation); };
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
