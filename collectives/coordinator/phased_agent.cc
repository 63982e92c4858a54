// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/coordinator/phased_agent.h"

#include <algorithm>
#include <optional>
#include <set>

#include "collectives/phased/chunk_deadlock.h"

namespace heddle {

void PhasedAgent::Begin(FlowPoster* port) {
  port_ = std::make_unique<PhasedPort>(
      planner_, port, gpus_.nodes(),
      [this](const CollectiveName& name, NodeId node, Time when) { Completed(name, node, when); },
      [this](const CollectiveName& name, std::uint32_t phase, const PhaseDelays& delays) {
        gpus_.context().AddDelays(name, phase, delays);
      });
  gpus_.Begin(port_.get());
}

void PhasedAgent::Woken() {
  scheduler().next_wake() <= gpus_.next_wake() ? scheduler().Woken() : gpus_.Woken();
}

void PhasedAgent::Sent(const FlowCookie& cookie, Time when) {
  if (!IsOfChunk(cookie)) gpus_.Sent(cookie.As<MessageName>(), when);
}

void PhasedAgent::Received(const FlowCookie& cookie, Time when) {
  if (IsOfChunk(cookie)) return scheduler().Received(cookie, when);
  gpus_.Received(cookie.As<MessageName>(), when);
}

bool PhasedAgent::Knows(const FlowCookie& cookie, NodeId source, NodeId destination) const {
  if (IsOfChunk(cookie)) return KnowsChunk(cookie.As<PhasedName>(), source, destination);
  return gpus_.Knows(cookie.As<MessageName>(), source, destination);
}

bool PhasedAgent::Awaits(const std::vector<Time>& wakes) const {
  std::vector<Time> own = gpus_.wakes();
  const std::set<Time>& more = scheduler().wakes();
  own.insert(own.end(), more.begin(), more.end());
  std::sort(own.begin(), own.end());
  return wakes == own;
}

void PhasedAgent::Save(StateWriter* to) const {
  gpus_.SaveGpus(to);
  scheduler().Save(to);
  gpus_.SaveSwitches(to);
}

void PhasedAgent::Load(StateReader* from) {
  gpus_.LoadGpus(from);
  scheduler().Load(
      from, [this](const CollectiveName& name, NodeId npu) { return gpus_.CallAt(name, npu); });
  gpus_.LoadSwitches(from);
}

bool PhasedAgent::IsOfChunk(const FlowCookie& cookie) {
  static_assert(static_cast<int>(Connection::kRing) == 0 && sizeof(PhasedName) == 32);
  return cookie.As<PhasedName>().unused == 0;
}

bool PhasedAgent::KnowsChunk(const PhasedName& name, NodeId source, NodeId destination) const {
  const bool ends =
      (!source.valid() || name.source == source.value) &&
      (destination.valid() ? name.node == destination.value : scheduler().has(NodeId(name.node)));
  const CollectiveName collective{name.operation, name.group, name.job};
  const std::optional<CollectiveCall> call = gpus_.CallAt(collective, NodeId(name.node));
  return ends && call && gpus_.CallAt(collective, NodeId(name.source)) &&
         scheduler().Has(*call, name);
}

}  // namespace heddle
