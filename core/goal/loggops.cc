// SPDX-License-Identifier: GPL-2.0-only
#include "core/goal/loggops.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/base/time_limits.h"

namespace heddle {
namespace {

/// A message without payload is one byte.
std::int64_t SizeOf(std::int64_t bytes) { return std::max<std::int64_t>(bytes, 1); }

/// Returns the bytes after the first, as LogGP counts them.
std::int64_t BehindFirst(std::int64_t bytes) { return SizeOf(bytes) - 1; }

std::int64_t TimeOf(std::int64_t bytes, double per_byte) {
  return static_cast<std::int64_t>(static_cast<double>(bytes) * per_byte);
}

}  // namespace

LogGops::LogGops(const GoalSchedule& schedule, const LogGopsOptions& options)
    : schedule_(schedule), options_(options) {
  ranks_.reserve(schedule.rank_count());
  for (std::uint32_t number = 0; number < schedule.rank_count(); ++number) {
    const GoalRankHead head = schedule.Head(number);
    Rank& rank = ranks_.emplace_back(Rank{GoalFrontier(schedule, number)});
    rank.cpu.resize(std::max(head.cpus, 1U));
    rank.send.resize(std::max(head.nics, 1U));
    rank.receive.resize(rank.send.size());
  }
}

bool LogGops::IsLater(const Event& a, const Event& b) {
  return a.time != b.time ? a.time > b.time : a.number > b.number;
}

void LogGops::CheckTime(const Event& event, std::int64_t time) const {
  if (time <= kEndOfTime.ps / 1000) return;
  throw Error(ExitCode::kStalled,
              fmt::format("{}: {} of rank {} would begin or end beyond the limit of the simulated "
                          "time, {:.0f} days",
                          schedule_.PlaceOf(event.source, event.operation),
                          Describe(schedule_.At(event.source, event.operation)), event.source,
                          kEndOfTime.seconds() / 86400));
}

void LogGops::Push(const Event& event) {
  CheckTime(event, event.time);
  events_.push_back(event);
  std::push_heap(events_.begin(), events_.end(), IsLater);
}

void LogGops::Run() {
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    for (const std::uint32_t root : schedule_.Head(rank).roots) {
      ranks_[rank].operations.ReleaseRoot(root);
      Release(rank, root);
    }
  }
  while (!events_.empty()) {
    const Event event = events_.front();
    std::pop_heap(events_.begin(), events_.end(), IsLater);
    events_.pop_back();
    Handle(event);
  }
}

void LogGops::Release(std::uint32_t rank, std::uint32_t operation) {
  const GoalFrontier::Entry& entry = ranks_[rank].operations.At(operation);
  const GoalOperation& op = entry.operation;
  Event event;
  event.rank = event.source = rank;
  event.operation = operation;
  event.number = next_event_++;
  event.time = entry.ready;
  if (op.kind == GoalOperation::Kind::kCalc)
    event.time = std::max(event.time, ranks_[rank].cpu[op.cpu]);
  if (op.is_send()) event.time = std::max(event.time, ranks_[rank].send[op.nic]);
  Push(event);
}

void LogGops::Handle(const Event& event) {
  if (event.is_message) return Arrive(event);
  const GoalOperation op = ranks_[event.rank].operations.OperationOf(event.operation);
  switch (op.kind) {
    case GoalOperation::Kind::kCalc:
      return Calc(event, op);
    case GoalOperation::Kind::kSend:
      return Send(event, op);
    case GoalOperation::Kind::kReceive:
      return Receive(event, op);
  }
}

void LogGops::Calc(const Event& event, const GoalOperation& op) {
  std::int64_t& cpu = ranks_[event.rank].cpu[op.cpu];
  if (cpu > event.time) {
    Event later = event;
    later.time = cpu;
    return Push(later);
  }
  CheckTime(event, event.time + op.amount);
  cpu = event.time + op.amount;
  Start(event.rank, event.operation, event.time);
  End(event.rank, event.operation, event.time + op.amount);
}

void LogGops::Send(const Event& event, const GoalOperation& op) {
  Rank& rank = ranks_[event.rank];
  const std::int64_t free = std::max(rank.cpu[op.cpu], rank.send[op.nic]);
  Event next = event;
  if (free > event.time) {
    next.time = free;
    return Push(next);
  }
  const std::int64_t gaps = TimeOf(BehindFirst(op.amount), options_.gap_per_byte);
  const std::int64_t sent =
      event.time + options_.overhead + TimeOf(BehindFirst(op.amount), options_.overhead_per_byte);
  rank.cpu[op.cpu] = sent;
  rank.send[op.nic] = event.time + options_.gap + gaps;
  next.rank = op.peer;
  next.is_message = true;
  next.tag = op.tag;
  next.bytes = op.amount;
  next.number = next_event_++;
  next.time = sent + options_.latency + gaps;
  Push(next);
  Start(event.rank, event.operation, event.time);
  if (SizeOf(op.amount) <= options_.eager_limit) End(event.rank, event.operation, sent);
}

