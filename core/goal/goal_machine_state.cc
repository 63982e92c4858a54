// SPDX-License-Identifier: GPL-2.0-only
// State of a schedule in a checkpoint. The schedule itself is read again.
#include <algorithm>
#include <boost/serialization/map.hpp>
#include <boost/serialization/vector.hpp>

#include "core/checkpoint/state_archive.h"
#include "core/goal/goal_machine.h"

namespace heddle {

void GoalMachine::SaveRank(const Rank& rank, StateWriter* to) const {
  std::map<std::uint64_t, std::uint32_t> sent;
  rank.sent.ForEach([&](std::uint64_t key, std::uint32_t count) { sent[key] = count; });
  *to << rank.waits << rank.cpu_free << rank.end << rank.sequence << sent;
  rank.matcher.Save(to);
}

void GoalMachine::LoadRank(Rank* rank, StateReader* from) {
  std::map<std::uint64_t, std::uint32_t> sent;
  const std::size_t operations = rank->waits.size(), cpus = rank->cpu_free.size();
  *from >> rank->waits >> rank->cpu_free >> rank->end >> rank->sequence >> sent;
  ExpectState(rank->waits.size() == operations && rank->cpu_free.size() == cpus,
              "another number of operations than the schedule");
  rank->sent = FlatMap();
  for (const auto& [key, count] : sent) {
    ExpectState(key != ~std::uint64_t{0}, "messages to no rank");
    rank->sent.FindOrInsert(key, count) = count;
  }
  rank->ended =
      static_cast<std::uint64_t>(std::count(rank->waits.begin(), rank->waits.end(), kEnded));
  CheckWaits(*rank);
  rank->matcher.Load(
      from,
      [&](std::uint32_t receive) {
        return receive < operations && rank->waits[receive] == kStarted &&
               OperationOf(*rank, receive).is_receive();
      },
      [&](const GoalMessage& message) { return MayExist(message, rank->rank); });
}

/// Each operation waits for the operations that have not started or ended, and for no others.
void GoalMachine::CheckWaits(const Rank& rank) const {
  std::vector<std::uint32_t> left(rank.waits.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    const GoalOperation& op = rank.program->operations[i];
    const bool ended = rank.waits[i] == kEnded;
    const bool started = ended || rank.waits[i] == kStarted;
    for (std::uint32_t k = 0; k < op.after_end + op.after_start; ++k) {
      const bool happened = k < op.after_end ? ended : started;
      left[rank.program->followers[op.first_follower + k]] += happened ? 0 : 1;
    }
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    const bool waits = rank.waits[i] < kReleased;
    ExpectState(waits ? left[i] == rank.waits[i] && left[i] > 0 : left[i] == 0,
                "an operation that waits for others than the schedule says");
  }
}

bool GoalMachine::MayExist(const GoalMessage& message, std::uint32_t destination) const {
  if (message.source >= schedule_.ranks.size()) return false;
  const std::vector<GoalOperation>& operations = schedule_.ranks[message.source].operations;
  if (message.operation >= operations.size()) return false;
  const GoalOperation& send = operations[message.operation];
  return send.is_send() && send.peer == destination && send.tag == message.tag;
}

void GoalMachine::CheckEvent(const Event& event) const {
  ExpectState(event.slot < ranks_.size() && event.kind <= Event::Kind::kEnd && event.time > until_,
              "an event of a rank that is not here, or in the past");
  const Rank& rank = ranks_[event.slot];
  if (event.kind == Event::Kind::kArrived) {
    ExpectState(MayExist({event.source, event.tag, event.operation}, rank.rank),
                "a message that the schedule does not have");
    return;
  }
  ExpectState(event.operation < rank.waits.size(), "an operation that the schedule does not have");
  const std::uint32_t state = rank.waits[event.operation];
  const GoalOperation& op = OperationOf(rank, event.operation);
  const bool calc = op.kind == GoalOperation::Kind::kCalc;
  const bool sound = event.kind == Event::Kind::kLeft ? op.is_send() && state == kStarted
                     : event.kind == Event::Kind::kStart
                         ? !op.is_receive() && state == kReleased
                         : !op.is_send() && (state == kStarted || (calc && state == kReleased));
  ExpectState(sound, "an event of an operation that cannot have it");
}

void GoalMachine::Save(StateWriter* to) const {
  *to << until_;
  for (const Rank& rank : ranks_) SaveRank(rank, to);
  std::vector<Event> events = events_;
  std::sort(events.begin(), events.end(),
            [](const Event& a, const Event& b) { return IsLater(b, a); });
  *to << events;
}

void GoalMachine::Load(StateReader* from) {
  *from >> until_;
  ended_ = 0;
  for (Rank& rank : ranks_) {
    LoadRank(&rank, from);
    ended_ += rank.ended;
  }
  *from >> events_;
  for (const Event& event : events_) CheckEvent(event);
  std::make_heap(events_.begin(), events_.end(), IsLater);
}

}  // namespace heddle
