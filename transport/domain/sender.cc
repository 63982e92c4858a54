// SPDX-License-Identifier: GPL-2.0-only
/// What ACKs, NACKs and timers do to a queue pair: progress, its rate, what it sends again, its
/// end.
#include <algorithm>
#include <new>

#include "transport/domain/fabric_domain.h"

namespace heddle {

void FabricDomain::ReceiveAck(const Packet& ack, const MessageTail* tail) {
  const std::uint32_t slot = ack.queue_pair;
  if (slot >= queue_pairs_.size())
    return;  // from another domain's checkpoint, which nobody here could check
  QueuePair& pair = queue_pairs_[slot];
  if (pair.flow != FlowId{ack.destination, ack.flow_number})
    return;  // the flow has ended; the slot may be another's
  const std::int64_t acknowledged = static_cast<std::int64_t>(ack.sequence);
  if (acknowledged > pair.unacked) {
    pair.unacked = acknowledged;
    pair.next = std::max(pair.next, acknowledged);  // an ACK of what was sent before going back
    pair.last_progress = now_;
    pair.timeouts = 0;
  }
  if (ack.echo != 0) {
    ++pair.cnps;
    if (watch_cnps_) SampleCnps(now_, &pair);
  }
  const bool selective = context_->options.reliability.selective_repeat;
  if (selective && pair.unacked < pair.size) LearnSelectively(slot, ack);
  if (pair.unacked >= pair.size) {
    End(slot, FlowState::kFinished);
    return;
  }
  if (!selective && ack.kind == PacketKind::kNack) {
    // Below what was acknowledged: with L2_BACK_TO_ZERO the receiver has given up what it had of
    // the chunk; or it has had the flow whole and forgotten it, and takes a late repeat for the
    // start of a new one.
    pair.unacked = std::min(pair.unacked, acknowledged);
    GoBack(&pair);
  }
  if (context_->control.Heeds(ack.echo != 0)) AdaptRate(slot, ack, tail);
  UpdateReadiness(slot);
}

void FabricDomain::AdaptRate(std::uint32_t slot, const Packet& ack, const MessageTail* tail) {
  QueuePair& pair = queue_pairs_[slot];
  AckSignals signals;
  signals.now = now_;
  signals.acknowledged = pair.unacked;
  signals.next = pair.next;
  signals.congestion = ack.echo != 0;
  signals.round_trip = now_ - Time{ack.stamp};
  static_assert(sizeof(Telemetry) == sizeof *tail);
  if (tail != nullptr)
    signals.telemetry = std::launder(reinterpret_cast<const Telemetry*>(tail->bytes));
  if (context_->control.stamps_pint()) signals.pint = static_cast<std::uint16_t>(ack.stamp);
  const BitRate before = pair.pace.rate;
  context_->control.OnAck(&rate_states_[slot], &pair.pace, signals);
  if (pair.pace.rate != before) ApplyRate(slot, before);
  ScheduleRateTimer(slot);
}

void FabricDomain::ApplyRate(std::uint32_t slot, BitRate before) {
  QueuePair& pair = queue_pairs_[slot];
  if (context_->options.var_window && pair.pace.window > 0) {
    const auto scaled = static_cast<unsigned __int128>(pair.pace.window) *
                        static_cast<std::uint64_t>(pair.pace.rate.bps) /
                        static_cast<std::uint64_t>(pair.pace.line_rate.bps);
    pair.limit = std::max<std::int64_t>(1, static_cast<std::int64_t>(scaled));
  }
  if (context_->control.retimes() && pair.port != QueuePair::kParked &&
      context_->options.rate_bound) {
    // The next packet is due as if the last one had been sent at the new rate.
    const Port& port = ports_[pair.port];
    pair.next_send +=
        PacedTime(port, pair.pace.rate, pair.last_size) - PacedTime(port, before, pair.last_size);
  }
  if (watch_rates_) SampleRate(now_, &pair);
}

void FabricDomain::ScheduleRateTimer(std::uint32_t slot) {
  QueuePair& pair = queue_pairs_[slot];
  const Time due = context_->control.NextTimer(rate_states_[slot]);
  if (due >= pair.rate_timer) return;  // the pending event comes first and arranges what follows
  pair.rate_timer = due;
  queue_.Push(
      {due, EventOrder(pair.flow.source, PortId(0), kRateTimer, pair.flow.number).bits(), slot, 0});
}

bool FabricDomain::RateTimerIsDue(std::uint32_t slot, Time time, EventOrder order) {
  QueuePair& pair = queue_pairs_[slot];
  // The slot may be another flow's by now, and that of another node: its own event keeps the order
  // of its own node.
  const bool same =
      pair.flow.source.valid() &&
      order.bits() == EventOrder(pair.flow.source, PortId(0), kRateTimer, pair.flow.number).bits();
  if (!same || pair.rate_timer != time) return false;
  if (context_->control.NextTimer(rate_states_[slot]) <= time) return true;
  pair.rate_timer = Time::Max();
  ScheduleRateTimer(slot);
  return false;
}

void FabricDomain::RateTimer(std::uint32_t slot) {
  QueuePair& pair = queue_pairs_[slot];
  pair.rate_timer = Time::Max();
  const BitRate before = pair.pace.rate;
  context_->control.OnTimer(&rate_states_[slot], &pair.pace, now_);
  if (pair.pace.rate != before) ApplyRate(slot, before);
  ScheduleRateTimer(slot);
  UpdateReadiness(slot);
}

void FabricDomain::GoBack(QueuePair* pair) { pair->next = pair->unacked; }

void FabricDomain::LearnSelectively(std::uint32_t slot, const Packet& ack) {
  QueuePair& pair = queue_pairs_[slot];
  SelectiveSender& sender = senders_[slot];
  const std::int64_t payload = context_->options.payload;
  const std::int64_t first_missing = static_cast<std::int64_t>(ack.sequence) / payload;
  const std::int64_t sent = (pair.highest + payload - 1) / payload;
  if (ack.kind == PacketKind::kNack && first_missing < sender.unacknowledged()) {
    // The receiver has had the flow whole, forgotten it, and takes a late repeat for the start of a
    // new one (as in ReceiveAck).
    sender = SelectiveSender();
    sender.Acknowledge(first_missing, sent);
    pair.unacked = first_missing * payload;
    GoBack(&pair);
  } else if (ack.kind == PacketKind::kNack) {
    sender.Nack(first_missing, first_missing + static_cast<std::int64_t>(ack.note), sent);
  } else {
    sender.Acknowledge(first_missing, sent);
  }
  pair.resend = sender.NextRetransmission() != SelectiveSender::kNone ? 1 : 0;
  // The first packet missing may lie beyond the ACK's: those that follow it had been acknowledged
  // before.
  pair.unacked = std::max(pair.unacked, std::min(pair.size, sender.unacknowledged() * payload));
  pair.next = std::max(pair.next, pair.unacked);
}

std::int64_t FabricDomain::NextResend(std::uint32_t slot) {
  SelectiveSender& sender = senders_[slot];
  const std::int64_t number = sender.NextRetransmission();
  sender.Retransmitted();
  queue_pairs_[slot].resend = sender.NextRetransmission() != SelectiveSender::kNone ? 1 : 0;
  return number * context_->options.payload;
}

void FabricDomain::UpdateReadiness(std::uint32_t slot) {
  const QueuePair& pair = queue_pairs_[slot];
  if (pair.port == QueuePair::kParked) return;
  Port& port = ports_[pair.port];
  const bool ready = pair.ready(context_->options.reliability.ack_interval);
  nics_[port.nic].SetReady(pair.position, ready);
  if (ready) Send(port, pair.port);
}

void FabricDomain::ArmTimeout(std::uint32_t node, Time deadline) {
  Host& host = hosts_[nodes_[node].host];
  if (host.timeout_at <= deadline) return;
  host.timeout_at = deadline;
  queue_.Push({deadline, EventOrder(nodes_[node].id, PortId(0), kTimeout).bits(), node, 0});
}

Time FabricDomain::NextTimeout(const Node& node) const {
  Time earliest = Time::Max();
  for (std::uint32_t index = node.first_port; index < node.first_port + node.ports; ++index) {
    if (ports_[index].nic == kNone) continue;
    nics_[ports_[index].nic].ForEach([&](std::uint32_t slot) {
      const QueuePair& pair = queue_pairs_[slot];
      if (pair.in_flight()) earliest = std::min(earliest, TimeoutOf(pair));
    });
  }
  return earliest;
}

bool FabricDomain::TimeoutIsDue(std::uint32_t node, Time time) {
  Host& host = hosts_[nodes_[node].host];
  if (host.timeout_at != time) return false;
  const Time earliest = NextTimeout(nodes_[node]);
  if (earliest <= time) return true;
  host.timeout_at = Time::Max();
  if (earliest < Time::Max()) ArmTimeout(node, earliest);
  return false;
}

void FabricDomain::Timeouts(std::uint32_t node) {
  hosts_[nodes_[node].host].timeout_at = Time::Max();
  const Node at = nodes_[node];
  std::vector<std::uint32_t> expired;
  for (std::uint32_t index = at.first_port; index < at.first_port + at.ports; ++index) {
    if (ports_[index].nic == kNone) continue;
    nics_[ports_[index].nic].ForEach([&](std::uint32_t slot) {
      if (queue_pairs_[slot].in_flight() && TimeoutOf(queue_pairs_[slot]) <= now_)
        expired.push_back(slot);
    });
  }
  for (std::uint32_t slot : expired) TimeOut(slot);
  const Time next = NextTimeout(at);
  if (next < Time::Max()) ArmTimeout(node, next);
}

void FabricDomain::TimeOut(std::uint32_t slot) {
  QueuePair& pair = queue_pairs_[slot];
  ++books_.timeouts;
  if (pair.timeouts >= context_->options.reliability.retry_limit) {
    End(slot, FlowState::kRetryLimit);
    return;
  }
  ++pair.timeouts;
  pair.last_progress = now_;
  if (context_->options.reliability.selective_repeat) {
    senders_[slot].Timeout((pair.highest + context_->options.payload - 1) /
                           context_->options.payload);
    pair.resend = senders_[slot].NextRetransmission() != SelectiveSender::kNone ? 1 : 0;
  } else {
    GoBack(&pair);
  }
  UpdateReadiness(slot);
}

FlowRecord FabricDomain::RecordOf(const QueuePair& pair, FlowState state, Time completion) const {
  return {pair.flow,
          pair.destination,
          pair.source_port,
          pair.destination_port,
          pair.priority,
          state,
          pair.message,
          pair.size,
          pair.start,
          completion,
          pair.ideal,
          pair.post != QueuePair::kParked ? posts_[pair.post].label : FlowLabel(),
          pair.grant != PathGrant::kNone ? grants_[pair.grant].id.number : FlowRecord::kNoRequest};
}

void FabricDomain::End(std::uint32_t slot, FlowState state) {
  QueuePair& pair = queue_pairs_[slot];
  const bool finished = state == FlowState::kFinished;
  Record(RecordOf(pair, state, finished ? now_ - pair.start : Time{-1}));
  if (finished) {
    ++books_.flows_finished;
    if (pair.post != QueuePair::kParked) ReportAcked(pair.post);
  }
  if (context_->options.monitors.any()) SampleLast(&pair);
  LeaveNic(slot);
  if (pair.grant != PathGrant::kNone) GiveBack(pair.grant);
  pair.flow = FlowId();  // late ACKs and timers find nobody
  pair.rate_timer = Time::Max();
  queue_pairs_.Free(slot);
}

FlowState FabricDomain::StateOf(const QueuePair& pair) const {
  if (pair.port == QueuePair::kParked) return FlowState::kNoRoute;
  return (ports_[pair.port].paused >> pair.priority & 1) != 0 ? FlowState::kPaused
                                                              : FlowState::kUnderWay;
}

std::vector<FlowRecord> FabricDomain::Unfinished() const {
  std::vector<FlowRecord> open;
  for (std::uint32_t slot : LiveQueuePairs()) {
    const QueuePair& pair = queue_pairs_[slot];
    open.push_back(RecordOf(pair, StateOf(pair), Time{-1}));
  }
  AddPlanned(&open);
  AddPosted(&open);
  return open;
}

void FabricDomain::AddPlanned(std::vector<FlowRecord>* open) const {
  const auto add = [&](const PlannedFlow& flow, std::uint32_t request) {
    open->push_back({flow.id,
                     flow.request.destination,
                     flow.source_port,
                     flow.request.destination_port,
                     flow.request.priority,
                     FlowState::kNotStarted,
                     flow.message,
                     flow.request.size.count,
                     flow.request.start,
                     Time{-1},
                     flow.ideal,
                     {},
                     request});
  };
  for (const Host& host : hosts_) {
    for (std::size_t i = host.next; i < host.plan.size(); ++i)
      add(host.plan[i], FlowRecord::kNoRequest);
    for (std::size_t i = host.next_ask; i < host.asking.size(); ++i)
      add(host.asking[i], host.asking[i].id.number);
  }
  for (std::uint32_t slot = 0; slot < grants_.size(); ++slot) {  // asked, not started
    const PathGrant& grant = grants_[slot];
    if (!grant.id.source.valid() || grant.planned == PathGrant::kNone ||
        grant.queue_pair != PathGrant::kNone)
      continue;
    const Node* node = FindNode(grant.id.source);
    add(hosts_[node->host].asking[grant.planned], grant.id.number);
  }
}

void FabricDomain::TakeRecords(std::vector<FlowRecord>* finished,
                               std::vector<FlowArrival>* arrivals) {
  *finished = std::exchange(finished_, {});
  *arrivals = std::exchange(arrivals_, {});
}

}  // namespace heddle
