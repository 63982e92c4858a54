// SPDX-License-Identifier: GPL-2.0-only
/// The sending side of FabricDomain's hosts: flows start, the NIC chooses what to send.
#include <fmt/format.h>

#include <algorithm>

#include "topology/routes/ecmp_hash.h"
#include "transport/domain/fabric_domain.h"
#include "transport/domain/transmit.h"

namespace heddle {

FabricDomain::Host& FabricDomain::HostOf(Node* node) {
  if (node->host == kNone) {
    node->host = static_cast<std::uint32_t>(hosts_.size());
    hosts_.emplace_back();
  }
  return hosts_[node->host];
}

void FabricDomain::Plan(const std::vector<PlannedFlow>& flows) {
  for (const PlannedFlow& flow : flows) {
    Node* node = FindNode(flow.id.source);
    if (node == nullptr) continue;
    Host& host = HostOf(node);
    const bool asks = AsksController(flow.id.source, flow.request.destination, AskedAt(flow));
    (asks ? host.asking : host.plan).push_back(flow);
  }
  const auto by_start = [](const PlannedFlow& a, const PlannedFlow& b) {
    return a.request.start < b.request.start;
  };
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].host == kNone) continue;
    Host& host = hosts_[nodes_[i].host];
    std::stable_sort(host.plan.begin(), host.plan.end(), by_start);
    std::stable_sort(host.asking.begin(), host.asking.end(), by_start);
    ScheduleNextStart(i);
    ScheduleNextAsk(i);
  }
}

void FabricDomain::ScheduleNextStart(std::uint32_t node) {
  const Host& host = hosts_[nodes_[node].host];
  if (host.next == host.plan.size()) return;
  queue_.Push({host.plan[host.next].request.start,
               EventOrder(nodes_[node].id, PortId(0), kFlowStart).bits(), node, 0});
}

void FabricDomain::StartFlows(std::uint32_t node) {
  if (agent_ != nullptr) {
    FlowHeap& starts = post_queues_[nodes_[node].host].starts;
    starts.wakes.pop_back();
    while (!starts.empty() && starts.first() <= now_) StartPosted(node, starts.Take());
    Schedule(&starts, Time{0}, kFlowStart, node);
  } else {
    StartPlanned(node);
  }
}

void FabricDomain::StartPlanned(std::uint32_t node) {
  Host& host = hosts_[nodes_[node].host];
  const std::size_t before = host.next;
  for (;;) {
    const bool planned = host.next < host.plan.size() && host.plan[host.next].request.start <= now_;
    const bool ready = !host.ready.empty() && host.ready.front().start <= now_;
    if (!planned && !ready) break;
    if (planned && (!ready || host.plan[host.next].id.number < host.ready.front().number)) {
      StartFlow(node, host.plan[host.next++]);
      continue;
    }
    std::pop_heap(host.ready.begin(), host.ready.end(), LaterReady);
    const std::uint32_t grant = host.ready.back().grant;
    host.ready.pop_back();
    StartFlow(node, host.asking[grants_[grant].planned], QueuePair::kParked, grant);
  }
  if (host.next != before) ScheduleNextStart(node);
}

std::uint32_t FabricDomain::ChooseNic(const Node& node, NodeId peer, std::uint16_t source_port,
                                      std::uint16_t destination_port) {
  routes_->NextHops(node.id, peer, &scratch_);
  if (scratch_.empty()) return QueuePair::kParked;
  const std::uint32_t hash =
      EcmpHash({AddressOf(node.id), AddressOf(peer), source_port, destination_port}, kNicHashSeed);
  return node.first_port + scratch_[hash % scratch_.size()].value;
}

