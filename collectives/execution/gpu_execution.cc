// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/execution/gpu_execution.h"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/execution/step_loop.h"
#include "core/base/check.h"
#include "core/base/time_limits.h"

namespace heddle {

GpuExecution::GpuExecution(ExecutionContext* context, FlowPoster* port, std::uint32_t job,
                           std::uint32_t rank)
    : context_(context),
      port_(port),
      job_(context->jobs[job].get()),
      rank_(rank),
      stage_(job_->job().groups.StageOf(rank)),
      first_layer_(context->layers.size()),
      clock_(job_->job().start) {
  for (std::uint32_t layer = 0; layer < job_->job().workload.layers.size(); ++layer) {
    LayerRecord record;
    record.job = job;
    record.rank = rank;
    record.gpu = job_->job().gpus[rank];
    record.layer = layer;
    context->layers.push_back(record);
  }
}

void GpuExecution::Advance() {
  while (waits_for_ == kNothing && !at_end_) {
    if (step_ == Steps().size()) {
      step_ = 0;
      if (++pass_ == job_->job().program.passes) at_end_ = true;
      continue;
    }
    const ProgramStep& step = Steps()[step_];
    if (!Do(step)) return;
    ++step_;
  }
  if (at_end_) EndProgram();
}

bool GpuExecution::Do(const ProgramStep& step) {
  const std::uint32_t ops = static_cast<std::uint32_t>(job_->job().program.ops.size());
  const std::uint32_t operation = pass_ * ops + step.op;
  switch (step.kind) {
    case ProgramStep::Kind::kPause:
      CheckTime(step);
      clock_ = clock_ + step.time;
      return true;
    case ProgramStep::Kind::kCompute:
      CheckTime(step);
      AddStep(StepRecord::Kind::kCompute, 0, step.layer, step.phase, clock_, clock_ + step.time,
              pass_);
      LayerOf(step.layer).compute[static_cast<int>(step.phase)] += step.time;
      clock_ = clock_ + step.time;
      return true;
    case ProgramStep::Kind::kOverlapped:
      if (TakesPart(job_->Op(operation))) Issue(operation);
      return true;
    case ProgramStep::Kind::kBlocking:
      if (!TakesPart(job_->Op(operation))) return true;
      Issue(operation);
      return WaitFor(operation);
    case ProgramStep::Kind::kWait: {
      if (overlapped_.count(operation) != 0) return WaitFor(operation);
      return pass_ == 0 || WaitFor(operation - ops);
    }
  }
  return true;
}

void GpuExecution::CheckTime(const ProgramStep& step) const {
  if (step.time <= kEndOfTime - clock_) return;
  throw Error(
      ExitCode::kStalled,
      fmt::format("job {} ({}), rank {}: layer '{}' of pass {} would compute beyond the limit "
                  "of the simulated time, {:.0f} days",
                  job_->index(), job_->job().name, rank_,
                  job_->job().workload.layers[step.layer].name, pass_,
                  kEndOfTime.seconds() / 86400));
}

bool GpuExecution::TakesPart(const ProgramOp& op) const {
  if (!IsBetweenTwo(op.spec)) return true;
  const std::uint32_t me = job_->job().groups.RankIn(op.spec.group, rank_);
  return me == op.spec.root || me == op.spec.peer;
}

void GpuExecution::Issue(std::uint32_t operation) {
  overlapped_[operation] = Time::Max();
  GroupQueue& group = group_queues_[static_cast<int>(job_->Op(operation).spec.group)];
  const bool takes_turns = TakesTurns(job_->Op(operation));
  if (group.busy && takes_turns) {
    group.waiting.push_back({operation, clock_});
    return;
  }
  TakePart(operation, clock_, takes_turns ? std::max(clock_, group.free_at) : clock_);
}

void GpuExecution::TakePart(std::uint32_t operation, Time issued, Time at) {
  const ProgramOp& op = job_->Op(operation);
  if (TakesTurns(op)) group_queues_[static_cast<int>(op.spec.group)].busy = true;
  Participation& part = FindOrMake(operation);
  part.begun = true;
  part.issued = issued;
  part.from = part.last = at;
  CollectiveRecord& record = context_->RecordOf(job_->index(), operation, part.group);
  record.start = std::min(record.start, issued);
  if (IsBetweenTwo(op.spec) && part.me == op.spec.root) record.sent = issued;
  if (part.collective->schedule && port_->collectives() != nullptr) {
    port_->collectives()->Begin(context_->CallOf(*job_, part, at));
  } else if (part.collective->schedule) {
    std::vector<GroupFlow> flows;
    part.collective->schedule->Begin(part.me, &flows);
    for (const GroupFlow& flow : flows) context_->Post(*job_, &part, flow, at, true, port_);
  }
  std::vector<std::pair<NumberedFlow, Time>> early;
  early.swap(part.early);
  for (const auto& [message, when] : early) Arrive(&part, message, when);
  if (part.done()) Finish(&part);
}

Participation* GpuExecution::Find(std::uint32_t operation) {
  for (const auto& part : parts_) {
    if (part->operation == operation) return part.get();
  }
  return nullptr;
}

Participation& GpuExecution::FindOrMake(std::uint32_t operation) {
  if (Participation* part = Find(operation)) return *part;
  const GroupType type = job_->Op(operation).spec.group;
  auto part = std::make_unique<Participation>();
  part->operation = operation;
  part->group = job_->job().groups.GroupOf(type, rank_);
  part->me = job_->job().groups.RankIn(type, rank_);
  part->collective = &job_->Collective(operation, part->group);
  if (part->collective->schedule) {
    part->left = port_->collectives() != nullptr ? Participation::kAsAWhole
                                                 : part->collective->schedule->CountsOf(part->me);
  }
  parts_.push_back(std::move(part));
  return *parts_.back();
}

void GpuExecution::Received(const MessageName& name, Time when) {
  Participation& part = FindOrMake(name.operation);
  NoteArrival(part, when);
  // With PXN, messages between two ranks of a pipeline may cross a third rank, whose program does
  // not contain the operation.
  if (!TakesPart(job_->Op(name.operation))) part.begun = true;
  if (!part.begun) {
    part.early.emplace_back(name.numbered(), when);
    return;
  }
  Arrive(&part, name.numbered(), when);
  if (part.done()) Finish(&part);
}

void GpuExecution::NoteArrival(const Participation& part, Time when) {
  const CollectiveSpec& spec = job_->Op(part.operation).spec;
  if (!IsBetweenTwo(spec) || part.me != spec.peer) return;
  CollectiveRecord& record = context_->RecordOf(job_->index(), part.operation, part.group);
  record.arrived = std::max(record.arrived, when);
}

void GpuExecution::Arrive(Participation* part, const NumberedFlow& message, Time when) {
  when = std::max(when, part->from);
  part->last = std::max(part->last, when);
  StepOnArrival(context_, *job_, part, message, when, port_);
}

void GpuExecution::Sent(const MessageName& name, Time when) {
  Participation* part = Find(name.operation);
  HEDDLE_INVARIANT(part != nullptr,
                   fmt::format("rank {} has sent for operation {}, in which it does not take part",
                               rank_, name.operation));
  StepOnDeparture(context_, *job_, part, name.flow(), when, port_);
  if (part->done()) Finish(part);
}

void GpuExecution::Completed(std::uint32_t operation, Time when) {
  Participation* part = Find(operation);
  HEDDLE_INVARIANT(part != nullptr && part->begun,
                   fmt::format("rank {} heard of the end of operation {}, which it has not begun",
                               rank_, operation));
  part->left = FlowCounts{};
  part->last = std::max(part->last, when);
  NoteArrival(*part, when);
  Finish(part);
}

void GpuExecution::Forget(Participation* part) {
  parts_.erase(
      std::find_if(parts_.begin(), parts_.end(), [&](const auto& p) { return p.get() == part; }));
}

void GpuExecution::Finish(Participation* part) {
  const std::uint32_t operation = part->operation;
  if (!TakesPart(job_->Op(operation))) return Forget(part);
  const Time issued = part->issued;
  const Time last = part->last;
  CollectiveRecord& record = context_->RecordOf(job_->index(), operation, part->group);
  record.end = std::max(record.end, last);
  ++record.finished;
  Forget(part);
  const ProgramOp& op = job_->Op(operation);
  FinishOperation(operation, issued, last + op.update);
  if (TakesTurns(op)) {
    GroupQueue& group = group_queues_[static_cast<int>(op.spec.group)];
    group.busy = false;
    group.free_at = std::max(group.free_at, last);
    if (!group.waiting.empty()) {
      const Queued next = group.waiting.front();
      group.waiting.pop_front();
      TakePart(next.operation, next.issued, std::max(next.issued, last));
    }
  }
  if (waits_for_ == operation) {
    waits_for_ = kNothing;
    GoOn(operation, last + op.update);
    ++step_;
    Advance();
  } else if (at_end_) {
    EndProgram();
  }
}

void GpuExecution::FinishOperation(std::uint32_t operation, Time issued, Time at) {
  const ProgramOp& op = job_->Op(operation);
  if (op.spec.group != GroupType::kPipeline)
    LayerOf(op.layer).total[static_cast<int>(op.phase)] += at - issued;
  const bool only_sends =
      IsBetweenTwo(op.spec) && job_->job().groups.RankIn(op.spec.group, rank_) == op.spec.root;
  if (only_sends) {
    overlapped_.erase(operation);
    if (at >= sent_until_) {
      sent_until_ = at;
      last_sent_ = operation;
    }
  } else {
    overlapped_[operation] = at;
  }
  AddStep(StepRecord::Kind::kCommunicate, operation, op.layer, op.phase, issued, at,
          job_->PassOf(operation));
}

bool GpuExecution::WaitFor(std::uint32_t operation) {
  const auto at = overlapped_.find(operation);
  if (at == overlapped_.end()) return true;  // waited for already, or omitted
  if (at->second == Time::Max()) {
    waits_for_ = operation;
    return false;
  }
  GoOn(operation, at->second);
  return true;
}

Time GpuExecution::WaitedFor(const ProgramOp& op, Time at) const {
  // ASTRA-SIM does not count the update as waiting.
  const bool in_phases = port_->collectives() != nullptr && port_->collectives()->concurrent();
  return in_phases ? std::max(at - op.update - clock_, Time{0}) : at - clock_;
}

void GpuExecution::GoOn(std::uint32_t operation, Time at) {
  overlapped_.erase(operation);
  if (at <= clock_) return;
  const ProgramOp& op = job_->Op(operation);
  LayerRecord& layer = LayerOf(op.layer);
  const Time waited = WaitedFor(op, at);
  (op.spec.group == GroupType::kPipeline ? layer.pipeline
                                         : layer.exposed[static_cast<int>(op.phase)]) += waited;
  clock_ = at;
}

void GpuExecution::EndProgram() {
  if (ended_) return;
  std::vector<std::pair<Time, std::uint32_t>> open;
  for (const auto& [operation, at] : overlapped_) {
    if (at == Time::Max()) return;
    open.emplace_back(at, operation);
  }
  std::sort(open.begin(), open.end());
  for (const auto& [at, operation] : open) {
    const ProgramOp& op = job_->Op(operation);
    if (at > clock_ && op.phase == Phase::kWeightGradient)
      LayerOf(op.layer).tail += WaitedFor(op, at);
    GoOn(operation, at);
  }
  if (sent_until_ > clock_) {
    LayerOf(job_->Op(last_sent_).layer).pipeline += sent_until_ - clock_;
    clock_ = sent_until_;
  }
  ended_ = true;
  context_->finishes.push_back({job_->index(), rank_, job_->job().gpus[rank_], clock_});
}

void GpuExecution::AddStep(StepRecord::Kind kind, std::uint32_t operation, std::uint32_t layer,
                           Phase phase, Time start, Time end, std::uint32_t pass) {
  if (!context_->timeline) return;
  context_->steps.push_back(
      {job_->index(), job_->job().gpus[rank_], pass, layer, operation, phase, kind, start, end});
}

std::size_t GpuExecution::memory() const {
  std::size_t sum = sizeof(*this) + MemoryOf(parts_) + MemoryOfTree(overlapped_);
  for (const auto& part : parts_) sum += part ? sizeof(*part) + part->memory() : 0;
  // An empty deque holds a block as well.
  for (const GroupQueue& group : group_queues_)
    sum += kDequeBlock + group.waiting.size() * sizeof(Queued);
  return sum;
}

}  // namespace heddle
