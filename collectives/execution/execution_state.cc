// SPDX-License-Identifier: GPL-2.0-only
/// State of the jobs in a checkpoint (core/checkpoint/state_archive.h). Schedules, groups and
/// programs are not saved, but made again from the inputs.
#include <boost/serialization/deque.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/vector.hpp>
#include <utility>

#include "collectives/execution/flow_coordinator.h"
#include "collectives/execution/gpu_execution.h"
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

template <class Archive>
void GpuExecution::SerializeProgram(Archive& archive) {
  archive& pass_& step_& clock_& waits_for_& at_end_& ended_& sent_until_& last_sent_&
      group_queues_& overlapped_;
  for (std::uint32_t layer = 0; layer < job_->job().workload.layers.size(); ++layer)
    archive& LayerOf(layer);
}

void GpuExecution::Save(StateWriter* to) const {
  const_cast<GpuExecution*>(this)->SerializeProgram(*to);  // saving does not modify it
  *to << StateCount(parts_.size());
  for (const auto& part : parts_) *to << *part;
}

void GpuExecution::Load(StateReader* from) {
  SerializeProgram(*from);
  CheckProgram();
  StateCount count;
  *from >> count;
  parts_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    auto part = std::make_unique<Participation>();
    *from >> *part;
    ExpectState(
        job_->Has(part->operation, part->group, part->me) && Find(part->operation) == nullptr,
        "a collective that the job has not");
    const ParallelGroups& groups = job_->job().groups;
    const GroupType type = job_->Op(part->operation).spec.group;
    ExpectState(
        part->group == groups.GroupOf(type, rank_) && part->me == groups.RankIn(type, rank_),
        "a collective that is another GPU's");
    part->collective = &job_->Collective(part->operation, part->group);
    part->Check(job_, port_->collectives() != nullptr);
    parts_.push_back(std::move(part));
  }
  if (ended_) context_->finishes.push_back({job_->index(), rank_, gpu(), clock_});
}

/// Of a program that was loaded.
void GpuExecution::CheckProgram() const {
  const std::uint32_t passes = job_->job().program.passes;
  const bool placed = step_ <= Steps().size() && (pass_ < passes || (at_end_ && pass_ == passes));
  const bool waits = waits_for_ < job_->operations() && step_ < Steps().size();
  ExpectState(placed && clock_ >= Time{0} && (waits_for_ == kNothing || waits),
              "a step that the program of a GPU has not");
  const auto check = [&](std::uint32_t operation) {
    ExpectState(operation < job_->operations(), "an operation that the program of a GPU has not");
  };
  if (last_sent_ != kNothing || sent_until_ > Time{0}) check(last_sent_);
  for (const auto& [operation, at] : overlapped_) check(operation);
  for (const GroupQueue& group : group_queues_) {
    for (const Queued& next : group.waiting) check(next.operation);
  }
}

void ExecutionContext::SaveCollectives(StateWriter* to) const { *to << collectives; }

void ExecutionContext::AddCollectives(StateReader* from) {
  std::vector<CollectiveRecord> saved;
  *from >> saved;
  for (const CollectiveRecord& record : saved) {
    ExpectState(
        record.job < jobs.size() && jobs[record.job]->Has(record.operation, record.group, 0),
        "a collective that no job has");
    RecordOf(record.job, record.operation, record.group).Join(record);
  }
}

void FlowCoordinator::SavePiece(PieceWriter* to, RankId here) const {
  StateWriter state;
  context_.SaveCollectives(&state);
  to->Add(PieceKind::kCollectives, here.value, state.bytes());
}

void FlowCoordinator::LoadPieces(CheckpointPieces* from, const Communicator& world) {
  context_.ForgetRecords();
  from->LoadShare(PieceKind::kCollectives, world.rank(), world.size(),
                  [this](StateReader* state) { context_.AddCollectives(state); });
}

void ExecutionContext::ForgetRecords() {
  collectives.clear();
  record_index_.clear();
  steps.clear();
  finishes.clear();
}

}  // namespace heddle
