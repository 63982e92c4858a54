// SPDX-License-Identifier: GPL-2.0-only
// What a sender does when ACKs stay away: one event a host, at the earliest deadline of its queue
// pairs.
#include <algorithm>
#include <vector>

#include "transport/host/sender.h"

namespace heddle {

void Sender::ArmTimeout(DomainState& state, std::uint32_t node, Time deadline) {
  Time& pending = timeout_at_[state.nodes_[node].host];
  if (pending <= deadline) return;
  pending = deadline;
  state.queue_.Push({deadline,
                     EventOrder(state.nodes_[node].id, PortId(0), FabricEvent::kTimeout).bits(),
                     node, 0});
}

Time Sender::NextTimeout(const DomainState& state, const Node& node) const {
  Time earliest = Time::Max();
  for (std::uint32_t index = node.first_port; index < node.first_port + node.ports; ++index) {
    nics_.ForEach(state.ports_[index], [&](std::uint32_t slot) {
      earliest = std::min(earliest, TimeoutOf(state, slot));
    });
  }
  return earliest;
}

bool Sender::TimeoutIsDue(DomainState& state, std::uint32_t node, Time time) {
  Time& pending = timeout_at_[state.nodes_[node].host];
  if (pending != time) return false;
  const Time earliest = NextTimeout(state, state.nodes_[node]);
  if (earliest <= time) return true;
  pending = Time::Max();
  if (earliest < Time::Max()) ArmTimeout(state, node, earliest);
  return false;
}

void Sender::Timeouts(DomainState& state, std::uint32_t node) {
  timeout_at_[state.nodes_[node].host] = Time::Max();
  const Node at = state.nodes_[node];
  std::vector<std::uint32_t> expired;
  for (std::uint32_t index = at.first_port; index < at.first_port + at.ports; ++index) {
    nics_.ForEach(state.ports_[index], [&](std::uint32_t slot) {
      if (TimeoutOf(state, slot) <= state.now_) expired.push_back(slot);
    });
  }
  for (std::uint32_t slot : expired) TimeOut(state, slot);
  const Time next = NextTimeout(state, at);
  if (next < Time::Max()) ArmTimeout(state, node, next);
}

void Sender::TimeOut(DomainState& state, std::uint32_t slot) {
  QueuePair& pair = pairs_[slot];
  const TransportOptions& options = state.context_->options;
  if (pair.ultra != 0) {
    if (uec_.Expire(state, slot, &pair)) {
      UpdateUec(state, slot);
    } else {
      End(state, slot, FlowState::kRetryLimit);
    }
    return;
  }
  ++state.books_.timeouts;
  if (pair.recovery.timeouts < 0xffff) ++pair.recovery.timeouts;
  pair.recovery.waited += state.now_ - pair.last_progress;
  if (pair.timeouts >= options.reliability.retry_limit) {
    End(state, slot, FlowState::kRetryLimit);
    return;
  }
  ++pair.timeouts;
  pair.last_progress = state.now_;
  const std::int64_t lost = reliability_.OnTimeout(slot, &pair);
  if (lost != kNoByte && pair.sprays != 0) CountLost(state, slot, lost);
  UpdateReadiness(state, slot);
}

}  // namespace heddle
