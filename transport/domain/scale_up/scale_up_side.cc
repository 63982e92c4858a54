// SPDX-License-Identifier: GPL-2.0-only
// Ports, credits, and packets that pass through; scale_up_flows.cc has the flows that begin and end
// here.
#include "transport/domain/scale_up/scale_up_side.h"

#include <algorithm>
#include <new>
#include <utility>

#include "transport/domain/state/scale_up_run.h"

namespace heddle {
namespace {

static constexpr MessageTail kNoTail{};

/// Sends a record to a domain, which may be this one.
void SendTo(DomainState& state, DomainId to, Time at, std::uint64_t order,
            const ScaleUpPacket& record) {
  if (to == state.id()) {
    state.Deliver(at, order, record);
    return;
  }
  state.post_office().Send(state.post_office().AddressOf(to), to, at, order, record,
                           state.context().tails ? &kNoTail : nullptr);
}

}  // namespace

ScaleUpPacket& ScaleUpSide::At(DomainState& state, std::uint32_t slot) {
  return *std::launder(reinterpret_cast<ScaleUpPacket*>(state.cargo()[slot].bytes));
}

const ScaleUpPacket& ScaleUpSide::At(const DomainState& state, std::uint32_t slot) {
  return *std::launder(reinterpret_cast<const ScaleUpPacket*>(state.cargo()[slot].bytes));
}

void ScaleUpSide::AddPort(const DomainState& state, std::uint32_t port, const Attachment& far,
                          const Link& link) {
  const ScaleUpShape& shape = *state.context().graph->scale_up();
  const ScaleUpLevel& level = shape.levels[link.layer - 1];
  at_port_.resize(port, kNone);
  at_port_.push_back(static_cast<std::uint32_t>(lanes_.size()));
  Lane lane;
  lane.link = ScaleUpLink(level, link.rate, link.delay, shape.whole_ns);
  lane.far_order = EventOrder(far.peer, far.peer_port, FabricEvent::kScaleUp).bits();
  lane.port = port;
  lane.turns = level.turns;
  lanes_.push_back(lane);
}

void ScaleUpSide::Begin(const DomainState& state) {
  const FabricContext& context = state.context();
  if (context.scale_up == nullptr) return;
  const ScaleUpRun& run = *context.scale_up;
  credits_.clear();
  for (Lane& lane : lanes_) {
    const Port& port = state.ports()[lane.port];
    const NodeId here = state.NodeOf(port).id;
    const NodeId peer = context.graph->ports(here)[state.NumberOf(lane.port).value].peer;
    const bool direct =
        run.neighbours_only && context.graph->is_gpu(here) && context.graph->is_gpu(peer);
    lane.alone = !run.options.congestion;
    lane.limited = !lane.alone && run.options.credits && lane.link.buffer_flits() != 0 &&
                   !(direct && !lane.link.MayRunOut());
    lane.trains = lane.alone || (run.options.trains && direct && !lane.limited);
    lane.credits = static_cast<std::uint32_t>(credits_.size());
    if (lane.limited)
      credits_.insert(credits_.end(), lane.link.channels(), lane.link.buffer_flits());
  }
}

void ScaleUpSide::SendNext(DomainState& state, Port& port, std::uint32_t index) {
  Lane& lane = LaneOf(index);
  if (lane.alone) return SendAll(state, &lane, port);
  const bool own = lane.first != kNone, passing = lane.head != kNone;
  if (!own && !passing) return;
  bool sent = false;
  if (passing && (!own || lane.own_next == 0)) sent = SendPassing(state, &lane, port);
  if (!sent && own) sent = SendOwn(state, &lane, port);
  if (!sent && own && passing && lane.own_next != 0) sent = SendPassing(state, &lane, port);
  if (sent && (lane.first != kNone || lane.head != kNone))
    state.WakePort(port, index, port.busy_until);
}

void ScaleUpSide::SendAll(DomainState& state, Lane* lane, Port& port) {
  while (lane->first != kNone) SendOwn(state, lane, port);
  while (lane->head != kNone) SendPassing(state, lane, port);
}

bool ScaleUpSide::TakeCredit(Lane* lane, std::int64_t payload, std::uint8_t* channel) {
  if (!lane->limited) return true;
  const std::uint32_t flits = lane->link.RoomOfAny(payload);
  const std::uint32_t channels = lane->link.channels();
  for (std::uint32_t i = 0; i < channels; ++i) {
    const std::uint32_t at = (lane->next_channel + i) % channels;
    std::uint32_t& free = credits_[lane->credits + at];
    if (free < flits) continue;
    free -= flits;
    *channel = static_cast<std::uint8_t>(at);
    lane->next_channel = static_cast<std::uint8_t>((at + 1) % channels);
    return true;
  }
  return false;
}

bool ScaleUpSide::SendPassing(DomainState& state, Lane* lane, Port& port) {
  const std::uint32_t slot = lane->head;
  ScaleUpPacket p = At(state, slot);
  std::uint8_t channel = 0;
  if (!TakeCredit(lane, p.bytes, &channel)) return false;
  lane->head = p.next;
  if (lane->head == kNone) lane->tail = kNone;
  state.cargo().Free(slot);
  const std::int64_t wire = lane->link.WireBytesOfAny(p.bytes);
  port.queued_bytes -= wire;
  if (lane->alone) {
    const Time extra = lane->link.ExtraTo(LaneOf(p.ingress).link, p.bytes);
    Transmit(state, *lane, port, p, wire, Time(), extra + lane->link.delay());
    return true;
  }
  const Time time = lane->link.TimeOfAny(p.bytes);
  ReturnCredit(state, p, state.now() + time);
  p.channel = channel;
  lane->own_next = 1;
  Transmit(state, *lane, port, p, wire, time, lane->link.ReachOfAny(p.bytes));
  return true;
}

void ScaleUpSide::Transmit(DomainState& state, const Lane& lane, Port& port, ScaleUpPacket& p,
                           std::int64_t wire, Time time, Time reach) {
  if (state.now() < port.busy_until) state.FailRate(port);
  port.busy_until = state.now() + time;
  port.sent_bytes += wire;
  if (lane.link.sends_whole()) {
    const Time sent = lane.alone ? lane.link.TimeOfAny(p.bytes) : time;
    state.tier_load().AddOver(port.tier, wire, state.now(), std::min(sent, reach));
  } else {
    state.tier_load().Add(port.tier, wire);
  }
  state.books().link_packets += p.count;
  p.ingress = port.far_port;
  p.next = kNone;
  const std::uint64_t order = lane.far_order | (port.sent & EventOrder::kNumberMask);
  port.sent += p.count;
  SendTo(state, port.far_domain, state.now() + reach, order, p);
}

void ScaleUpSide::ReturnCredit(DomainState& state, const ScaleUpPacket& p, Time when) {
  const Lane& lane = LaneOf(p.ingress);  // both ends of a link are limited, or neither is
  if (!lane.limited) return;
  const Port& port = state.ports()[p.ingress];
  ScaleUpPacket credit;
  credit.ingress = port.far_port;
  credit.kind = ScaleUpKind::kCredit;
  credit.channel = p.channel;
  credit.bytes = lane.link.RoomOfAny(p.bytes);
  const EventOrder order = EventOrder(lane.far_order);
  const std::uint32_t number = p.first ^ p.flow_number << 12;  // equal ones have the same effect
  SendTo(state, port.far_domain, when + port.delay + lane.link.credit_delay(),
         EventOrder(order.node(), order.port(), FabricEvent::kScaleUpQuiet, number).bits(), credit);
}

void ScaleUpSide::Arrive(DomainState& state, std::uint32_t slot, std::uint32_t egress) {
  ScaleUpPacket& p = At(state, slot);
  const NodeId node = state.NodeOf(state.ports()[p.ingress]).id;
  if (p.destination == node) {
    const ScaleUpPacket copy = p;
    state.cargo().Free(slot);
    ReturnCredit(state, copy, state.now());
    Receive(state, copy, node);
    return;
  }
  HEDDLE_INVARIANT(Has(egress), "a packet of a scale-up link has no link to go on");
  Lane& lane = LaneOf(egress);
  Port& port = state.ports()[egress];
  p.next = kNone;
  if (lane.head == kNone) {
    lane.head = slot;
  } else {
    At(state, lane.tail).next = slot;
  }
  lane.tail = slot;
  port.queued_bytes += lane.link.WireBytesOfAny(p.bytes);
  port.max_queued_bytes = std::max(port.max_queued_bytes, port.queued_bytes);
  Send(state, port, egress);
}

void ScaleUpSide::Learn(DomainState& state, std::uint32_t slot) {
  const ScaleUpPacket p = At(state, slot);
  state.cargo().Free(slot);
  if (p.kind == ScaleUpKind::kArrived) {
    // The packet may be from another domain's checkpoint, which nobody here could check.
    const bool known = p.flow_slot < flows_.size() &&
                       flows_[p.flow_slot].flow == FlowId{p.source, p.flow_number} &&
                       flows_[p.flow_slot].sent == flows_[p.flow_slot].size;
    HEDDLE_INVARIANT(known, "a flow has arrived that was not sent");
    End(state, p.flow_slot, Time{p.bytes});
    return;
  }
  Lane& lane = LaneOf(p.ingress);
  std::uint32_t& free = credits_[lane.credits + p.channel];
  free += static_cast<std::uint32_t>(p.bytes);
  HEDDLE_INVARIANT(free <= lane.link.buffer_flits(), "a link has more credits than buffers");
  if (lane.first != kNone || lane.head != kNone) Send(state, state.ports()[p.ingress], p.ingress);
}

void ScaleUpSide::CountWaiting(const DomainState& state, std::int64_t* packets,
                               std::int64_t* bytes) const {
  for (const Lane& lane : lanes_) {
    for (std::uint32_t slot = lane.head; slot != kNone; slot = At(state, slot).next) {
      *packets += At(state, slot).count;
      *bytes += At(state, slot).bytes;
    }
  }
}

std::vector<PauseEdge> ScaleUpSide::Edges(const DomainState& state) const {
  std::vector<PauseEdge> edges;
  for (const Lane& lane : lanes_) {
    const Port& port = state.ports()[lane.port];
    const NodeId here = state.NodeOf(port).id;
    for (std::uint32_t slot = lane.head; slot != kNone; slot = At(state, slot).next) {
      const std::uint32_t ingress = At(state, slot).ingress;
      if (!LaneOf(ingress).limited) continue;
      const Attachment& from = state.context().graph->ports(here)[state.NumberOf(ingress).value];
      edges.push_back({from.peer, from.peer_port, 0, here, state.NumberOf(lane.port)});
    }
  }
  return edges;
}

void ScaleUpSide::AddMemory(MemoryAccount* account) const {
  account->Add(Structure::kPorts, MemoryOf(at_port_) + MemoryOf(lanes_) + MemoryOf(credits_));
  account->Add(Structure::kSenders, flows_.memory());
  account->Add(Structure::kReceivers, index_.memory() + arriving_.memory());
}

}  // namespace heddle
