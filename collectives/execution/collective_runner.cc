// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/execution/collective_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "collectives/execution/step_loop.h"
#include "core/base/check.h"

namespace heddle {

bool CollectiveRunner::TakesPart(std::uint32_t operation) const {
  const CollectiveSpec& spec = SpecOf(operation);
  const std::uint32_t me = job_->RankIn(operation, rank_);
  if (!IsBetweenTwo(spec)) return me != GroupShape::kNone;
  return me == spec.root || me == spec.peer;
}

void CollectiveRunner::Issue(std::uint32_t operation, Time at) {
  const CollectiveSpec& spec = SpecOf(operation);
  GroupQueue& queue = QueueOf(operation);
  const bool takes_turns = TakesTurns(spec);
  if (queue.busy && takes_turns) {
    queue.waiting.push_back({operation, at});
    return;
  }
  TakePart(operation, at, takes_turns ? std::max(at, queue.free_at) : at);
}

void CollectiveRunner::TakePart(std::uint32_t operation, Time issued, Time at) {
  const CollectiveSpec& spec = SpecOf(operation);
  if (TakesTurns(spec)) QueueOf(operation).busy = true;
  Participation& part = FindOrMake(operation);
  part.begun = true;
  part.issued = issued;
  part.from = part.last = at;
  CollectiveRecord& record = context_->RecordOf(job_->index(), operation, part.group);
  record.start = std::min(record.start, issued);
  if (!IsBetweenTwo(spec)) {
    record.sent = std::min(record.sent, at);
  } else if (part.me == spec.root) {
    record.sent = issued;
  }
  if (part.collective->sends() && IsCarried(spec)) {
    port_->collectives()->Begin(context_->CallOf(*job_, part, at));
  } else if (part.collective->sends()) {
    std::vector<GroupFlow> flows;
    part.collective->schedule->Begin(part.me, &flows);
    for (const GroupFlow& flow : flows) StepAtBegin(context_, *job_, &part, flow, at, port_);
  }
  std::vector<std::pair<NumberedFlow, Time>> early;
  early.swap(part.early);
  for (const auto& [message, when] : early) Arrive(&part, message, when);
  if (part.done()) Finish(&part);
}

Participation* CollectiveRunner::Find(std::uint32_t operation) {
  for (const auto& part : parts_) {
    if (part->operation == operation) return part.get();
  }
  return nullptr;
}

Participation& CollectiveRunner::FindOrMake(std::uint32_t operation) {
  if (Participation* part = Find(operation)) return *part;
  auto part = std::make_unique<Participation>();
  part->operation = operation;
  part->group = job_->GroupOf(operation, rank_);
  part->me = job_->RankIn(operation, rank_);
  part->collective = &job_->Collective(operation, part->group);
  if (part->collective->sends()) {
    part->left = IsCarried(SpecOf(operation)) ? Participation::kAsAWhole
                                              : part->collective->schedule->CountsOf(part->me);
  }
  parts_.push_back(std::move(part));
  return *parts_.back();
}

void CollectiveRunner::Received(const MessageName& name, Time when) {
  Participation& part = FindOrMake(name.operation);
  NoteArrival(part, when);
  // With PXN, messages between two ranks of a pipeline may cross a third rank, whose program does
  // not contain the operation.
  if (!TakesPart(name.operation)) part.begun = true;
  if (!part.begun) {
    part.early.emplace_back(name.numbered(), when);
    return;
  }
  Arrive(&part, name.numbered(), when);
  if (part.done()) Finish(&part);
}

void CollectiveRunner::NoteArrival(const Participation& part, Time when) {
  const CollectiveSpec& spec = SpecOf(part.operation);
  if (!IsBetweenTwo(spec) || part.me != spec.peer) return;
  CollectiveRecord& record = context_->RecordOf(job_->index(), part.operation, part.group);
  record.arrived = std::max(record.arrived, when);
}

void CollectiveRunner::Arrive(Participation* part, const NumberedFlow& message, Time when) {
  when = std::max(when, part->from);
  part->last = std::max(part->last, when);
  StepOnArrival(context_, *job_, part, message, when, port_);
}

void CollectiveRunner::Sent(const MessageName& name, Time when) {
  Participation* part = Find(name.operation);
  HEDDLE_INVARIANT(part != nullptr,
                   fmt::format("rank {} has sent for operation {}, in which it does not take part",
                               rank_, name.operation));
  // The arrival counts, of which the sender hears by Delivered().
  if (EndsAtArrival() && IsBetweenTwo(SpecOf(name.operation))) return;
  StepOnDeparture(context_, *job_, part, name.flow(), when, port_);
  if (part->done()) Finish(part);
}

void CollectiveRunner::Delivered(std::uint32_t operation, Time when) {
  Participation* part = Find(operation);
  HEDDLE_INVARIANT(
      part != nullptr && part->left.sends > 0,
      fmt::format("rank {} heard that operation {} has arrived, which it does not send", rank_,
                  operation));
  part->left.sends = 0;
  part->last = std::max(part->last, when);
  if (part->done()) Finish(part);
}

void CollectiveRunner::Completed(std::uint32_t operation, Time when) {
  Participation* part = Find(operation);
  HEDDLE_INVARIANT(part != nullptr && part->begun,
                   fmt::format("rank {} heard of the end of operation {}, which it has not begun",
                               rank_, operation));
  part->left = FlowCounts{};
  part->last = std::max(part->last, when);
  const CollectiveSpec& spec = SpecOf(operation);
  if (IsBetweenTwo(spec) && part->me == spec.root) {  // a message has arrived when its sender ends
    CollectiveRecord& record = context_->RecordOf(job_->index(), operation, part->group);
    record.arrived = std::max(record.arrived, when);
  }
  Finish(part);
}

std::unique_ptr<Participation> CollectiveRunner::Take(
    std::vector<std::unique_ptr<Participation>>* parts, std::uint32_t operation) {
  const auto at = std::find_if(parts->begin(), parts->end(),
                               [&](const auto& part) { return part->operation == operation; });
  if (at == parts->end()) return nullptr;
  std::unique_ptr<Participation> part = std::move(*at);
  parts->erase(at);
  return part;
}

void CollectiveRunner::Finish(Participation* part) {
  if (part->told || !TakesPart(part->operation)) return Forget(part);
  const std::unique_ptr<Participation> ended = Take(&parts_, part->operation);
  port_->ParticipationEnded(
      {ended->operation, ended->group, static_cast<std::uint16_t>(job_->index())}, gpu(),
      ended->last);
  Conclude(*ended, ended->last);
}

void CollectiveRunner::Conclude(const Participation& part, Time last) {
  const std::uint32_t operation = part.operation;
  CollectiveRecord& record = context_->RecordOf(job_->index(), operation, part.group);
  record.end = std::max(record.end, last);
  ++record.finished;
  clock_->Ended(operation, part.issued, last);
  const CollectiveSpec& spec = SpecOf(operation);
  if (TakesTurns(spec)) MoveQueue(&QueueOf(operation), last);
  clock_->MayGoOn(operation, last);
}

const Participation* CollectiveRunner::FindFresh(std::uint32_t operation) const {
  for (const auto& part : parts_) {
    if (part->operation == operation)
      return part->fresh() && part->early.empty() && !part->told ? part.get() : nullptr;
  }
  return nullptr;
}

void CollectiveRunner::EndWhole(std::uint32_t operation, Time when) {
  ended_whole_.push_back(Take(&parts_, operation));
  // What Conclude() begins may end another one.
  const Participation& part = *ended_whole_.back();
  Conclude(part, when);
}

void CollectiveRunner::ForgetWhole(std::uint32_t operation) { Take(&ended_whole_, operation); }

void CollectiveRunner::TakeBackEnd(std::uint32_t operation) {
  std::unique_ptr<Participation> part = Take(&ended_whole_, operation);
  if (part == nullptr) return;
  part->told = true;
  parts_.push_back(std::move(part));
}

void CollectiveRunner::MoveQueue(GroupQueue* queue, Time at) {
  queue->busy = false;
  queue->free_at = std::max(queue->free_at, at);
  if (queue->waiting.empty()) return;
  const Queued next = queue->waiting.front();
  queue->waiting.pop_front();
  TakePart(next.operation, next.issued, std::max(next.issued, at));
}

std::size_t CollectiveRunner::memory() const {
  std::size_t sum = sizeof(*this) + MemoryOf(parts_) + MemoryOf(ended_whole_);
  for (const auto* parts : {&parts_, &ended_whole_}) {
    for (const auto& part : *parts) sum += part ? sizeof(*part) + part->memory() : 0;
  }
  // An empty deque holds a block as well.
  for (const GroupQueue& queue : group_queues_)
    sum += kDequeBlock + queue.waiting.size() * sizeof(Queued);
  sum += MemoryOfTree(listed_queues_);
  for (const auto& [list, queue] : listed_queues_)
    sum += kDequeBlock + queue.waiting.size() * sizeof(Queued);
  return sum;
}

}  // namespace heddle
