// SPDX-License-Identifier: GPL-2.0-only
/// Priority flow control (IEEE 802.1Qbb): when a switch pauses the sender of a priority, and what a
/// pause does where it arrives.
///
/// A pause frame's fields: `priority`, `last` (1 pause, 0 resume), `source` (the switch that sends
/// it), `flow_number` (its egress port that fills up), `queue_pair` and `source_port` (node and
/// port where the chain of pauses began), `note` (its length). Frames jump all queues and are never
/// paused. While its link can lose frames (error rate above zero, or a failure to come) a pause is
/// renewed every half pause time by the switch that sent it and ends by itself after a whole one;
/// elsewhere that would change nothing and is left out. The first frame after a link's last failure
/// therefore holds until the resume.
#include <algorithm>
#include <numeric>

#include "transport/domain/fabric_domain.h"

namespace heddle {
namespace {

void AddToCause(const PauseCause& root, Time length, std::vector<PauseCauseRecord>* causes,
                FlatMap* index) {
  const std::uint64_t key = (static_cast<std::uint64_t>(root.node.value) << 32) | root.port.value;
  std::uint32_t at = index->Find(key);
  if (at == FlatMap::kNone) {
    at = static_cast<std::uint32_t>(causes->size());
    causes->push_back({root.node, root.port, 0, Time{0}, 0});
    index->Insert(key, at);
  }
  PauseCauseRecord& record = (*causes)[at];
  ++record.pauses;
  record.paused += length;
  record.longest_chain = std::max(record.longest_chain, root.depth);
}

}  // namespace

void FabricDomain::CheckPause(const Node& node, std::uint32_t ingress, int priority,
                              std::uint32_t egress) {
  SharedBuffer& buffer = buffers_[node.forwards];
  const std::uint32_t port = ingress - node.first_port;
  if (!buffer.ShouldPause(port, priority)) return;
  buffer.SetPaused(port, priority, true);
  SendPauseFrame(node, ingress, priority, true, egress);
  if (LosesFrames(ingress, now_)) {
    PauseStateOf(ingress).moved[priority] = now_;
    SchedulePauseTimer(ingress, priority, true,
                       now_ + Time{context_->options.pfc.pause_time.ps / 2});
  }
}

void FabricDomain::CheckResume(const Node& node, std::uint32_t ingress, int priority) {
  SharedBuffer& buffer = buffers_[node.forwards];
  if (!buffer.any_paused()) return;
  const std::uint32_t port = ingress - node.first_port;
  if (ports_[ingress].has(Port::kFaulty) && buffer.paused(port, priority))
    PauseStateOf(ingress).moved[priority] = now_;
  if (!buffer.ShouldResume(port, priority)) return;
  buffer.SetPaused(port, priority, false);
  SendPauseFrame(node, ingress, priority, false, ingress);
}

std::uint32_t* FabricDomain::WatchShares(const Node& node, std::uint32_t ingress, int priority) {
  std::uint32_t* row = shares_.Watch(ingress, priority, node.ports, ports_.size());
  watches_ = true;
  for (std::uint32_t i = 0; i < node.ports; ++i) {
    const Port& port = ports_[node.first_port + i];
    if ((port.waiting >> priority & 1) == 0) continue;
    for (std::uint32_t slot = port.queues[priority].head; slot != kNoPacket;
         slot = packet(slot).next) {
      if (packet(slot).ingress == ingress) row[i] += packet(slot).size;
    }
  }
  return row;
}

void FabricDomain::QueueChanged(const Port& port, int queue, const Packet& p, int sign) {
  if (watch_queues_) Watch(port, queue);
  if (!shares_.any() || port.has(Port::kAtHost)) return;
  std::uint32_t* row = shares_.Row(p.ingress, queue);
  if (row == nullptr) return;
  std::uint32_t& bytes =
      row[static_cast<std::uint32_t>(&port - ports_.data()) - nodes_[port.node].first_port];
  bytes = sign > 0 ? bytes + p.size : bytes - p.size;
}

std::uint32_t FabricDomain::FullestEgress(const Node& node, std::uint32_t ingress, int priority,
                                          std::uint32_t egress) {
  const std::uint32_t* row = shares_.Row(ingress, priority);
  if (row == nullptr) row = WatchShares(node, ingress, priority);
  const std::uint32_t first = node.first_port;
  [[maybe_unused]] const SharedBuffer& buffer = buffers_[node.forwards];
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

void FabricDomain::SendPauseFrame(const Node& node, std::uint32_t ingress, int priority, bool pause,
                                  std::uint32_t egress) {
  if (ports_[ingress].has(Port::kDown)) return;
  Packet frame{};
  frame.source = node.id;
  frame.destination = NodeId();
  frame.size = static_cast<std::uint16_t>(kPauseBytes);
  frame.kind = PacketKind::kPause;
  frame.priority = static_cast<std::uint8_t>(priority) & 7;
  frame.last = pause ? 1 : 0;
  if (pause) {
    egress = FullestEgress(node, ingress, priority, egress);
    PauseCause root{node.id, NumberOf(egress), 0};
    const Port& out = ports_[egress];
    if ((out.paused >> priority & 1) != 0) {
      root = pause_states_[extras_[egress].pause_state].root[priority];
      ++root.depth;
    }
    frame.flow_number = NumberOf(egress).value;
    frame.queue_pair = root.node.value;
    frame.source_port = static_cast<std::uint16_t>(root.port.value);
    frame.note = std::min(root.depth, 0xffffffU) & 0xffffff;
  }
  SendOwn(ingress, frame, 0, nullptr);
}

PauseState& FabricDomain::PauseStateOf(std::uint32_t index) {
  PortExtras& extras = extras_[index];
  if (extras.pause_state == kNone) {
    extras.pause_state = pause_states_.Allocate();
    pause_states_[extras.pause_state] = PauseState();
  }
  return pause_states_[extras.pause_state];
}

void FabricDomain::ReceivePauseFrame(std::uint32_t index, const Packet& frame) {
  ++books_.received_packets;
  books_.received_bytes += frame.size;
  const int priority = frame.priority;
  const bool was_paused = (ports_[index].paused >> priority & 1) != 0;
  if (frame.last == 0) {
    if (was_paused) EndPause(index, priority);
    return;
  }
  if (!was_paused) StartPause(index, priority, frame);
  const Port& in = ports_[index];
  if (!in.has(Port::kFaulty)) return;
  if (!LosesFrames(index, now_)) {
    // The link failed for the last time before the frame left, or this would be lost: neither can
    // its resume be, nor is it renewed.
    PauseStateOf(index).expires[priority] = Time::Max();
    return;
  }
  const Time expiry = now_ + context_->options.pfc.pause_time;
  PauseStateOf(index).expires[priority] = expiry;
  SchedulePauseTimer(index, priority, false, expiry);
}

void FabricDomain::StartPause(std::uint32_t index, int priority, const Packet& frame) {
  Port& port = ports_[index];
  port.paused = static_cast<std::uint8_t>(port.paused | (1U << priority));
  PauseState& state = PauseStateOf(index);
  state.since[priority] = now_;
  state.root[priority] = {NodeId(frame.queue_pair), PortId(frame.source_port),
                          static_cast<std::uint32_t>(frame.note)};
  state.cause[priority] = {frame.source, PortId(frame.flow_number), 0};
  ++extras_[index].pauses;
  ++books_.pauses;
  RecordPause(index, priority, true);
}

void FabricDomain::EndPause(std::uint32_t index, int priority) {
  Port& port = ports_[index];
  port.paused = static_cast<std::uint8_t>(port.paused & ~(1U << priority));
  PauseState& state = PauseStateOf(index);
  const Time length = now_ - state.since[priority];
  extras_[index].paused_total += length;
  state.expires[priority] = Time::Max();
  AddToCause(state.root[priority], length, &causes_, &cause_index_);
  RecordPause(index, priority, false);
  Send(port, index);
}

void FabricDomain::RecordPause(std::uint32_t index, int priority, bool pause) {
  if (!context_->options.monitors.pfc || now_ < context_->options.monitors.start) return;
  const PauseState& state = PauseStateOf(index);
  const PauseCause& cause = state.cause[priority];
  const PauseCause& root = state.root[priority];
  monitored_.pauses.push_back({now_, nodes_[ports_[index].node].id, NumberOf(index),
                               static_cast<std::uint8_t>(priority),
                               static_cast<std::uint8_t>(pause ? 1 : 0), cause.node, cause.port,
                               root.node, root.port, root.depth});
}

void FabricDomain::ForgetPauses(std::uint32_t index) {
  for (int priority = 0; priority < kPriorities; ++priority) {
    if ((ports_[index].paused >> priority & 1) != 0) EndPause(index, priority);
  }
}

std::vector<PauseCauseRecord> FabricDomain::PauseCauses(Time end) const {
  std::vector<PauseCauseRecord> causes = causes_;
  FlatMap index = cause_index_;
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    for (int priority = 0; priority < kPriorities; ++priority) {
      if ((ports_[port].paused >> priority & 1) == 0) continue;
      const PauseState& state = pause_states_[extras_[port].pause_state];
      AddToCause(state.root[priority], std::max(Time{0}, end - state.since[priority]), &causes,
                 &index);
    }
  }
  return causes;
}

Time FabricDomain::PausedTime(std::uint32_t index, Time end) const {
  Time total = extras_[index].paused_total;
  for (int priority = 0; priority < kPriorities; ++priority) {
    if ((ports_[index].paused >> priority & 1) == 0) continue;
    total += std::max(Time{0}, end - pause_states_[extras_[index].pause_state].since[priority]);
  }
  return total;
}

void FabricDomain::SchedulePauseTimer(std::uint32_t index, int priority, bool renew, Time time) {
  if (renew) PauseStateOf(index).renews[priority] = time;
  const std::uint32_t which = static_cast<std::uint32_t>(priority) << 1 | (renew ? 1U : 0U);
  const Node& node = nodes_[ports_[index].node];
  queue_.Push({time, EventOrder(node.id, NumberOf(index), kPauseTimer, which).bits(),
               index << 4 | which, 0});
}

bool FabricDomain::PauseTimerIsDue(std::uint32_t argument, Time time) {
  const std::uint32_t index = argument >> 4;
  const int priority = static_cast<int>(argument >> 1 & 7);
  const PauseState& state = PauseStateOf(index);
  if ((argument & 1) == 0)
    return (ports_[index].paused >> priority & 1) != 0 && state.expires[priority] == time;
  const Node& node = nodes_[ports_[index].node];
  return state.renews[priority] == time &&
         buffers_[node.forwards].paused(index - node.first_port, priority) &&
         time - state.moved[priority] <= context_->options.pfc.watchdog;
}

void FabricDomain::PauseTimer(std::uint32_t argument) {
  const std::uint32_t index = argument >> 4;
  const int priority = static_cast<int>(argument >> 1 & 7);
  if ((argument & 1) == 0) {
    EndPause(index, priority);
    return;
  }
  SendPauseFrame(nodes_[ports_[index].node], index, priority, true, index);
  if (LosesFrames(index, now_))
    SchedulePauseTimer(index, priority, true, now_ + Time{context_->options.pfc.pause_time.ps / 2});
}

std::vector<PauseEdge> FabricDomain::PauseEdges() const {
  std::vector<PauseEdge> edges;
  for (const Node& node : nodes_) {
    if (node.kind != NodeKind::kSwitch) continue;
    const SharedBuffer& buffer = buffers_[node.forwards];
    for (std::uint32_t index = node.first_port; index < node.first_port + node.ports; ++index) {
      for (int priority = 0; priority < kPriorities; ++priority) {
        if ((ports_[index].waiting >> priority & 1) == 0) continue;
        std::vector<bool> seen(node.ports, false);
        for (std::uint32_t slot = ports_[index].queues[priority].head; slot != kNoPacket;
             slot = packet(slot).next) {
          if (packet(slot).ingress == kOwnPacket) continue;
          const std::uint32_t in_port = packet(slot).ingress - node.first_port;
          if (seen[in_port] || !buffer.paused(in_port, priority)) continue;
          seen[in_port] = true;
          const Attachment& from = context_->graph->ports(node.id)[in_port];
          edges.push_back({from.peer, from.peer_port, static_cast<std::uint8_t>(priority), node.id,
                           NumberOf(index)});
        }
      }
    }
  }
  return edges;
}

}  // namespace heddle
