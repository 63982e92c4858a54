// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/switching/switch_side.h"

#include <algorithm>

#include "core/containers/state_count.h"
#include "topology/routes/ecmp_hash.h"
#include "transport/domain/sending/sender.h"
#include "transport/domain/state/replay_watcher.h"
#include "transport/domain/state/transmit.h"
#include "transport/domain/switching/pause_control.h"

namespace heddle {

namespace {

/// Of an NVSwitch's port: whether queue pairs of its own may send.
bool OwnTrafficWaits(const DomainState& state, const Port& port) {
  return port.nic != DomainState::kNone && state.parts().sender.nics().any_ready(port);
}

}  // namespace

std::uint32_t SwitchSide::AddNode(const FabricContext& context, NodeId id,
                                  std::uint32_t first_port) {
  const Graph& graph = *context.graph;
  buffers_.push_back(MakeBuffer(context, id, Describe(graph, id)));
  tables_.emplace_back(graph, *context.epochs[epoch_].routes, *places_, id, first_port);
  const PortOptions& balance = context.options.balance;
  chooses_ = balance.any();
  paths_stay_ = !chooses_ && context.faults.empty();
  if (chooses_) {
    const std::int64_t full = context.metrics->max_bdp().count;
    const std::uint32_t level = context.link_tiers->levels()[id.value];
    choosers_.emplace_back(balance.AppliesTo(level) ? balance : PortOptions(),
                           balance.grade_full > 0 ? balance.grade_full : full, context.seed,
                           id.value);
  }
  return static_cast<std::uint32_t>(buffers_.size() - 1);
}

std::uint32_t SwitchSide::HashOf(const Node& node, const Packet& p) {
  // Answers of Ultra Ethernet carry something else there (transport/domain/uec/uec_packets.h).
  const unsigned mask = p.kind < PacketKind::kUecAck ? 0xffffU : 0U;
  const auto port = static_cast<std::uint16_t>(p.destination_port & mask);
  return EcmpHash({AddressOf(p.source), AddressOf(p.destination), p.source_port, port},
                  node.id.value);
}

std::uint32_t SwitchSide::Egress(const Node& node, const Packet& p) const {
  return PathByHash(node, p);
}

std::uint32_t SwitchSide::PathByHash(const Node& node, const Packet& p) const {
  const std::vector<HostPlace>& places = *places_;
  if (p.destination.value >= places.size())
    return DomainState::kNoRoute;  // an NVSwitch is reached by its neighbours only
  const ForwardingTable::NextHops hops = tables_[node.forwards].Find(p.destination, places);
  if (hops.count == 1) return hops.ports[0];
  if (hops.count == 0) return DomainState::kNoRoute;
  return hops.ports[HashOf(node, p) % hops.count];
}

std::size_t SwitchSide::PathsOf(const Node& node, NodeId destination) const {
  if (destination.value >= places_->size()) return 0;
  return tables_[node.forwards].Find(destination, *places_).count;
}

std::uint32_t SwitchSide::EgressTo(const Node& node, NodeId source, NodeId destination,
                                   std::uint32_t flow_number) const {
  const ForwardingTable::NextHops hops = tables_[node.forwards].Find(destination, *places_);
  if (hops.count == 0) return DomainState::kNoRoute;
  const auto port = static_cast<std::uint16_t>(flow_number);
  const std::uint32_t hash =
      EcmpHash({AddressOf(source), AddressOf(destination), port, 0}, node.id.value);
  return hops.ports[hash % hops.count];
}

std::uint32_t SwitchSide::Choose(const DomainState& state, const Node& node, const Packet& p) {
  // ACKs tell what they tell in any order, and by few of them no path is overloaded.
  if (!IsData(p.kind) || p.destination.value >= places_->size()) return Egress(node, p);
  const ForwardingTable::NextHops hops = tables_[node.forwards].Find(p.destination, *places_);
  if (hops.count < 2) return hops.count == 1 ? hops.ports[0] : DomainState::kNoRoute;
  if (!state.context().capacities.empty())
    capacities_ = state.context().capacities.At(capacities_, state.now());
  const auto load_of = [&](std::uint32_t index) {
    const Port& port = state.ports()[index];
    const bool blocked = port.has(Port::kDown) || (port.paused >> p.priority & 1) != 0;
    return CandidatePort{port.queued_bytes, port.rate, blocked, Onward(state, node, index, p)};
  };
  return choosers_[node.forwards].Choose(hops.ports, hops.count, HashOf(node, p), state.now(),
                                         load_of);
}

BitRate SwitchSide::Onward(const DomainState& state, const Node& node, std::uint32_t index,
                           const Packet& p) const {
  const FabricContext& context = state.context();
  const BitRate rate = state.ports()[index].rate;
  if (context.capacities.empty()) return rate;
  const std::uint32_t cls = (*places_)[p.destination.value].host_class;
  return std::min(rate, context.capacities[capacities_].Onward(
                            *context.graph, node.id, PortId(index - node.first_port), cls));
}

bool SwitchSide::Passes(const DomainState& state, const SharedBuffer& buffer, const Port& out,
                        const Packet& p) {
  // The way out is free, nobody else waits for it, and the buffer is so empty that passing through
  // it would change nothing.
  return state.now() >= out.busy_until && out.waiting == 0 && (out.paused >> p.priority & 1) == 0 &&
         buffer.used() + p.size <= buffer.quiet_level() &&
         ((out.flags & (Port::kDown | Port::kEndsFlows)) == 0 ||
          !(out.has(Port::kDown) || OwnTrafficWaits(state, out)));
}

std::uint32_t SwitchSide::PathOut(const DomainState& state, const Node& node, const Packet& p) {
  if (p.next != DomainState::kNotRouted) return p.next;
  return chooses_ ? Choose(state, node, p) : PathByHash(node, p);
}

void SwitchSide::Forward(DomainState& state, const Port& in, std::uint32_t slot) {
  const Node& node = state.nodes()[in.node];
  const Packet& p = state.packet(slot);
  const std::uint32_t egress = PathOut(state, node, p);
  if (egress == DomainState::kNoRoute) {
    state.Drop(node, state.NumberOf(p.ingress), DropReason::kNoRoute, p);
    state.cargo().Free(slot);
    return;
  }
  Port& out = state.ports()[egress];
  if (!Passes(state, buffers_[node.forwards], out, p)) {
    EnqueueForwarded(state, node, out, egress, slot);
    return;
  }
  Packet copy = p;
  MessageTail* tail = state.HoldTail(slot);
  state.cargo().Free(slot);
  if (out.has(Port::kStamps)) Stamp(state, out, egress, &copy, tail);
  state.Transmit(out, copy, tail);
}

void SwitchSide::ForwardInPlace(DomainState& state, const Port& in, Packet* p) {
  const Node& node = state.nodes()[in.node];
  const std::uint32_t egress = PathOut(state, node, *p);
  if (egress == DomainState::kNoRoute) {
    state.Drop(node, state.NumberOf(p->ingress), DropReason::kNoRoute, *p);
    return;
  }
  Port& out = state.ports()[egress];
  if (!Passes(state, buffers_[node.forwards], out, *p)) {
    EnqueueForwarded(state, node, out, egress, state.StorePacket(*p));
    return;
  }
  if (out.has(Port::kStamps)) Stamp(state, out, egress, p, nullptr);
  state.Transmit(out, *p, nullptr);
}

void SwitchSide::EnqueueForwarded(DomainState& state, const Node& node, Port& out,
                                  std::uint32_t egress, std::uint32_t slot) {
  const Packet& p = state.packet(slot);
  const bool idle = state.now() >= out.busy_until && out.waiting == 0;
  if (IsUec(p.kind)) {
    if (lossy_.Enqueue(state, node, out, egress, slot)) SendOrWait(state, out, egress, idle);
    return;
  }
  SharedBuffer& buffer = buffers_[node.forwards];
  const int priority = p.priority;
  const std::uint32_t ingress = p.ingress;
  const std::uint32_t in_port = ingress - node.first_port;
  const bool down = out.has(Port::kDown);
  const bool quiet = buffer.used() + p.size <= buffer.quiet_level();
  if (down || (!quiet && !buffer.Admits(in_port, priority, p.size))) {
    state.Drop(node, state.NumberOf(egress), down ? DropReason::kLinkDown : DropReason::kBufferFull,
               p);
    state.cargo().Free(slot);
    return;
  }
  if (quiet) {
    buffer.AddQuietly(in_port, priority, p.size);
  } else {
    buffer.Add(in_port, priority, p.size);
  }
  state.Enqueue(out, priority, slot);
  if (!quiet && node.pauses)
    state.parts().pause.CheckPause(state, node, &buffer, ingress, priority, egress);
  SendOrWait(state, out, egress, idle);
}

void SwitchSide::SendOrWait(DomainState& state, Port& out, std::uint32_t egress, bool idle) {
  if (out.sendable() == 0) return;
  if (idle) {
    Send(state, out, egress);
  } else {
    state.WakePort(out, egress, std::max(state.now(), out.busy_until));
  }
}

int SwitchSide::NextQueue(Port& port) {
  const std::uint32_t queues = port.sendable();
  if (queues == 0) return -1;
  // Priority 0 is for control and goes first; the others take turns (SimAI: broadcom-egress-queue).
  if ((queues & 1) != 0) return 0;
  const unsigned after = (queues >> (port.last_served + 1U)) << (port.last_served + 1U);
  const int queue = __builtin_ctz(after != 0 ? after : queues);
  port.last_served = static_cast<std::uint8_t>(queue);
  return queue;
}

void SwitchSide::SendNext(DomainState& state, Port& port, std::uint32_t index) {
  const int queue = NextQueue(port);
  if (queue < 0) return;
  const std::uint32_t slot = state.Dequeue(port, queue);
  Packet& p = state.packet(slot);
  const std::uint32_t ingress = p.ingress;
  LeaveBuffer(state, port, queue, p);
  if (port.has(Port::kMarks) && port.queues[queue].bytes > port.kmin && queue != 0)
    Mark(state, port, index, queue, &p);
  MessageTail* tail = state.HoldTail(slot);
  if (port.has(Port::kStamps)) Stamp(state, port, index, &p, tail);
  if (state.StaysHere(port)) {
    const Packet copy = p;  // the pool may grow
    state.cargo().Free(slot);
    state.Transmit(port, copy, tail);
  } else {
    state.cargo().Free(slot);
    state.TransmitAway(port, p, tail);
  }
  // Only now: a packet may leave by the port that it came in, and the resume frame goes out of that
  // one.
  if (ingress != DomainState::kOwnPacket) {
    const Node& node = state.nodes()[port.node];
    state.parts().pause.CheckResume(state, node, &buffers_[node.forwards], ingress, queue);
  }
  if (port.sendable() != 0) state.WakePort(port, index, port.busy_until);
}

void SwitchSide::LeaveBuffer(const DomainState& state, const Port& port, int queue,
                             const Packet& p) {
  if (p.ingress == DomainState::kOwnPacket) return;
  const Node& node = state.nodes()[port.node];
  buffers_[node.forwards].Remove(p.ingress - node.first_port, queue, p.size);
}

void SwitchSide::Discard(DomainState& state, const Port& port, int queue, const Packet& p) {
  LeaveBuffer(state, port, queue, p);
  if (p.ingress == DomainState::kOwnPacket) return;
  const Node& node = state.NodeOf(port);
  state.parts().pause.CheckResume(state, node, &buffers_[node.forwards], p.ingress, queue);
}

void SwitchSide::ForgetPauses(const Node& node, PortId number) {
  for (int priority = 0; priority < kPriorities; ++priority)
    buffers_[node.forwards].SetPaused(number.value, priority, false);
}

void SwitchSide::UseEpoch(const DomainState& state, std::uint32_t epoch) {
  const FabricContext& context = state.context();
  const RouteEpoch& next = context.epochs[epoch];
  const bool follows = epoch == epoch_ + 1;
  epoch_ = epoch;
  places_ = context.places[epoch].get();
  if (!context.capacities.empty()) capacities_ = context.capacities.First(epoch);
  for (const Node& node : state.nodes()) {
    if (node.forwards == DomainState::kNone) continue;
    ForwardingTable& table = tables_[node.forwards];
    if (follows) {
      table.Update(*context.graph, next, *places_, node.id, node.first_port);
    } else {
      table = ForwardingTable(*context.graph, *next.routes, *places_, node.id, node.first_port);
    }
  }
}

void SwitchSide::Restore(const DomainState& state) {
  ExpectState(epoch_ < state.context().epochs.size(), "routes of a failure that does not happen");
  UseEpoch(state, epoch_);
  for (const Node& node : state.nodes()) {
    if (node.forwards == DomainState::kNone) continue;
    for (std::uint32_t port = node.first_port; port < node.first_port + node.ports; ++port)
      lossy_.SetRate(state, node, port, state.ports()[port].rate);
  }
}

void SwitchSide::AddMemory(MemoryAccount* account) const {
  std::size_t buffers = MemoryOf(buffers_), tables = MemoryOf(tables_) + MemoryOf(choosers_);
  for (const SharedBuffer& buffer : buffers_) buffers += buffer.memory();
  for (const ForwardingTable& table : tables_) tables += table.memory();
  for (const PortChooser& chooser : choosers_) tables += chooser.memory();
  account->Add(Structure::kBuffers, buffers + lossy_.memory());
  account->Add(Structure::kNextHops, tables);
}

void SwitchSide::Check(const DomainState& state, const Node& node) const {
  const SharedBuffer& buffer = buffers_[node.forwards];
  std::vector<std::int64_t> held(static_cast<std::size_t>(node.ports) * kPriorities, 0);
  for (std::uint32_t port = node.first_port; port < node.first_port + node.ports; ++port) {
    ExpectState(buffer.rate(port - node.first_port) == state.ports()[port].rate,
                "a switch with a link of another speed");
    for (int queue = 0; queue < kPriorities; ++queue) {
      if ((state.ports()[port].waiting >> queue & 1) == 0) continue;
      for (std::uint32_t slot = state.ports()[port].queues[queue].head; slot != kNoPacket;
           slot = state.packet(slot).next) {
        const Packet& p = state.packet(slot);
        if (p.ingress != DomainState::kOwnPacket)
          held[(p.ingress - node.first_port) * kPriorities + queue] += p.size;
      }
    }
  }
  ExpectState(buffer.Holds(held),
              "another number of bytes in a switch's buffer than in its queues");
}

void SwitchSide::Mark(DomainState& state, const Port& port, std::uint32_t index, int queue,
                      Packet* p) {
  PortExtras& extras = state.extras()[index];
  if (state.watcher() != nullptr) state.watcher()->MarkIsDrawn(state, index);
  const std::int64_t queued = port.queues[queue].bytes;
  const bool ultra = p->kind == PacketKind::kUecData;
  if (!(ultra ? lossy_.Marks(state, index, queued) : EcnMarks(extras.ecn, queued, &extras.marking)))
    return;
  p->marked = 1;
  ++extras.marked;
  ++state.books().marked;
}

void SwitchSide::Stamp(DomainState& state, const Port& port, std::uint32_t index, Packet* p,
                       MessageTail* tail) {
  if (p->kind != PacketKind::kData) return;
  const PortReading reading{state.now(),       port.rate, port.sent_bytes,
                            port.queued_bytes, p->size,   state.context().max_rtt};
  state.context().control.Stamp(reading, &state.extras()[index].congestion, &p->stamp,
                                tail != nullptr ? tail->bytes : nullptr);
}

}  // namespace heddle
