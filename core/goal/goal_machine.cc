// SPDX-License-Identifier: GPL-2.0-only
#include "core/goal/goal_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/base/check.h"
#include "core/base/memory_account.h"
#include "core/base/time_limits.h"

namespace heddle {

GoalMachine::GoalMachine(const GoalSchedule& schedule, const std::vector<std::uint32_t>& ranks,
                         GoalNetwork* network)
    : schedule_(schedule), network_(network) {
  ranks_.reserve(ranks.size());
  for (const std::uint32_t number : ranks) {
    Rank& rank = ranks_.emplace_back(Rank{number, GoalFrontier(schedule, number)});
    rank.cpu_free.resize(schedule.Head(number).cpus);
    operations_ += rank.operations.size();
  }
}

bool GoalMachine::IsLater(const Event& a, const Event& b) {
  // Calls come in any order; what they report is put into one here. Events of a rank's own keep
  // theirs.
  const auto key = [](const Event& e) {
    return std::tuple(e.time, e.slot, e.is_local(), e.sequence, e.kind, e.source, e.tag, e.number,
                      e.operation);
  };
  return key(b) < key(a);
}

void GoalMachine::Push(const Event& event) {
  events_.push_back(event);
  std::push_heap(events_.begin(), events_.end(), IsLater);
}

void GoalMachine::PushLocal(Event::Kind kind, std::uint32_t slot, std::uint32_t operation,
                            Time at) {
  Event event;
  event.time = at;
  event.slot = slot;
  event.kind = kind;
  event.sequence = ranks_[slot].sequence++;
  event.operation = operation;
  Push(event);
}

bool GoalMachine::Has(std::uint32_t rank) const {
  return std::binary_search(ranks_.begin(), ranks_.end(), rank, ByNumber());
}

std::uint32_t GoalMachine::SlotOf(std::uint32_t rank) const {
  const auto found = std::lower_bound(ranks_.begin(), ranks_.end(), rank, ByNumber());
  HEDDLE_INVARIANT(found != ranks_.end() && found->rank == rank,
                   fmt::format("rank {} of the schedule is not here", rank));
  return static_cast<std::uint32_t>(found - ranks_.begin());
}

void GoalMachine::Left(std::uint32_t rank, std::uint32_t operation, Time when) {
  HEDDLE_INVARIANT(when > until_, "a message has left in the past of its schedule");
  Event event;
  event.time = when;
  event.slot = SlotOf(rank);
  event.kind = Event::Kind::kLeft;
  event.operation = operation;
  Push(event);
}

void GoalMachine::Arrived(const GoalTransfer& transfer, Time when) {
  HEDDLE_INVARIANT(when > until_, "a message has arrived in the past of its schedule");
  Event event;
  event.time = when;
  event.slot = SlotOf(transfer.destination);
  event.operation = transfer.operation;
  event.source = transfer.source;
  event.tag = transfer.tag;
  event.number = transfer.number;
  Push(event);
}

void GoalMachine::Begin(Time start) {
  for (std::uint32_t slot = 0; slot < ranks_.size(); ++slot) {
    ranks_[slot].end = start;
    ready_ = schedule_.Head(ranks_[slot].rank).roots;
    for (const std::uint32_t root : ready_) ranks_[slot].operations.ReleaseRoot(root);
    ReleaseReady(slot, start);
  }
  RunUntil(start);
}

void GoalMachine::RunUntil(Time until) {
  while (next() <= until) {
    const Event event = events_.front();
    std::pop_heap(events_.begin(), events_.end(), IsLater);
    events_.pop_back();
    Handle(event);
    ReleaseReady(event.slot, event.time);
  }
  until_ = std::max(until_, until);
}

void GoalMachine::Handle(const Event& event) {
  Rank& rank = ranks_[event.slot];
  switch (event.kind) {
    case Event::Kind::kArrived:
      for (const std::uint32_t receive :
           rank.matcher.Arrive({event.source, event.tag, event.operation}, event.number))
        Receive(event.slot, receive, event.time);
      return;
    case Event::Kind::kStart:
      Start(event.slot, event.operation);
      if (rank.operations.OperationOf(event.operation).is_send())
        StartSend(event.slot, event.operation, event.time);
      return;
    case Event::Kind::kLeft:
    case Event::Kind::kEnd:
      End(event.slot, event.operation, event.time);
      return;
  }
}

void GoalMachine::ReleaseReady(std::uint32_t slot, Time at) {
  for (std::size_t i = 0; i < ready_.size(); ++i) Release(slot, ready_[i], at);
  ready_.clear();
}

void GoalMachine::Release(std::uint32_t slot, std::uint32_t operation, Time at) {
  Rank& rank = ranks_[slot];
  const GoalOperation op = rank.operations.OperationOf(operation);
  switch (op.kind) {
    case GoalOperation::Kind::kCalc:
      ReleaseCalc(slot, operation, at);
      return;
    case GoalOperation::Kind::kSend:
      if (rank.cpu_free[op.cpu] > at) {
        PushLocal(Event::Kind::kStart, slot, operation, rank.cpu_free[op.cpu]);
      } else {
        Start(slot, operation);
        StartSend(slot, operation, at);
      }
      return;
    case GoalOperation::Kind::kReceive:
      Start(slot, operation);
      if (rank.matcher.Post(op.peer, op.tag, operation)) Receive(slot, operation, at);
      return;
  }
}

void GoalMachine::ReleaseCalc(std::uint32_t slot, std::uint32_t operation, Time at) {
  Rank& rank = ranks_[slot];
  const GoalOperation op = rank.operations.OperationOf(operation);
  Time& free = rank.cpu_free[op.cpu];
  const Time start = std::max(at, free);
  if (NanoSeconds(op.amount) > kEndOfTime - start)
    throw Error(ExitCode::kStalled,
                fmt::format("{}: {} of rank {} would end beyond the limit of the simulated time, "
                            "{:.0f} days",
                            schedule_.PlaceOf(rank.rank, operation), Describe(op), rank.rank,
                            kEndOfTime.seconds() / 86400));
  free = start + NanoSeconds(op.amount);
  if (start == at) {
    Start(slot, operation);
  } else if (op.after_start > 0) {
    PushLocal(Event::Kind::kStart, slot, operation, start);
  }
  PushLocal(Event::Kind::kEnd, slot, operation, free);
}

void GoalMachine::Start(std::uint32_t slot, std::uint32_t operation) {
  ranks_[slot].operations.Start(operation, 0, &ready_);
}

void GoalMachine::StartSend(std::uint32_t slot, std::uint32_t operation, Time at) {
  Rank& rank = ranks_[slot];
  const GoalOperation op = rank.operations.OperationOf(operation);
  GoalTransfer transfer{rank.rank, op.peer, operation, op.tag, MessageMatcher::kOnly};
  if (!op.only_of_key)
    transfer.number = rank.sent.FindOrInsert(std::uint64_t{op.peer} << 32 | op.tag, 0)++;
  if (op.peer != rank.rank) return network_->Send(transfer, op.amount, at);
  Event arrived;
  arrived.time = at;
  arrived.slot = slot;
  arrived.operation = operation;
  arrived.source = rank.rank;
  arrived.tag = op.tag;
  arrived.number = transfer.number;
  Push(arrived);
  Event left;
  left.time = at;
  left.slot = slot;
  left.kind = Event::Kind::kLeft;
  left.operation = operation;
  Push(left);
}

void GoalMachine::Receive(std::uint32_t slot, std::uint32_t operation, Time at) {
  Rank& rank = ranks_[slot];
  const Time free = rank.cpu_free[rank.operations.OperationOf(operation).cpu];
  if (free > at) {
    PushLocal(Event::Kind::kEnd, slot, operation, free);
  } else {
    End(slot, operation, at);
  }
}

void GoalMachine::End(std::uint32_t slot, std::uint32_t operation, Time at) {
  Rank& rank = ranks_[slot];
  ++ended_;
  rank.end = std::max(rank.end, at);
  rank.operations.End(operation, 0, &ready_);
}

std::vector<GoalMachine::Progress> GoalMachine::progress() const {
  std::vector<Progress> all;
  for (const Rank& rank : ranks_)
    all.push_back({rank.rank, rank.operations.size() - rank.operations.ended(), rank.end});
  return all;
}

std::string GoalMachine::WaitsFor(const Rank& rank) const {
  std::uint64_t started = 0;
  const std::uint32_t first = rank.operations.FirstLive(&started), all = rank.operations.size();
  const std::uint64_t open = all - rank.operations.ended();
  if (started == 0) return fmt::format("rank {} has {} operations left", rank.rank, open);
  return fmt::format(
      "rank {} waits for {}, {}{}; {} of its {} operations have not ended", rank.rank,
      Describe(schedule_.At(rank.rank, first)), schedule_.PlaceOf(rank.rank, first),
      started > 1 ? fmt::format(" and {} more that have started", started - 1) : "", open, all);
}

std::vector<std::pair<std::uint32_t, std::string>> GoalMachine::Waiting(std::size_t most) const {
  std::vector<std::pair<std::uint32_t, std::string>> lines;
  for (const Rank& rank : ranks_) {
    if (lines.size() == most) break;
    if (!rank.operations.done()) lines.emplace_back(rank.rank, WaitsFor(rank));
  }
  return lines;
}

std::size_t GoalMachine::memory() const {
  std::size_t sum = sizeof *this + MemoryOf(ranks_) + MemoryOf(events_);
  for (const Rank& rank : ranks_)
    sum += rank.operations.memory() + MemoryOf(rank.cpu_free) + rank.matcher.memory() +
           rank.sent.memory();
  return sum;
}

}  // namespace heddle
