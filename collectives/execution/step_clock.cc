// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/execution/step_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "collectives/program/routed_experts.h"
#include "core/base/check.h"
#include "core/base/time_limits.h"

namespace heddle {

StepClock::StepClock(ExecutionContext* context, CollectiveRunner* runner)
    : context_(context),
      runner_(runner),
      job_(runner->job()),
      stage_(job().groups.StageOf(runner->rank())),
      first_layer_(context->layers.size()),
      now_(job().start) {
  for (std::uint32_t layer = 0; layer < job().workload.layers.size(); ++layer) {
    LayerRecord record;
    record.job = job_.index();
    record.rank = runner->rank();
    record.gpu = runner->gpu();
    record.layer = layer;
    context->layers.push_back(record);
  }
}

void StepClock::Advance() {
  while (waits_for_ == kNothing && !at_end_) {
    if (step_ == Steps().size()) {
      step_ = 0;
      if (++pass_ == job().program.passes) at_end_ = true;
      ForgetEnded();
      continue;
    }
    const ProgramStep& step = Steps()[step_];
    if (!Do(step)) return;
    ++step_;
  }
  if (at_end_) EndProgram();
}

bool StepClock::Do(const ProgramStep& step) {
  const std::uint32_t ops = static_cast<std::uint32_t>(job().program.ops.size());
  const std::uint32_t operation = pass_ * ops + step.op;
  switch (step.kind) {
    case ProgramStep::Kind::kPause:
      CheckTime(step, step.time);
      now_ = now_ + step.time;
      return true;
    case ProgramStep::Kind::kCompute:
      Compute(step, TimeOnRank(job().program, step, job().groups, runner_->rank()));
      return true;
    case ProgramStep::Kind::kOverlapped:
      if (runner_->TakesPart(operation)) Issue(operation);
      return true;
    case ProgramStep::Kind::kBlocking:
      if (!runner_->TakesPart(operation)) return true;
      Issue(operation);
      return WaitFor(operation);
    case ProgramStep::Kind::kWait: {
      if (overlapped_.count(operation) != 0) return WaitFor(operation);
      return pass_ == 0 || WaitFor(operation - ops);
    }
  }
  return true;
}

void StepClock::Compute(const ProgramStep& step, Time time) {
  CheckTime(step, time);
  AddStep(StepRecord::Kind::kCompute, 0, step.layer, step.phase, now_, now_ + time, pass_);
  LayerOf(step.layer).compute[static_cast<int>(step.phase)] += time;
  now_ = now_ + time;
}

void StepClock::CheckTime(const ProgramStep& step, Time time) const {
  if (time <= kEndOfTime - now_) return;
  throw Error(
      ExitCode::kStalled,
      fmt::format("job {} ({}), rank {}: layer '{}' of pass {} would compute beyond the "
                  "limit of the simulated time, {:.0f} days",
                  job_.index(), job().name, runner_->rank(), job().workload.layers[step.layer].name,
                  pass_, kEndOfTime.seconds() / 86400));
}

void StepClock::Issue(std::uint32_t operation) {
  now_ = std::max(now_, job_.WindowOf(operation));
  overlapped_[operation] = Time::Max();
  runner_->Issue(operation, now_);
}

void StepClock::Ended(std::uint32_t operation, Time issued, Time at) {
  const ProgramOp& op = job_.Op(operation);
  at = at + op.update;
  if (op.spec.group != GroupType::kPipeline)
    LayerOf(op.layer).total[static_cast<int>(op.phase)] += at - issued;
  const bool only_sends =
      IsBetweenTwo(op.spec) && job().groups.RankIn(op.spec.group, runner_->rank()) == op.spec.root;
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
          job_.PassOf(operation));
}

void StepClock::MayGoOn(std::uint32_t operation, Time at) {
  if (waits_for_ == operation) {
    waits_for_ = kNothing;
    GoOn(operation, at + job_.Op(operation).update);
    ++step_;
    Advance();
  } else if (at_end_) {
    EndProgram();
  }
}

bool StepClock::WaitFor(std::uint32_t operation) {
  const auto at = overlapped_.find(operation);
  if (at == overlapped_.end()) return true;  // waited for already, or omitted
  if (at->second == Time::Max()) {
    waits_for_ = operation;
    return false;
  }
  GoOn(operation, at->second);
  return true;
}

Time StepClock::WaitedFor(const ProgramOp& op, Time at) const {
  // Collectives of one communicator are concurrent in phases, as in ASTRA-SIM, which does not count
  // the update as waiting.
  return runner_->concurrent() ? std::max(at - op.update - now_, Time{0}) : at - now_;
}

void StepClock::GoOn(std::uint32_t operation, Time at) {
  overlapped_.erase(operation);
  if (at <= now_) return;
  const ProgramOp& op = job_.Op(operation);
  LayerRecord& layer = LayerOf(op.layer);
  const Time waited = WaitedFor(op, at);
  (op.spec.group == GroupType::kPipeline ? layer.pipeline
                                         : layer.exposed[static_cast<int>(op.phase)]) += waited;
  now_ = at;
}

void StepClock::ForgetEnded() {
  for (auto at = overlapped_.begin(); at != overlapped_.end();)
    at = at->second <= now_ ? overlapped_.erase(at) : std::next(at);
}

void StepClock::EndProgram() {
  if (ended_) return;
  std::vector<std::pair<Time, std::uint32_t>> open;
  for (const auto& [operation, at] : overlapped_) {
    if (at == Time::Max()) return;
    open.emplace_back(at, operation);
  }
  std::sort(open.begin(), open.end());
  for (const auto& [at, operation] : open) {
    const ProgramOp& op = job_.Op(operation);
    if (at > now_ && op.phase == Phase::kWeightGradient)
      LayerOf(op.layer).tail += WaitedFor(op, at);
    GoOn(operation, at);
  }
  if (sent_until_ > now_) {
    LayerOf(job_.Op(last_sent_).layer).pipeline += sent_until_ - now_;
    now_ = sent_until_;
  }
  ended_ = true;
  RecordFinish();
}

void StepClock::RecordFinish() {
  context_->finishes.push_back({job_.index(), runner_->rank(), runner_->gpu(), now_});
}

void StepClock::AddStep(StepRecord::Kind kind, std::uint32_t operation, std::uint32_t layer,
                        Phase phase, Time start, Time end, std::uint32_t pass) {
  if (!context_->timeline) return;
  context_->steps.push_back(
      {job_.index(), runner_->gpu(), pass, layer, operation, phase, kind, start, end});
}

}  // namespace heddle
