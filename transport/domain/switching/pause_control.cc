// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/switching/pause_control.h"

#include <algorithm>
#include <numeric>

#include "core/containers/state_count.h"

namespace heddle {
namespace {

/// Whether a frame that leaves the port's link at `time` or later may be lost; if not, pauses need
/// no renewal.
bool LosesFrames(const DomainState& state, std::uint32_t port, Time time) {
  return state.ports()[port].has(Port::kFaulty) &&
         (state.extras()[port].error_rate > 0 || time <= state.extras()[port].fails_until);
}

int PriorityOfTimer(std::uint32_t argument) { return static_cast<int>(argument >> 1 & 7); }

}  // namespace

void PauseControl::CheckPause(DomainState& state, const Node& node, SharedBuffer* buffer,
                              std::uint32_t ingress, int priority, std::uint32_t egress) {
  const std::uint32_t port = ingress - node.first_port;
  if (!buffer->ShouldPause(port, priority)) return;
  buffer->SetPaused(port, priority, true);
  SendFrame(state, node, *buffer, ingress, priority, true, egress);
  if (LosesFrames(state, ingress, state.now())) {
    StateOf(state, ingress).moved[priority] = state.now();
    ScheduleTimer(state, ingress, priority, true,
                  state.now() + Time{state.context().options.pfc.pause_time.ps / 2});
  }
}

void PauseControl::CheckPaused(DomainState& state, const Node& node, SharedBuffer* buffer,
                               std::uint32_t ingress, int priority) {
  const std::uint32_t port = ingress - node.first_port;
  if (state.ports()[ingress].has(Port::kFaulty) && buffer->paused(port, priority))
    StateOf(state, ingress).moved[priority] = state.now();
  if (!buffer->ShouldResume(port, priority)) return;
  buffer->SetPaused(port, priority, false);
  SendFrame(state, node, *buffer, ingress, priority, false, ingress);
}

std::uint32_t* PauseControl::WatchShares(DomainState& state, const Node& node,
                                         std::uint32_t ingress, int priority) {
  std::uint32_t* row = shares_.Watch(ingress, priority, node.ports, state.ports().size());
  state.WatchQueues();
  for (std::uint32_t i = 0; i < node.ports; ++i) {
    const Port& port = state.ports()[node.first_port + i];
    if ((port.waiting >> priority & 1) == 0) continue;
    for (std::uint32_t slot = port.queues[priority].head; slot != kNoPacket;
         slot = state.packet(slot).next) {
      if (state.packet(slot).ingress == ingress) row[i] += state.packet(slot).size;
    }
  }
  return row;
}

void PauseControl::QueueChanged(const DomainState& state, const Port& port, int queue,
                                const Packet& p, int sign) {
  if (!shares_.any() || port.has(Port::kAtHost)) return;
  std::uint32_t* row = shares_.Row(p.ingress, queue);
  if (row == nullptr) return;
  std::uint32_t& bytes = row[static_cast<std::uint32_t>(&port - state.ports().data()) -
                             state.nodes()[port.node].first_port];
  bytes = sign > 0 ? bytes + p.size : bytes - p.size;
}

std::uint32_t PauseControl::FullestEgress(DomainState& state, const Node& node,
                                          [[maybe_unused]] const SharedBuffer& buffer,
                                          std::uint32_t ingress, int priority,
                                          std::uint32_t egress) {
  const std::uint32_t* row = shares_.Row(ingress, priority);
  if (row == nullptr) row = WatchShares(state, node, ingress, priority);
  const std::uint32_t first = node.first_port;
  HEDDLE_ASSERT(std::accumulate(row, row + node.ports, std::int64_t{0}) ==
                buffer.ingress(ingress - first, priority) +
                    buffer.headroom_used(ingress - first, priority));
  std::uint32_t fullest = egress;
  for (std::uint32_t i = 0; i < node.ports; ++i) {
    const bool earlier = row[i] == row[fullest - first] && first + i < fullest && row[i] > 0;
    if (row[i] > row[fullest - first] || earlier) fullest = first + i;
  }
  return fullest;
}

void PauseControl::SendFrame(DomainState& state, const Node& node, const SharedBuffer& buffer,
                             std::uint32_t ingress, int priority, bool pause,
                             std::uint32_t egress) {
  if (state.ports()[ingress].has(Port::kDown)) return;
  Packet frame{};
  frame.source = node.id;
  frame.destination = NodeId();
  frame.size = static_cast<std::uint16_t>(kPauseBytes);
  frame.kind = PacketKind::kPause;
  frame.priority = static_cast<std::uint8_t>(priority) & 7;
  frame.last = pause ? 1 : 0;
  if (pause) {
    egress = FullestEgress(state, node, buffer, ingress, priority, egress);
    PauseCause root{node.id, state.NumberOf(egress), 0};
    const Port& out = state.ports()[egress];
    if ((out.paused >> priority & 1) != 0) {
      root = states_[state.extras()[egress].pause_state].root[priority];
      ++root.depth;
    }
    frame.flow_number = state.NumberOf(egress).value;
    frame.queue_pair = root.node.value;
    frame.source_port = static_cast<std::uint16_t>(root.port.value);
    frame.note = std::min(root.depth, 0xffffffU) & 0xffffff;
  }
  state.SendOwn(ingress, frame, 0, nullptr);
}

PauseState& PauseControl::StateOf(DomainState& state, std::uint32_t index) {
  PortExtras& extras = state.extras()[index];
  if (extras.pause_state == DomainState::kNone) {
    extras.pause_state = states_.Allocate();
    states_[extras.pause_state] = PauseState();
  }
  return states_[extras.pause_state];
}

void PauseControl::Receive(DomainState& state, std::uint32_t index, const Packet& frame) {
  ++state.books().received_packets;
  state.books().received_bytes += frame.size;
  const int priority = frame.priority;
  const bool was_paused = (state.ports()[index].paused >> priority & 1) != 0;
  if (frame.last == 0) {
    if (was_paused) End(state, index, priority);
    return;
  }
  if (!was_paused) Start(state, index, priority, frame);
  const Port& in = state.ports()[index];
  if (!in.has(Port::kFaulty)) return;
  if (!LosesFrames(state, index, state.now())) {
    // The link failed for the last time before the frame left, or this would be lost: neither can
    // its resume be, nor is it renewed.
    StateOf(state, index).expires[priority] = Time::Max();
    return;
  }
  const Time expiry = state.now() + state.context().options.pfc.pause_time;
  StateOf(state, index).expires[priority] = expiry;
  ScheduleTimer(state, index, priority, false, expiry);
}

void PauseControl::Start(DomainState& state, std::uint32_t index, int priority,
                         const Packet& frame) {
  Port& port = state.ports()[index];
  port.paused = static_cast<std::uint8_t>(port.paused | (1U << priority));
  PauseState& pause = StateOf(state, index);
  pause.since[priority] = state.now();
  pause.root[priority] = {NodeId(frame.queue_pair), PortId(frame.source_port),
                          static_cast<std::uint32_t>(frame.note)};
  pause.cause[priority] = {frame.source, PortId(frame.flow_number), 0};
  ++state.extras()[index].pauses;
  ++state.books().pauses;
  Record(state, index, priority, true);
}

void PauseControl::End(DomainState& state, std::uint32_t index, int priority) {
  Port& port = state.ports()[index];
  port.paused = static_cast<std::uint8_t>(port.paused & ~(1U << priority));
  PauseState& pause = StateOf(state, index);
  const Time length = state.now() - pause.since[priority];
  state.extras()[index].paused_total += length;
  pause.expires[priority] = Time::Max();
  const PauseCause& root = pause.root[priority];
  state.ledger().pause_causes().Add(root.node, root.port, root.depth, length);
  Record(state, index, priority, false);
  Send(state, port, index);
}

void PauseControl::Record(DomainState& state, std::uint32_t index, int priority, bool pauses) {
  const PauseState& pause = StateOf(state, index);
  PauseRecord record;
  record.time = state.now();
  record.node = state.NodeOf(state.ports()[index]).id;
  record.port = state.NumberOf(index);
  record.priority = static_cast<std::uint8_t>(priority);
  record.pause = pauses ? 1 : 0;
  record.cause_node = pause.cause[priority].node;
  record.cause_port = pause.cause[priority].port;
  record.root_node = pause.root[priority].node;
  record.root_port = pause.root[priority].port;
  record.depth = pause.root[priority].depth;
  state.sampler().AddPause(record);
}

void PauseControl::Forget(DomainState& state, std::uint32_t index) {
  for (int priority = 0; priority < kPriorities; ++priority) {
    if ((state.ports()[index].paused >> priority & 1) != 0) End(state, index, priority);
  }
}

std::vector<PauseCauseRecord> PauseControl::Causes(const DomainState& state, Time end) const {
  PauseCauses causes = state.ledger().pause_causes();
  for (std::uint32_t port = 0; port < state.ports().size(); ++port) {
    for (int priority = 0; priority < kPriorities; ++priority) {
      if ((state.ports()[port].paused >> priority & 1) == 0) continue;
      const PauseState& pause = states_[state.extras()[port].pause_state];
      const PauseCause& root = pause.root[priority];
      causes.Add(root.node, root.port, root.depth, std::max(Time{0}, end - pause.since[priority]));
    }
  }
  return causes.records();
}

Time PauseControl::PausedTime(const DomainState& state, std::uint32_t index, Time end) const {
  Time total = state.extras()[index].paused_total;
  for (int priority = 0; priority < kPriorities; ++priority) {
    if ((state.ports()[index].paused >> priority & 1) == 0) continue;
    total += std::max(Time{0}, end - states_[state.extras()[index].pause_state].since[priority]);
  }
  return total;
}

void PauseControl::ScheduleTimer(DomainState& state, std::uint32_t index, int priority, bool renew,
                                 Time time) {
  if (renew) StateOf(state, index).renews[priority] = time;
  const std::uint32_t which = static_cast<std::uint32_t>(priority) << 1 | (renew ? 1U : 0U);
  const Node& node = state.nodes()[state.ports()[index].node];
  state.queue().Push(
      {time, EventOrder(node.id, state.NumberOf(index), FabricEvent::kPauseTimer, which).bits(),
       index << 4 | which, 0});
}

bool PauseControl::TimerIsDue(DomainState& state, const SharedBuffer* buffer,
                              std::uint32_t argument, Time time) {
  const std::uint32_t index = PortOfTimer(argument);
  const int priority = PriorityOfTimer(argument);
  const PauseState& pause = StateOf(state, index);
  if (!Renews(argument))
    return (state.ports()[index].paused >> priority & 1) != 0 && pause.expires[priority] == time;
  const Node& node = state.NodeOf(state.ports()[index]);
  return pause.renews[priority] == time && buffer->paused(index - node.first_port, priority) &&
         time - pause.moved[priority] <= state.context().options.pfc.watchdog;
}

void PauseControl::Timer(DomainState& state, const SharedBuffer* buffer, std::uint32_t argument) {
  const std::uint32_t index = PortOfTimer(argument);
  const int priority = PriorityOfTimer(argument);
  if (!Renews(argument)) {
    End(state, index, priority);
    return;
  }
  SendFrame(state, state.NodeOf(state.ports()[index]), *buffer, index, priority, true, index);
  if (LosesFrames(state, index, state.now()))
    ScheduleTimer(state, index, priority, true,
                  state.now() + Time{state.context().options.pfc.pause_time.ps / 2});
}

void PauseControl::Check(const DomainState& state, std::uint32_t index) const {
  const Port& port = state.ports()[index];
  const std::uint32_t slot = state.extras()[index].pause_state;
  const bool known = slot < states_.size();
  ExpectState(known || (slot == DomainState::kNone && port.paused == 0),
              "a pause that nobody knows of");
  for (int priority = 0; known && priority < kPriorities; ++priority) {
    const bool paused = (port.paused >> priority & 1) != 0;
    const NodeId root = states_[slot].root[priority].node;
    ExpectState(!paused || root.value < state.context().graph->node_count(),
                "a pause from nowhere");
  }
}

std::vector<PauseEdge> PauseControl::Edges(const DomainState& state,
                                           const std::vector<SharedBuffer>& buffers) const {
  std::vector<PauseEdge> edges;
  for (const Node& node : state.nodes()) {
    if (node.kind != NodeKind::kSwitch) continue;
    const SharedBuffer& buffer = buffers[node.forwards];
    for (std::uint32_t index = node.first_port; index < node.first_port + node.ports; ++index) {
      for (int priority = 0; priority < kPriorities; ++priority) {
        if ((state.ports()[index].waiting >> priority & 1) == 0) continue;
        std::vector<bool> seen(node.ports, false);
        for (std::uint32_t slot = state.ports()[index].queues[priority].head; slot != kNoPacket;
             slot = state.packet(slot).next) {
          if (state.packet(slot).ingress == DomainState::kOwnPacket) continue;
          const std::uint32_t in_port = state.packet(slot).ingress - node.first_port;
          if (seen[in_port] || !buffer.paused(in_port, priority)) continue;
          seen[in_port] = true;
          const Attachment& from = state.context().graph->ports(node.id)[in_port];
          edges.push_back({from.peer, from.peer_port, static_cast<std::uint8_t>(priority), node.id,
                           state.NumberOf(index)});
        }
      }
    }
  }
  return edges;
}

}  // namespace heddle
