// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/phased/chunk_scheduler.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/base/memory_account.h"
#include "core/checkpoint/state_archive.h"
#include "core/containers/state_count.h"

namespace heddle {

ChunkScheduler::ChunkScheduler(const PhasePlanner* planner, FlowPoster* port,
                               const std::vector<NodeId>& npus, Completed completed,
                               DelayedCall delayed)
    : planner_(*planner),
      port_(port),
      completed_(std::move(completed)),
      delayed_(std::move(delayed)) {
  NpuActions* actions = this;
  for (const NodeId npu : npus)
    npus_.push_back(std::make_unique<NpuScheduler>(planner, npu, actions));
}

NpuScheduler* ChunkScheduler::Find(NodeId npu) const {
  const auto at = std::lower_bound(
      npus_.begin(), npus_.end(), npu,
      [](const std::unique_ptr<NpuScheduler>& n, NodeId id) { return n->npu() < id; });
  return at != npus_.end() && (*at)->npu() == npu ? at->get() : nullptr;
}

std::uint32_t ChunkScheduler::DimensionsOf(const CollectiveCall& call) const {
  const auto [at, is_new] =
      dimensions_.try_emplace({call.name.job, call.group_type, call.name.group}, 0);
  if (is_new) {
    at->second = planner_.DimensionsOf(call.members, call.ranks,
                                       fmt::format("job {}, group {} of {}", call.name.job,
                                                   call.name.group, ToText(call.group_type)));
  }
  return at->second;
}

void ChunkScheduler::Begin(const CollectiveCall& call) {
  Find(call.node())->Begin(call, DimensionsOf(call), call.start < port_->Now());
}

void ChunkScheduler::Received(const FlowCookie& cookie, Time when) {
  const PhasedName name = cookie.As<PhasedName>();
  Find(NodeId(name.node))->Received(name, when);
}

void ChunkScheduler::At(Time when, const NpuAction& action) {
  actions_.insert({when, action});
  if (wakes_.insert(when).second) port_->WakeAt(when);
}

void ChunkScheduler::Woken() {
  const Time now = *wakes_.begin();
  while (!actions_.empty() && actions_.begin()->first <= now) {
    const NpuAction action = actions_.begin()->second;
    actions_.erase(actions_.begin());
    Find(NodeId(action.npu))->Act(action, now);
  }
  wakes_.erase(now);
}

bool ChunkScheduler::Has(const CollectiveCall& call, const PhasedName& name) const {
  const PhasePlan plan = planner_.Plan(call.operation, call.bytes, DimensionsOf(call));
  if (name.phase >= plan.phases.size() || name.chunk >= plan.chunks) return false;
  const PlannedPhase& phase = plan.phases[name.phase];
  return name.number < phase.steps.messages &&
         phase.steps.DistanceOf(name.number,
                                planner_.PlaceOf(NodeId(name.source), phase, name.chunk)) > 0;
}

bool ChunkScheduler::Awaits(const std::vector<Time>& wakes) const {
  return std::equal(wakes.begin(), wakes.end(), wakes_.begin(), wakes_.end());
}

void ChunkScheduler::Save(StateWriter* to) const {
  for (const auto& npu : npus_) npu->Save(to);
  StateCount actions(actions_.size()), wakes(wakes_.size());
  *to << actions << wakes;
  for (const auto& [when, action] : actions_) *to << when << action;
  for (const Time when : wakes_) *to << when;
}

void ChunkScheduler::Load(StateReader* from, const FindCall& find_call) {
  const auto call_of = [&](const CollectiveName& name, NodeId npu) {
    const std::optional<CollectiveCall> call = find_call(name, npu);
    if (!call) return KnownCall();
    return KnownCall{true, call->operation, call->bytes, DimensionsOf(*call)};
  };
  for (const auto& npu : npus_) npu->Load(from, call_of);
  actions_.clear();
  wakes_.clear();
  StateCount actions, wakes;
  *from >> actions >> wakes;
  std::map<std::uint32_t, std::vector<NpuAction>> of_npu;
  for (std::size_t i = 0; i < actions; ++i) {
    Time when;
    NpuAction action;
    *from >> when >> action;
    ExpectState(Find(NodeId(action.npu)) != nullptr, "a chunk of an NPU that is elsewhere");
    ExpectState(actions_.insert({when, action}).second, "an action of an NPU twice");
    of_npu[action.npu].push_back(action);
  }
  for (std::size_t i = 0; i < wakes; ++i) {
    Time when;
    *from >> when;
    wakes_.insert(when);
  }
  for (const auto& [when, action] : actions_)
    ExpectState(wakes_.count(when) > 0, "an action of an NPU that nothing wakes");
  for (const auto& npu : npus_) npu->Check(of_npu[npu->npu().value]);
}

std::size_t ChunkScheduler::memory() const {
  std::size_t sum = sizeof *this + MemoryOf(npus_) + MemoryOfTree(dimensions_) +
                    MemoryOfTree(actions_) + MemoryOfTree(wakes_);
  for (const auto& npu : npus_) sum += npu->memory();
  return sum;
}

}  // namespace heddle
