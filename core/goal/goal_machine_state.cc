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
  rank.operations.Save(to);
  *to << rank.cpu_free << rank.end << rank.sequence << sent;
  rank.matcher.Save(to);
}

void GoalMachine::LoadRank(Rank* rank, StateReader* from) {
  std::map<std::uint64_t, std::uint32_t> sent;
  const std::size_t cpus = rank->cpu_free.size();
  rank->operations.Load(from);
  *from >> rank->cpu_free >> rank->end >> rank->sequence >> sent;
  ExpectState(rank->cpu_free.size() == cpus, "another number of cpus than the schedule");
  rank->sent = FlatMap();
  for (const auto& [key, count] : sent) {
    ExpectState(key != ~std::uint64_t{0}, "messages to no rank");
    rank->sent.FindOrInsert(key, count) = count;
  }
  rank->matcher.Load(
      from,
      [&](std::uint32_t receive) {
        const GoalFrontier::Entry* const entry = rank->operations.Find(receive);
        return entry != nullptr && entry->state == GoalFrontier::State::kStarted &&
               entry->operation.is_receive();
      },
      [&](const GoalMessage& message) { return MayExist(message, rank->rank); });
}

bool GoalMachine::MayExist(const GoalMessage& message, std::uint32_t destination) const {
  if (!schedule_.Has(message.source, message.operation)) return false;
  const GoalOperation send = schedule_.At(message.source, message.operation);
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
  using State = GoalFrontier::State;
  const GoalFrontier::Entry* const entry = rank.operations.Find(event.operation);
  ExpectState(entry != nullptr, "an event of an operation that waits or has ended");
  const GoalOperation& op = entry->operation;
  const bool calc = op.kind == GoalOperation::Kind::kCalc;
  const bool started = entry->state == State::kStarted, released = entry->state == State::kReleased;
  const bool sound = event.kind == Event::Kind::kLeft ? op.is_send() && started
                     : event.kind == Event::Kind::kStart
                         ? !op.is_receive() && released
                         : !op.is_send() && (started || (calc && released));
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
    ended_ += rank.operations.ended();
  }
  *from >> events_;
  for (const Event& event : events_) CheckEvent(event);
  std::make_heap(events_.begin(), events_.end(), IsLater);
}

}  // namespace heddle
