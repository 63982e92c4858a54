// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/sending/flow_timeouts.h"

#include <algorithm>
#include <vector>

namespace heddle {

Time FlowTimeouts::Next(const DomainState& state, const Node& node) const {
  Time earliest = Time::Max();
  for (std::uint32_t index = node.first_port; index < node.first_port + node.ports; ++index) {
    own_.nics.ForEach(state.ports()[index], [&](std::uint32_t slot) {
      earliest = std::min(earliest, own_.DeadlineOf(state, slot));
    });
  }
  return earliest;
}

bool FlowTimeouts::IsDue(DomainState& state, std::uint32_t node, Time time) {
  const std::uint32_t host = state.nodes()[node].host;
  if (!own_.timeouts.IsPending(host, time)) return false;
  const Time earliest = Next(state, state.nodes()[node]);
  if (earliest <= time) return true;
  own_.timeouts.Clear(host);
  if (earliest < Time::Max()) own_.timeouts.Arm(state, node, earliest);
  return false;
}

void FlowTimeouts::Run(DomainState& state, std::uint32_t node) {
  own_.timeouts.Clear(state.nodes()[node].host);
  const Node at = state.nodes()[node];
  std::vector<std::uint32_t> expired;
  for (std::uint32_t index = at.first_port; index < at.first_port + at.ports; ++index) {
    own_.nics.ForEach(state.ports()[index], [&](std::uint32_t slot) {
      if (own_.DeadlineOf(state, slot) <= state.now()) expired.push_back(slot);
    });
  }
  for (std::uint32_t slot : expired) Expire(state, slot);
  const Time next = Next(state, at);
  if (next < Time::Max()) own_.timeouts.Arm(state, node, next);
}

void FlowTimeouts::Expire(DomainState& state, std::uint32_t slot) {
  QueuePair& pair = own_.pairs[slot];
  if (pair.ultra != 0) {
    ExpireUec(state, slot);
    return;
  }
  ++state.books().timeouts;
  if (pair.recovery.timeouts < 0xffff) ++pair.recovery.timeouts;
  pair.recovery.waited += state.now() - pair.last_progress;
  if (pair.timeouts >= state.context().options.reliability.retry_limit) {
    life_.End(state, slot, FlowState::kRetryLimit);
    return;
  }
  ++pair.timeouts;
  pair.last_progress = state.now();
  const std::int64_t lost = own_.reliability.OnTimeout(slot, &pair);
  if (lost != kNoByte && pair.sprays != 0) own_.CountLost(state, slot, lost);
  nic_.Update(state, slot);
}

void FlowTimeouts::ExpireUec(DomainState& state, std::uint32_t slot) {
  if (own_.uec.Expire(state, slot, &own_.pairs[slot])) {
    nic_.UpdateUec(state, slot);
  } else {
    life_.End(state, slot, FlowState::kRetryLimit);
  }
}

}  // namespace heddle