void FabricDomain::StartFlow(std::uint32_t node, const PlannedFlow& flow, std::uint32_t post,
                             std::uint32_t grant) {
  const std::uint32_t slot = queue_pairs_.Allocate();
  QueuePair pair;
  pair.flow = flow.id;
  pair.destination = flow.request.destination;
  pair.source_port = flow.source_port;
  pair.grant = grant;
  if (grant != PathGrant::kNone) {
    grants_[grant].queue_pair = slot;
    grants_[grant].own_port = flow.source_port;
    pair.source_port = PortOfGrant(grant);
  }
  pair.destination_port = flow.request.destination_port;
  pair.priority = flow.request.priority;
  pair.message = flow.message;
  pair.post = post;
  pair.size = flow.request.size.count;
  pair.pace.window = flow.window;
  pair.pace.base_rtt = context_->max_rtt;
  pair.next_send = now_;
  pair.start = now_;
  pair.ideal = flow.ideal;
  queue_pairs_[slot] = pair;
  if (context_->control.mode() != 0 && rate_states_.size() <= slot)
    rate_states_.resize(slot + slot / 2 + 4);
  if (context_->options.reliability.selective_repeat) {
    if (senders_.size() <= slot) senders_.resize(slot + slot / 2 + 4);
    senders_[slot] = SelectiveSender();
  }
  ++books_.flows_started;
  const std::uint32_t port = ChooseNic(nodes_[node], flow.request.destination, pair.source_port,
                                       flow.request.destination_port);
  if (port == QueuePair::kParked) return;
  JoinNic(slot, port);
  Send(ports_[port], port);
}

RoundRobin& FabricDomain::NicOf(Port& port) {
  if (port.nic == kNone) {
    port.nic = static_cast<std::uint32_t>(nics_.size());
    nics_.emplace_back();
  }
  return nics_[port.nic];
}

void FabricDomain::JoinNic(std::uint32_t slot, std::uint32_t index) {
  QueuePair& pair = queue_pairs_[slot];
  Port& port = ports_[index];
  pair.port = index;
  if (pair.pace.line_rate.bps == 0) {
    // The healthy link's: a flow that starts while it is degraded is faster once it is mended; the
    // port limits it until then.
    const NodeId node = nodes_[port.node].id;
    const Attachment& attachment = context_->graph->ports(node)[NumberOf(index).value];
    pair.pace.rate = pair.pace.line_rate = {
        std::max(port.rate.bps, context_->graph->link(attachment.link).rate.bps)};
    pair.limit = pair.pace.window;
    if (context_->control.mode() != 0) {
      context_->control.Start(&rate_states_[slot], &pair.pace, context_->seed, pair.flow);
      if (pair.pace.rate != pair.pace.line_rate) ApplyRate(slot, pair.pace.line_rate);
    }
    if (watch_rates_) SampleRate(now_, &pair);
  }
  RoundRobin& nic = NicOf(port);
  pair.position = nic.Add(slot);
  nic.SetReady(pair.position, pair.ready(context_->options.reliability.ack_interval));
  // While it was parked nobody watched over what it had sent.
  if (pair.in_flight()) ArmTimeout(port.node, std::max(now_, TimeoutOf(pair)));
}

void FabricDomain::LeaveNic(std::uint32_t slot) {
  QueuePair& pair = queue_pairs_[slot];
  if (pair.port == QueuePair::kParked) return;
  RoundRobin& nic = nics_[ports_[pair.port].nic];
  nic.Remove(pair.position);
  nic.Compact([this](std::uint32_t member, std::uint32_t position) {
    queue_pairs_[member].position = position;
  });
  pair.port = QueuePair::kParked;
}

void FabricDomain::NicSend(Port& port, std::uint32_t index) {
  if (!SendQueued(port) && !SendFromQueuePair(port, index)) return;
  if (port.sendable() != 0 || nics_[port.nic].any_ready()) WakePort(port, index, port.busy_until);
}

bool FabricDomain::SendQueued(Port& port) {
  const std::uint32_t queues = port.sendable();
  if (queues == 0) return false;
  const std::uint32_t slot = Dequeue(port, __builtin_ctz(queues));
  Packet p = packet(slot);
  const MessageTail* tail = HoldTail(slot);
  cargo_.Free(slot);
  ++books_.injected_packets;
  books_.injected_bytes += p.size;
  Transmit(port, p, tail);
  return true;
}

std::uint32_t FabricDomain::PickQueuePair(Port& port, Time* earliest) {
  RoundRobin& nic = nics_[port.nic];
  const auto may_send = [&](std::uint32_t slot) {
    const QueuePair& pair = queue_pairs_[slot];
    if ((port.paused >> pair.priority & 1) != 0) return false;
    if (pair.next_send <= now_) return true;
    *earliest = std::min(*earliest, pair.next_send);
    return false;
  };
  std::uint32_t position = port.turn > 0 ? nic.PickSame(may_send) : RoundRobin::kNone;
  if (position != RoundRobin::kNone) {
    --port.turn;
  } else {
    position = nic.Pick(may_send);
    if (position == RoundRobin::kNone) return position;
    const std::int64_t weight =
        context_->options.nic.weights[queue_pairs_[nic.member(position)].priority];
    port.turn = static_cast<std::uint16_t>(weight - 1);
  }
  return nic.member(position);
}