void LogGops::Receive(const Event& event, const GoalOperation& op) {
  Rank& rank = ranks_[event.rank];
  Start(event.rank, event.operation, event.time);
  const auto message = rank.matcher.Post(op.peer, op.tag, event.operation);
  if (!message) return;
  Take(event.rank, event.operation, *message, std::max(rank.send[op.nic], event.time), op.amount);
}

void LogGops::Arrive(const Event& event) {
  Rank& rank = ranks_[event.rank];
  const GoalMessage message{event.source, event.tag, event.operation};
  const auto receive = rank.matcher.FindReceive(event.source, event.tag);
  if (!receive) {
    rank.matcher.Offer(message);
    return;
  }
  const GoalOperation& op = rank.operations.OperationOf(*receive);
  const std::int64_t free = std::max(rank.cpu[op.cpu], rank.receive[op.nic]);
  if (free > event.time) {
    Event later = event;
    later.time = free;
    if (options_.busy_receives_last) {
      rank.matcher.Offer(message);
      rank.matcher.Post(op.peer, op.tag, *receive);
    }
    return Push(later);
  }
  rank.matcher.Offer(message);
  Take(event.rank, *receive, message, event.time, event.bytes);
}

void LogGops::Take(std::uint32_t rank, std::uint32_t receive, const GoalMessage& message,
                   std::int64_t free, std::int64_t bytes) {
  const GoalOperation op = ranks_[rank].operations.OperationOf(receive);
  const std::int64_t nic = free + options_.gap;
  const std::int64_t end =
      nic + options_.overhead + TimeOf(BehindFirst(bytes), options_.overhead_per_byte);
  ranks_[rank].receive[op.nic] = nic;
  ranks_[rank].cpu[op.cpu] = end;
  End(rank, receive, end);
  Rank& source = ranks_[message.source];
  const bool is_rendezvous = SizeOf(bytes) > options_.eager_limit;
  if (!is_rendezvous || source.operations.Find(message.operation) == nullptr) return;
  const GoalOperation send = source.operations.OperationOf(message.operation);
  source.cpu[send.cpu] = std::max(source.cpu[send.cpu], end);
  source.send[send.nic] = std::max(source.send[send.nic], nic);
  End(message.source, message.operation, end);
}

void LogGops::Start(std::uint32_t rank, std::uint32_t operation, std::int64_t at) {
  ranks_[rank].operations.Start(operation, at, &ready_);
  ReleaseReady(rank);
}

void LogGops::End(std::uint32_t rank, std::uint32_t operation, std::int64_t at) {
  ++ended_;
  ranks_[rank].operations.End(operation, at, &ready_);
  ReleaseReady(rank);
}

void LogGops::ReleaseReady(std::uint32_t rank) {
  for (const std::uint32_t operation : ready_) Release(rank, operation);
  ready_.clear();
}

std::vector<std::int64_t> LogGops::ends() const {
  std::vector<std::int64_t> ends;
  for (const Rank& rank : ranks_)
    ends.push_back(*std::max_element(rank.cpu.begin(), rank.cpu.end()));
  return ends;
}

std::uint64_t LogGops::waiting_ranks() const {
  return static_cast<std::uint64_t>(std::count_if(
      ranks_.begin(), ranks_.end(), [](const Rank& rank) { return !rank.operations.done(); }));
}

std::vector<std::string> LogGops::Waiting(std::size_t most) const {
  std::vector<std::string> lines;
  for (std::uint32_t i = 0; i < ranks_.size() && lines.size() < most; ++i) {
    const Rank& rank = ranks_[i];
    if (rank.operations.done()) continue;
    std::uint64_t count = 0;
    const std::uint32_t first = rank.operations.FirstLive(&count), all = rank.operations.size();
    lines.push_back(fmt::format("rank {} waits for {}, {}; {} of its {} operations have not ended",
                                i, Describe(schedule_.At(i, first)), schedule_.PlaceOf(i, first),
                                all - rank.operations.ended(), all));
  }
  return lines;
}

}  // namespace heddle
