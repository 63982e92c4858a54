// SPDX-License-Identifier: GPL-2.0-only
#include "transport/host/sender.h"

#include <algorithm>

#include "core/traffic/source_ports.h"
#include "transport/nic/flow_rows.h"
#include "transport/state/ideal_time.h"
#include "transport/state/transmit.h"

namespace heddle {
namespace {

FlowRecord RowOf(const DomainState& state, const QueuePair& pair, FlowState how) {
  FlowRecord row = RecordOf(pair);
  row.state = how;
  const IdealTimes::Flow flow = IdealTimes::FlowOf(row);
  IdealTimes& ideal_times = *state.context_->ideal_times;
  if (how == FlowState::kFinished) {
    row.completion = state.now_ - pair.start;
    row.ideal = ideal_times.OfFinished(flow, pair.start, state.now_, pair.recovery.moves > 0);
  } else {
    row.ideal = ideal_times.Of(flow, pair.start);
  }
  if (pair.post != QueuePair::kParked) row.origin = state.parts().desk.OriginOf(pair.post);
  if (pair.grant != PathClient::kNone) row.request = state.parts().paths.RequestOf(pair.grant);
  return row;
}

/// Sends the first packet that waits in the port's queues, an ACK.
bool SendQueued(DomainState& state, Port& port) {
  const std::uint32_t queues = port.sendable();
  if (queues == 0) return false;
  const std::uint32_t slot = state.Dequeue(port, __builtin_ctz(queues));
  Packet p = state.packet(slot);
  const MessageTail* tail = state.HoldTail(slot);
  state.cargo_.Free(slot);
  ++state.books_.injected_packets;
  state.books_.injected_bytes += p.size;
  state.Transmit(port, p, tail);
  return true;
}

}  // namespace

std::uint32_t Sender::Start(DomainState& state, std::uint32_t node, QueuePair pair) {
  const std::uint32_t slot = pairs_.Allocate();
  if (pair.grant != PathClient::kNone) {
    pair.source_port = state.parts().paths.Use(pair.grant, slot, pair.source_port);
  } else if (state.context_->options.nic.draws_ports()) {
    pair.source_port = RandomSourcePort(state.context_->seed, pair.flow.source, pair.destination,
                                        pair.source_port);
  }
  pair.pace.base_rtt = state.context_->max_rtt;
  pair.next_send = state.now_;
  pair.start = state.now_;
  pairs_[slot] = pair;
  rates_.Reserve(*state.context_, slot);
  reliability_.Start(slot);
  ++state.books_.flows_started;
  const std::uint32_t port = state.parts().nic_routing.Choose(
      state.nodes_[node], pair.destination, pair.source_port, pair.destination_port);
  if (port == QueuePair::kParked) return slot;
  Join(state, slot, port);
  Send(state, state.ports_[port], port);
  return slot;
}

void Sender::Grow(DomainState& state, std::uint32_t slot, std::int64_t size, bool open) {
  pairs_[slot].size = size;
  pairs_[slot].divided = open ? QueuePair::kOpen : QueuePair::kClosed;
  UpdateReadiness(state, slot);
}

void Sender::ChooseNic(DomainState& state, std::uint32_t slot) {
  const QueuePair& pair = pairs_[slot];
  const std::uint32_t port = state.parts().nic_routing.Choose(
      *state.FindNode(pair.flow.source), pair.destination, pair.source_port, pair.destination_port);
  if (port == pair.port) return;
  Leave(state, slot);
  if (port == QueuePair::kParked) return;
  Join(state, slot, port);
  Send(state, state.ports_[port], port);
}

void Sender::Join(DomainState& state, std::uint32_t slot, std::uint32_t index) {
  QueuePair& pair = pairs_[slot];
  Port& port = state.ports_[index];
  pair.port = index;
  if (pair.pace.line_rate.bps == 0) {
    rates_.Start(state, slot, &pair, index);
    if (IsUec(state, pair, index)) {
      uec_.Start(state, slot, &pair);
    } else if (state.context_->entropies.sprays()) {
      pair.sprays = 1;
      entropies_.Start(state.context_->entropies, slot, state.context_->seed, pair.flow,
                       pair.source_port, state.context_->max_rtt);
    }
  }
  if (!nics_.any(port)) CountNicTime(state, index, true);
  nics_.Join(&port, slot, &pair, pair.ready(state.context_->options.reliability.sure_of_ack()));
  // While it was parked nobody watched over what it had sent.
  const Time deadline = TimeoutOf(state, slot);
  if (deadline < Time::Max()) ArmTimeout(state, port.node, std::max(state.now_, deadline));
}

void Sender::Leave(DomainState& state, std::uint32_t slot) {
  QueuePair& pair = pairs_[slot];
  if (pair.port == QueuePair::kParked) return;
  nics_.Leave(state.ports_[pair.port], slot, &pairs_);
  if (!nics_.any(state.ports_[pair.port])) CountNicTime(state, pair.port, false);
  pair.port = QueuePair::kParked;
}

void Sender::SendNext(DomainState& state, Port& port, std::uint32_t index) {
  if (!SendQueued(state, port) && !SendData(state, port, index)) return;
  if (port.sendable() != 0 || nics_.any_ready(port)) state.WakePort(port, index, port.busy_until);
}

bool Sender::SendData(DomainState& state, Port& port, std::uint32_t index) {
  Time earliest = Time::Max();
  const std::uint32_t slot =
      nics_.Pick(&port, pairs_, state.context_->options.nic, state.now_, &earliest);
  if (slot == Nics::kNone) {
    if (earliest < Time::Max()) state.WakePort(port, index, earliest);
    return false;
  }
  Packet p = pairs_[slot].plain() ? NextPacket<true>(state, slot) : NextOther(state, slot);
  ++state.books_.injected_packets;
  state.books_.injected_bytes += p.size;
  static constexpr MessageTail kNoTelemetry{};
  state.Transmit(port, p, state.context_->tails ? &kNoTelemetry : nullptr);
  return true;
}

Packet Sender::NextOther(DomainState& state, std::uint32_t slot) {
  const QueuePair& pair = pairs_[slot];
  if (pair.ultra != 0) return NextUecPacket(state, slot);
  std::uint16_t entropy = 0;
  const bool probes = pair.sprays != 0 &&
                      entropies_.ProbeDue(state.context_->entropies, slot, state.now_, &entropy);
  return probes ? Probe(state, slot, entropy) : NextPacket<false>(state, slot);
}

template <bool kPlain>
Packet Sender::NextPacket(DomainState& state, std::uint32_t slot) {
  const FabricContext& context = *state.context_;
  QueuePair& pair = pairs_[slot];
  const Port& port = state.ports_[pair.port];
  if (!pair.in_flight()) {
    // After a NACK it still waits for the byte that it waited for.
    const Time wait = context.options.reliability.TimeoutAfter(pair.timeouts);
    if (pair.next == pair.highest || pair.last_progress + wait <= state.now_)
      pair.last_progress = state.now_;
    ArmTimeout(state, port.node, pair.last_progress + wait);
  }
  std::int64_t offset = pair.next;
  if (pair.resend != 0) {
    offset = reliability_.NextResend(slot, &pair);
    if (!kPlain && pair.sprays != 0) CountLost(state, slot, offset);
  }
  std::int64_t end = pair.size;
  if (!kPlain && pair.divided != 0)
    end = std::min(end, state.parts().desk.requests().PacketEnd(slot, offset));
  const std::int64_t payload = std::min(context.options.payload, end - offset);
  Packet p;
  p.source = pair.flow.source;
  p.destination = pair.destination;
  p.flow_number = pair.flow.number;
  p.queue_pair = slot;
  p.source_port = pair.source_port;
  p.destination_port = pair.destination_port;
  p.size = static_cast<std::uint16_t>(payload + context.header_bytes);
  p.kind = PacketKind::kData;
  p.priority = pair.priority & 7;
  p.marked = 0;
  p.echo = 0;
  p.answered = pair.unacked > 0;
  p.sequence = static_cast<std::uint64_t>(offset) & 0xff'ffff'ffff;
  p.note = 0;
  p.stamp = context.control.FirstStampAt(state.now_);
  p.last = offset + payload == pair.size && (kPlain || pair.divided != QueuePair::kOpen);
  if (!kPlain && pair.sprays != 0) Spray(state, slot, offset, &p);
  if (offset < pair.highest) {
    state.books_.resent_bytes += payload;
    pair.recovery.resent_bytes += payload;
  }
  const bool leaves = p.last != 0 && pair.highest < pair.size && pair.post != QueuePair::kParked;
  pair.highest = std::max(pair.highest, offset + payload);
  pair.next = std::max(pair.next, offset + payload);
  const bool asks = (pair.window_full() && !context.options.reliability.simai_acks) ||
                    (!kPlain && pair.divided != 0 && offset + payload == end);
  p.ack_request = asks;
  pair.asked = asks ? 1 : 0;
  pair.last_size = p.size;
  const BitRate rate = context.options.rate_bound ? pair.pace.rate : pair.pace.line_rate;
  pair.next_send = state.now_ + state.PacedTime(port, rate, p.size);
  if (!pair.ready(context.options.reliability.sure_of_ack())) nics_.SetReady(port, pair, false);
  if (leaves)
    state.parts().desk.ReportSent(state, pair.post, state.now_ + state.WireTime(port, p.size));
  return p;
}

void Sender::ReceiveAck(DomainState& state, const Packet& ack, const MessageTail* tail) {
  const std::uint32_t slot = ack.queue_pair;
  if (slot >= pairs_.size())
    return;  // from another domain's checkpoint, which nobody here could check
  QueuePair& pair = pairs_[slot];
  if (pair.flow != FlowId{ack.destination, ack.flow_number})
    return;  // the flow has ended; the slot may be another's
  const bool plain = pair.plain();
  if (!plain && pair.sprays != 0) LearnEntropy(state, slot, ack);
  if (ack.kind == PacketKind::kNack) ++pair.recovery.nacks;
  const std::int64_t acknowledged = static_cast<std::int64_t>(ack.sequence);
  if (acknowledged > pair.unacked) {
    pair.unacked = acknowledged;
    pair.next = std::max(pair.next, acknowledged);  // an ACK of what was sent before going back
    pair.last_progress = state.now_;
    pair.timeouts = 0;
  }
  if (ack.echo != 0) {
    ++pair.cnps;
    if (state.sampler_.watches_cnps()) state.sampler_.SampleCnps(state.now_, &pair);
  }
  if (pair.unacked < pair.size) reliability_.OnAnswer(slot, &pair, ack);
  if (!plain && pair.divided != 0) state.parts().desk.requests().Acknowledged(state, slot, pair);
  if (pair.unacked >= pair.size && pair.divided != QueuePair::kOpen) {
    End(state, slot, FlowState::kFinished);
    return;
  }
  if (ack.kind == PacketKind::kNack && !IsOutdated(pair, ack)) {
    const std::int64_t lost = reliability_.OnNack(slot, &pair, ack);
    if (lost != kNoByte && pair.sprays != 0) CountLost(state, slot, lost);
  }
  if (state.context_->control.Heeds(ack.echo != 0)) rates_.OnAck(state, slot, &pair, ack, tail);
  UpdateReadiness(state, slot);
}

bool Sender::IsUec(const DomainState& state, const QueuePair& pair, std::uint32_t port) {
  const FabricContext& context = *state.context_;
  if (context.uec == nullptr || (context.uec->classes >> pair.priority & 1) == 0) return false;
  const NodeId here = state.NodeOf(state.ports_[port]).id;
  const NodeId peer = context.graph->ports(here)[state.NumberOf(port).value].peer;
  return context.graph->kind(peer) == NodeKind::kSwitch;
}

Packet Sender::NextUecPacket(DomainState& state, std::uint32_t slot) {
  QueuePair& pair = pairs_[slot];
  const Port& port = state.ports_[pair.port];
  const bool had_all = pair.highest == pair.size;
  const Packet p = uec_.Next(state, slot, &pair, nics_.ready(port));
  if (!had_all && pair.highest == pair.size && pair.post != QueuePair::kParked)
    state.parts().desk.ReportSent(state, pair.post, state.now_ + state.WireTime(port, p.size));
  pair.resend = uec_.MaySend(state, slot, pair) ? 1 : 0;
  if (pair.resend == 0) nics_.SetReady(port, pair, false);
  ArmTimeout(state, port.node, std::max(state.now_, uec_.Deadline(state, slot, pair)));
  return p;
}

void Sender::ReceiveUec(DomainState& state, const Packet& p) {
  const std::uint32_t slot = p.queue_pair;
  if (slot >= pairs_.size()) return;  // as in ReceiveAck
  QueuePair& pair = pairs_[slot];
  if (pair.flow != FlowId{p.destination, p.flow_number} || pair.ultra == 0) return;
  if (p.kind == PacketKind::kUecAck && p.echo != 0) {
    ++pair.cnps;
    if (state.sampler_.watches_cnps()) state.sampler_.SampleCnps(state.now_, &pair);
  }
  if (uec_.Receive(state, slot, &pair, p)) {
    End(state, slot, FlowState::kFinished);
    return;
  }
  UpdateUec(state, slot);
}

void Sender::UpdateUec(DomainState& state, std::uint32_t slot) {
  QueuePair& pair = pairs_[slot];
  pair.resend = uec_.MaySend(state, slot, pair) ? 1 : 0;
  if (pair.port == QueuePair::kParked) return;
  const Time deadline = uec_.Deadline(state, slot, pair);
  if (deadline < Time::Max())
    ArmTimeout(state, state.ports_[pair.port].node, std::max(state.now_, deadline));
  UpdateReadiness(state, slot);
}

void Sender::RateTimer(DomainState& state, std::uint32_t slot) {
  rates_.OnTimer(state, slot, &pairs_[slot]);
  UpdateReadiness(state, slot);
}

void Sender::UpdateReadiness(DomainState& state, std::uint32_t slot) {
  const QueuePair& pair = pairs_[slot];
  if (pair.port == QueuePair::kParked) return;
  Port& port = state.ports_[pair.port];
  const bool ready = pair.ready(state.context_->options.reliability.sure_of_ack());
  nics_.SetReady(port, pair, ready);
  if (ready) Send(state, port, pair.port);
}

void Sender::End(DomainState& state, std::uint32_t slot, FlowState how) {
  QueuePair& pair = pairs_[slot];
  const bool finished = how == FlowState::kFinished;
  state.ledger_.AddFlow(RowOf(state, pair, how));
  if (finished) {
    ++state.books_.flows_finished;
    if (pair.post != QueuePair::kParked) state.parts().desk.ReportAcked(state, pair.post);
  }
  if (state.context_->options.monitors.any()) state.sampler_.SamplePair(state.now_, &pair);
  Leave(state, slot);
  if (pair.ultra != 0) uec_.End(slot);
  if (pair.divided != 0) state.parts().desk.requests().Ended(state, slot, !finished);
  entropies_.End(slot);
  if (pair.grant != PathClient::kNone) state.parts().paths.GiveBack(state, pair.grant);
  pair.flow = FlowId();  // late ACKs and timers find nobody
  pair.rate_timer = Time::Max();
  pairs_.Free(slot);
}

void Sender::AddOpen(const DomainState& state, std::vector<FlowRecord>* open) const {
  for (std::uint32_t slot : LiveQueuePairs(pairs_)) {
    const QueuePair& pair = pairs_[slot];
    FlowState how = FlowState::kNoRoute;
    if (pair.port != QueuePair::kParked) {
      const bool paused = (state.ports_[pair.port].paused >> pair.priority & 1) != 0;
      how = paused ? FlowState::kPaused : FlowState::kUnderWay;
    }
    open->push_back(RowOf(state, pair, how));
  }
}

void Sender::AddMemory(MemoryAccount* account) const {
  account->Add(Structure::kDomains, MemoryReached(timeout_at_) + nics_.memory());
  account->Add(Structure::kSenders, pairs_.memory() + reliability_.memory() + entropies_.memory());
  rates_.AddMemory(account);
  uec_.AddMemory(account);
}

}  // namespace heddle
