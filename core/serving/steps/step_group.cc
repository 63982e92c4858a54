// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/steps/step_group.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/base/memory_account.h"
#include "core/containers/state_count.h"

namespace heddle {
namespace {

/// What is computed before collective `part` of `parts`: even slices of whole picoseconds.
Time SliceOf(Time computing, std::int64_t part, std::int64_t parts) {
  const auto until = [&](std::int64_t end) {
    return static_cast<std::int64_t>(__int128{computing.ps} * end / parts);
  };
  return Time{until(part + 1) - until(part)};
}

}  // namespace

StepGroup::StepGroup(const StepProgram& program, std::uint32_t instance, std::uint32_t group,
                     StepNetwork* network)
    : program_(program),
      instance_(instance),
      group_(group),
      network_(network),
      members_(program.layout().near) {
  HEDDLE_EXPECT(program.leaves_groups());
}

void StepGroup::Begin(const StepOrder& order) {
  HEDDLE_INVARIANT(order.step == next_step_,
                   fmt::format("instance {}: step {} begins where step {} was to come", instance_,
                               order.step, next_step_));
  ++next_step_;
  orders_.push_back(order);
  if (orders_.size() > 1) return;
  Enter(std::max(order.at, free_));
  GoOn();
}

void StepGroup::Enter(Time ready) {
  const StepOperation operation = now();
  begun_ = ready + SliceOf(order().computing, operation_, program_.operations());
  const Time first = begun_ + program_.Before(operation, order().tokens);
  for (std::uint32_t member = 0; member < members_.size(); ++member) {
    members_[member] = {0, first, false};
    SendRound(member, first);
  }
}

void StepGroup::SendRound(std::uint32_t member, Time at) {
  const StepLayout& layout = program_.layout();
  const std::int64_t bytes = program_.BytesOf(now(), order().tokens);
  StepMessage message{
      instance_, order().step, operation_, members_[member].round, layout.RankAt(group_, member),
      0};
  const bool exchange = IsExchange(now());
  // The next group in turn is the ring's; an exchange goes to all GPUs of all other groups, each
  // source beginning at another one.
  for (std::uint32_t step = 1; step < layout.groups; ++step) {
    const std::uint32_t group = (group_ + step) % layout.groups;
    if (!exchange) {
      message.destination = layout.RankAt(group, member);
      return network_->SendPart(message, bytes, at);
    }
    for (std::uint32_t i = 0; i < layout.near; ++i) {
      message.destination = layout.RankAt(group, (member + i) % layout.near);
      network_->SendPart(message, bytes, at);
    }
  }
}

void StepGroup::Received(const StepMessage& message, Time when) {
  const std::uint32_t member = program_.layout().MemberOf(message.destination);
  Arrivals& arrivals = arrivals_[{message.step, message.operation, message.round, member}];
  ++arrivals.count;
  arrivals.latest = std::max(arrivals.latest, when);
  const bool now_awaited = busy() && message.step == order().step &&
                           message.operation == operation_ &&
                           message.round == members_[member].round && !members_[member].done;
  if (now_awaited && Advance(member)) GoOn();
}

bool StepGroup::Advance(std::uint32_t member) {
  Member& gpu = members_[member];
  while (!gpu.done) {
    const auto found = arrivals_.find({order().step, operation_, gpu.round, member});
    if (found == arrivals_.end() || found->second.count < program_.MessagesOf(now())) return false;
    gpu.at = std::max(gpu.at, found->second.latest);
    arrivals_.erase(found);
    ++gpu.round;
    gpu.done = gpu.round == program_.RoundsOf(now());
    if (!gpu.done) SendRound(member, gpu.at);
  }
  return true;
}

void StepGroup::GoOn() {
  while (busy()) {
    bool all = true;
    for (std::uint32_t member = 0; member < members_.size(); ++member) all = Advance(member) && all;
    if (!all) return;
    Time last = begun_ + program_.Beside(now(), order().tokens);
    for (const Member& gpu : members_) last = std::max(last, gpu.at);
    last += program_.After(now(), order().tokens);
    if (++operation_ < program_.operations()) {
      Enter(last);
    } else {
      EndStep(last);
    }
  }
}

void StepGroup::EndStep(Time at) {
  orders_.pop_front();
  operation_ = 0;
  free_ = at;
  if (group_ == 0) network_->StepEnded(instance_, at);
  if (busy()) Enter(std::max(order().at, at));
}

void StepGroup::CheckState() const {
  bool sound = operation_ < program_.operations() && members_.size() == program_.layout().near;
  std::uint32_t step = next_step_ - static_cast<std::uint32_t>(orders_.size());
  for (const StepOrder& known : orders_)
    sound = sound && known.step == step++ && known.tokens > 0 && known.computing >= Time{};
  for (const Member& gpu : members_)
    sound = sound && (gpu.done || !busy() || gpu.round < program_.RoundsOf(now()));
  for (const auto& [key, arrivals] : arrivals_)
    sound = sound && key.operation < program_.operations() && key.member < members_.size() &&
            arrivals.count > 0;
  ExpectState(sound, "a step of an instance that it cannot compute");
}

std::size_t StepGroup::memory() const {
  return MemoryOf(members_) + MemoryOfTree(arrivals_) + orders_.size() * sizeof(StepOrder);
}

}  // namespace heddle
