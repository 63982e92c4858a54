// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/lockstep/stage_clock.h"

#include <algorithm>
#include <utility>

namespace heddle {

StageClock::StageClock(const Job& job, std::uint32_t stage, StagePrices* prices, Arrivals* arrivals)
    : job_(job), stage_(stage), prices_(prices), arrivals_(arrivals), now_(job.start) {}

StageClock::Part StageClock::PartIn(std::uint32_t op) const {
  const CollectiveSpec& spec = job_.program.ops[op].spec;
  if (!IsBetweenTwo(spec)) return Part::kMember;
  if (spec.root == stage_) return Part::kSender;
  return spec.peer == stage_ ? Part::kReceiver : Part::kNone;
}

bool StageClock::Advance() {
  bool any = false;
  const std::vector<ProgramStep>& steps = job_.program.steps[stage_];
  while (!ended_) {
    if (step_ == steps.size()) {
      step_ = 0;
      if (++pass_ < job_.program.passes) continue;
      pass_ = job_.program.passes;
    }
    if (pass_ == job_.program.passes) {
      const bool unknown = std::any_of(open_.begin(), open_.end(), [this](const auto& one) {
        return one.second == Time::Max() && arrivals_->count(one.first) == 0;
      });
      if (unknown) return any;
      End();
      return true;
    }
    if (!Do(steps[step_])) return any;
    ++step_;
    any = true;
  }
  return any;
}

bool StageClock::Do(const ProgramStep& step) {
  const std::uint32_t number = pass_ * ops() + step.op;
  switch (step.kind) {
    case ProgramStep::Kind::kCompute: {
      const Time time = prices_->TimeOf(step);
      record_.computed += time;
      now_ = now_ + time;
      return true;
    }
    case ProgramStep::Kind::kPause:
      now_ = now_ + step.time;
      return true;
    case ProgramStep::Kind::kOverlapped:
      Issue(number);
      return true;
    case ProgramStep::Kind::kBlocking:
      // A step that waits is done again: the operation was begun by then.
      if (open_.count(number) == 0) Issue(number);
      if (PartIn(step.op) == Part::kSender) GoOn(number, arrivals_->at(number) + Op(number).update);
      return WaitFor(number);
    case ProgramStep::Kind::kWait:
      if (open_.count(number) != 0) return WaitFor(number);
      return pass_ == 0 || WaitFor(number - ops());
  }
  return true;
}

void StageClock::Issue(std::uint32_t number) {
  const ProgramOp& op = Op(number);
  const std::uint32_t index = number % ops();
  const Part part = PartIn(index);
  if (part == Part::kNone) return;
  if (part == Part::kReceiver) {
    open_[number] = Time::Max();
    received_[number] = now_;
    return;
  }
  const Time price = prices_->PriceOf(index, stage_);
  const bool takes_turns = op.spec.operation != Operation::kSendRecv;
  Time& free_at = free_at_[static_cast<std::size_t>(op.spec.group)];
  const Time end = (takes_turns ? std::max(now_, free_at) : now_) + price;
  if (takes_turns) free_at = end;
  if (part == Part::kSender) {
    arrivals_->emplace(number, end);
    sent_until_ = std::max(sent_until_, end + op.update);
  } else {
    open_[number] = end + op.update;
  }
}

bool StageClock::WaitFor(std::uint32_t number) {
  const auto found = open_.find(number);
  if (found == open_.end()) return true;
  Time end = found->second;
  if (end == Time::Max()) {
    const auto arrival = arrivals_->find(number);
    if (arrival == arrivals_->end()) return false;
    end = std::max(received_[number], arrival->second) + Op(number).update;
    received_.erase(number);
  }
  open_.erase(found);
  GoOn(number, end);
  return true;
}

void StageClock::GoOn(std::uint32_t number, Time at) {
  if (at <= now_) return;
  record_.waited[static_cast<std::size_t>(Op(number).spec.group)] += at - now_;
  now_ = at;
}

void StageClock::End() {
  std::vector<std::pair<Time, std::uint32_t>> ends;
  for (const auto& [number, end] : open_) {
    const bool known = end != Time::Max();
    ends.emplace_back(
        known ? end : std::max(received_[number], (*arrivals_)[number]) + Op(number).update,
        number);
  }
  std::sort(ends.begin(), ends.end());
  for (const auto& [end, number] : ends) GoOn(number, end);
  if (sent_until_ > now_) {
    record_.waited[static_cast<std::size_t>(GroupType::kPipeline)] += sent_until_ - now_;
    now_ = sent_until_;
  }
  record_.end = now_;
  ended_ = true;
}

}  // namespace heddle