bool FabricDomain::SendFromQueuePair(Port& port, std::uint32_t index) {
  Time earliest = Time::Max();
  const std::uint32_t slot = PickQueuePair(port, &earliest);
  if (slot == RoundRobin::kNone) {
    if (earliest < Time::Max()) WakePort(port, index, earliest);
    return false;
  }
  Packet p = NextDataPacket(slot);
  ++books_.injected_packets;
  books_.injected_bytes += p.size;
  static constexpr MessageTail kNoTelemetry{};
  Transmit(port, p, context_->tails ? &kNoTelemetry : nullptr);
  return true;
}

Time FabricDomain::PacedTime(const Port& port, BitRate rate, std::int64_t bytes) const {
  if (rate == port.rate) return WireTime(port, bytes);
  if (!context_->options.truncate_ns) return TransmissionTime(Bytes{bytes}, rate);
  return NanoSeconds(bytes * 8'000'000'000 / rate.bps);
}

Packet FabricDomain::NextDataPacket(std::uint32_t slot) {
  QueuePair& pair = queue_pairs_[slot];
  const Port& port = ports_[pair.port];
  if (!pair.in_flight()) {
    pair.last_progress = now_;
    ArmTimeout(port.node, TimeoutOf(pair));
  }
  const std::int64_t offset = pair.resend != 0 ? NextResend(slot) : pair.next;
  const std::int64_t payload = std::min(context_->options.payload, pair.size - offset);
  Packet p;
  p.source = pair.flow.source;
  p.destination = pair.destination;
  p.flow_number = pair.flow.number;
  p.queue_pair = slot;
  p.source_port = pair.source_port;
  p.destination_port = pair.destination_port;
  p.size = static_cast<std::uint16_t>(payload + context_->header_bytes);
  p.kind = PacketKind::kData;
  p.priority = pair.priority & 7;
  p.marked = 0;
  p.echo = 0;
  p.answered = pair.unacked > 0;
  p.sequence = static_cast<std::uint64_t>(offset) & 0xff'ffff'ffff;
  p.note = 0;
  // PINT's estimate starts at zero; the others have no use for the field or want the time.
  p.stamp = context_->control.stamps_pint() ? 0 : now_.ps;
  p.last = offset + payload == pair.size;
  if (offset < pair.highest) books_.resent_bytes += payload;
  const bool leaves = p.last != 0 && pair.highest < pair.size && pair.post != QueuePair::kParked;
  pair.highest = std::max(pair.highest, offset + payload);
  pair.next = std::max(pair.next, offset + payload);
  const bool full = pair.window_full();
  p.ack_request = full;
  pair.asked = full ? 1 : 0;
  pair.last_size = p.size;
  pair.next_send =
      now_ +
      PacedTime(port, context_->options.rate_bound ? pair.pace.rate : pair.pace.line_rate, p.size);
  if (!pair.ready(context_->options.reliability.ack_interval))
    nics_[port.nic].SetReady(pair.position, false);
  if (leaves) ReportSent(pair.post, now_ + WireTime(port, p.size));
  return p;
}

void FabricDomain::NvSwitchSend(Port& port, std::uint32_t index) {
  // What passes through and its own queue pairs take turns.
  const bool passing = port.sendable() != 0;
  bool own = false;
  if (!passing || port.own_turn != 0) own = SendFromQueuePair(port, index);
  port.own_turn = own ? 0 : 1;
  if (!own && passing) SwitchSend(port, index);
  // Something has left; cut to whole nanoseconds (compat.truncate_ns), an ACK does so in no time.
  if ((own || passing) && (port.sendable() != 0 || nics_[port.nic].any_ready()))
    WakePort(port, index, port.busy_until);
}

void FabricDomain::HostReceive(const Port& in, std::uint32_t slot) {
  const Packet p = packet(slot);
  const MessageTail* tail = HoldTail(slot);
  cargo_.Free(slot);
  if (context_->options.lose_packet > 0 && ++host_packets_ == context_->options.lose_packet) return;
  ++books_.received_packets;
  books_.received_bytes += p.size;
  if (p.kind == PacketKind::kData) {
    ReceiveData(nodes_[in.node], p, tail);
  } else {
    ReceiveAck(p, tail);
  }
}

}  // namespace heddle
