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
                               const std::vector<NodeId>& npus, Completed completed)
    : planner_(*planner), port_(port), completed_(std::move(completed)) {
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

void ChunkScheduler::Begin(const CollectiveCall& call) {
  const auto [at, is_new] =
      dimensions_.try_emplace({call.name.job, call.group_type, call.name.group}, 0);
  if (is_new) {
    at->second = planner_.DimensionsOf(call.members, call.ranks,
                                       fmt::format("job {}, group {} of {}", call.name.job,
                                                   call.name.group, ToText(call.group_type)));
  }
  Find(call.node())->Begin(call, at->second);
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

bool ChunkScheduler::Knows(const FlowCookie& cookie, NodeId source, NodeId destination) const {
  const PhasedName name = cookie.As<PhasedName>();
  if (source.valid() && name.source != source.value) return false;
  return destination.valid() ? name.node == destination.value : Find(NodeId(name.node)) != nullptr;
}

void ChunkScheduler::Save(StateWriter* to) const {
  for (const auto& npu : npus_) npu->Save(to);
  StateCount actions(actions_.size()), wakes(wakes_.size());
  *to << actions << wakes;
  for (const auto& [when, action] : actions_) *to << when << action;
  for (const Time when : wakes_) *to << when;
}

void ChunkScheduler::Load(StateReader* from) {
  for (const auto& npu : npus_) npu->Load(from);
  actions_.clear();
  wakes_.clear();
  StateCount actions, wakes;
  *from >> actions >> wakes;
  for (std::size_t i = 0; i < actions; ++i) {
    Time when;
    NpuAction action;
    *from >> when >> action;
    ExpectState(Find(NodeId(action.npu)) != nullptr, "a chunk of an NPU that is elsewhere");
    actions_.insert({when, action});
  }
  for (std::size_t i = 0; i < wakes; ++i) {
    Time when;
    *from >> when;
    wakes_.insert(when);
  }
}

std::size_t ChunkScheduler::memory() const {
  std::size_t sum = sizeof *this + MemoryOf(npus_) + MemoryOfTree(dimensions_) +
                    MemoryOfTree(actions_) + MemoryOfTree(wakes_);
  for (const auto& npu : npus_) sum += npu->memory();
  return sum;
}

}  // namespace heddle
