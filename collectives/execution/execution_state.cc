// SPDX-License-Identifier: GPL-2.0-only
/// State of the jobs in a checkpoint (core/checkpoint/state_archive.h). Schedules, groups and
/// programs are not saved, but made again from the inputs.
#include <boost/serialization/deque.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/vector.hpp>
#include <utility>

#include "collectives/execution/collective_runner.h"
#include "collectives/execution/step_clock.h"
#include "core/checkpoint/state_archive.h"

namespace heddle {

void Participation::Check(PlacedJob* job, bool as_a_whole) const {
  const Schedule* schedule = collective->schedule.get();
  const auto check = [&](const NumberedFlow& message) {
    const GroupFlow& flow = message.flow;
    ExpectState(!as_a_whole && schedule != nullptr && flow.destination == me &&
                    job->Has(operation, group, flow.source) && schedule->MayHave(flow),
                "a message that came and no job has");
  };
  for (const NumberedFlow& message : overtaking) check(message);
  for (const auto& [message, when] : early) check(message);
}

void CollectiveRunner::SaveQueues(StateWriter* to) const { *to << group_queues_ << listed_queues_; }

void CollectiveRunner::LoadQueues(StateReader* from) {
  *from >> group_queues_ >> listed_queues_;
  for (const GroupQueue& queue : group_queues_) CheckQueue(queue, *job_);
  for (const auto& [list, queue] : listed_queues_) {
    ExpectState(list < job_->job().program.lists.count(), "a group that the job has not");
    CheckQueue(queue, *job_);
  }
}

void CollectiveRunner::CheckQueue(const GroupQueue& queue, const PlacedJob& job) {
  for (const Queued& next : queue.waiting) {
    ExpectState(next.operation < job.operations(),
                "an operation that the program of a GPU has not");
  }
}

void CollectiveRunner::SaveParts(StateWriter* to) const {
  *to << StateCount(parts_.size());
  for (const auto& part : parts_) *to << *part;
}

void CollectiveRunner::LoadParts(StateReader* from) {
  StateCount count;
  *from >> count;
  parts_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    auto part = std::make_unique<Participation>();
    *from >> *part;
    ExpectState(
        job_->Has(part->operation, part->group, part->me) && Find(part->operation) == nullptr,
        "a collective that the job has not");
    ExpectState(part->group == job_->GroupOf(part->operation, rank_) &&
                    part->me == job_->RankIn(part->operation, rank_),
                "a collective that is another GPU's");
    part->collective = &job_->Collective(part->operation, part->group);
    part->Check(job_, IsCarried(SpecOf(part->operation)));
    parts_.push_back(std::move(part));
  }
}

template <class Archive>
void StepClock::SerializePosition(Archive& archive) {
  archive& pass_& step_& now_& waits_for_& at_end_& ended_& sent_until_& last_sent_;
}

template <class Archive>
void StepClock::SerializeSums(Archive& archive) {
  archive& overlapped_;
  for (std::uint32_t layer = 0; layer < job().workload.layers.size(); ++layer)
    archive& LayerOf(layer);
}

void StepClock::CheckLoaded() const {
  const std::uint32_t passes = job().program.passes;
  const bool placed = step_ <= Steps().size() && (pass_ < passes || (at_end_ && pass_ == passes));
  const bool waits = waits_for_ < job_.operations() && step_ < Steps().size();
  ExpectState(placed && now_ >= Time{0} && (waits_for_ == kNothing || waits),
              "a step that the program of a GPU has not");
  const auto check = [&](std::uint32_t operation) {
    ExpectState(operation < job_.operations(), "an operation that the program of a GPU has not");
  };
  if (last_sent_ != kNothing || sent_until_ > Time{0}) check(last_sent_);
  for (const auto& [operation, at] : overlapped_) check(operation);
}

// Saving does not modify the clock.
void StepClock::SavePosition(StateWriter* to) const {
  const_cast<StepClock*>(this)->SerializePosition(*to);
}

void StepClock::LoadPosition(StateReader* from) { SerializePosition(*from); }

void StepClock::SaveSums(StateWriter* to) const {
  const_cast<StepClock*>(this)->SerializeSums(*to);
}

void StepClock::LoadSums(StateReader* from) {
  SerializeSums(*from);
  CheckLoaded();
  if (ended_) RecordFinish();
}

void ExecutionContext::SaveCollectives(StateWriter* to) const {
  std::vector<PhaseRecord> phases;
  for (const auto& [key, delays] : phase_delays) phases.push_back({key, delays});
  *to << collectives << phases;
}

void ExecutionContext::AddCollectives(StateReader* from) {
  std::vector<CollectiveRecord> saved;
  std::vector<PhaseRecord> phases;
  *from >> saved >> phases;
  for (const CollectiveRecord& record : saved) {
    ExpectState(
        record.job < jobs.size() && jobs[record.job]->Has(record.operation, record.group, 0),
        "a collective that no job has");
    RecordOf(record.job, record.operation, record.group).Join(record);
  }
  for (const PhaseRecord& record : phases) {
    ExpectState(record.job() < jobs.size() &&
                    record.operation() < jobs[record.job()]->job().program.ops.size() &&
                    record.delays.valid(),
                "delays in phases of a collective that no job has");
    phase_delays[record.key].Join(record.delays);
  }
}

void ExecutionContext::AddDelays(const CollectiveName& name, std::uint32_t phase,
                                 const PhaseDelays& found) {
  const auto ops = static_cast<std::uint32_t>(jobs[name.job]->job().program.ops.size());
  phase_delays[{name.job, name.operation % ops, phase}].Join(found);
}

void ExecutionContext::ForgetRecords() {
  collectives.clear();
  record_index_.clear();
  phase_delays.clear();
  steps.clear();
  finishes.clear();
}

}  // namespace heddle
