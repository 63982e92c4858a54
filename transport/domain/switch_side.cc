// SPDX-License-Identifier: GPL-2.0-only
/// The switch side of FabricDomain: route by hash, admit into the shared buffer, queue by priority,
/// mark and stamp at the way out. NVSwitches alike, without PFC, ECN and telemetry (as SimAI's
/// NVSwitchNode).
#include <algorithm>
#include <cstring>

#include "topology/routes/ecmp_hash.h"
#include "transport/domain/fabric_domain.h"
#include "transport/domain/transmit.h"

namespace heddle {

std::uint32_t FabricDomain::Egress(const Node& node, const Packet& p) const {
  if (p.destination.value >= places_->size())
    return kNoRoute;  // an NVSwitch is reached by its neighbours only
  const ForwardingTable::NextHops hops = tables_[node.forwards].Find(p.destination, *places_);
  if (hops.count == 1) return hops.ports[0];
  if (hops.count == 0) return kNoRoute;
  const std::uint32_t hash =
      EcmpHash({AddressOf(p.source), AddressOf(p.destination), p.source_port, p.destination_port},
               node.id.value);
  return hops.ports[hash % hops.count];
}

void FabricDomain::Forward(const Port& in, std::uint32_t slot) {
  const Node& node = nodes_[in.node];
  const SharedBuffer& buffer = buffers_[node.forwards];
  const Packet& p = packet(slot);
  const std::uint32_t egress = p.next != kNotRouted ? p.next : Egress(node, p);
  if (egress == kNoRoute) {
    Drop(node, NumberOf(p.ingress), DropReason::kNoRoute, p);
    cargo_.Free(slot);
    return;
  }
  Port& out = ports_[egress];
  // The way out is free, nobody else waits for it, and the buffer is so empty that passing through
  // it would change nothing.
  const bool passes = now_ >= out.busy_until && out.waiting == 0 &&
                      (out.paused >> p.priority & 1) == 0 &&
                      buffer.used() + p.size <= buffer.quiet_level() && !out.has(Port::kDown) &&
                      !(out.has(Port::kNvSwitch) && out.nic != kNone && nics_[out.nic].any_ready());
  if (!passes) {
    EnqueueForwarded(node, out, egress, slot);
    return;
  }
  Packet copy = p;
  MessageTail* tail = HoldTail(slot);
  cargo_.Free(slot);
  if (out.has(Port::kStamps)) Stamp(out, egress, &copy, tail);
  Transmit(out, copy, tail);
}

void FabricDomain::EnqueueForwarded(const Node& node, Port& out, std::uint32_t egress,
                                    std::uint32_t slot) {
  const Packet& p = packet(slot);
  SharedBuffer& buffer = buffers_[node.forwards];
  const int priority = p.priority;
  const std::uint32_t ingress = p.ingress;
  const std::uint32_t in_port = ingress - node.first_port;
  const bool down = out.has(Port::kDown);
  const bool quiet = buffer.used() + p.size <= buffer.quiet_level();
  if (down || (!quiet && !buffer.Admits(in_port, priority, p.size))) {
    Drop(node, NumberOf(egress), down ? DropReason::kLinkDown : DropReason::kBufferFull, p);
    cargo_.Free(slot);
    return;
  }
  const bool idle = now_ >= out.busy_until && out.waiting == 0;
  if (quiet) {
    buffer.AddQuietly(in_port, priority, p.size);
  } else {
    buffer.Add(in_port, priority, p.size);
  }
  Enqueue(out, priority, slot);
  if (!quiet && node.pauses) CheckPause(node, ingress, priority, egress);
  if (out.sendable() == 0) return;
  if (idle) {
    Send(out, egress);
  } else {
    WakePort(out, egress, std::max(now_, out.busy_until));
  }
}

int FabricDomain::NextQueue(Port& port) {
  const std::uint32_t queues = port.sendable();
  if (queues == 0) return -1;
  // Priority 0 is for control and goes first; the others take turns (SimAI: broadcom-egress-queue).
  if ((queues & 1) != 0) return 0;
  const unsigned after = (queues >> (port.last_served + 1U)) << (port.last_served + 1U);
  const int queue = __builtin_ctz(after != 0 ? after : queues);
  port.last_served = static_cast<std::uint8_t>(queue);
  return queue;
}

void FabricDomain::SwitchSend(Port& port, std::uint32_t index) {
  const int queue = NextQueue(port);
  if (queue < 0) return;
  const std::uint32_t slot = Dequeue(port, queue);
  Packet p = packet(slot);
  const std::uint32_t ingress = p.ingress;
  LeaveBuffer(port, queue, p);
  if (port.has(Port::kMarks) && port.queues[queue].bytes > port.kmin && queue != 0)
    Mark(port, index, queue, &p);
  MessageTail* tail = HoldTail(slot);
  cargo_.Free(slot);
  if (port.has(Port::kStamps)) Stamp(port, index, &p, tail);
  Transmit(port, p, tail);
  // Only now: a packet may leave by the port that it came in, and the resume frame goes out of that
  // one.
  if (ingress != kOwnPacket) CheckResume(nodes_[port.node], ingress, queue);
  if (port.sendable() != 0) WakePort(port, index, port.busy_until);
}

void FabricDomain::LeaveBuffer(const Port& port, int queue, const Packet& p) {
  if (p.ingress == kOwnPacket) return;
  const Node& node = nodes_[port.node];
  buffers_[node.forwards].Remove(p.ingress - node.first_port, queue, p.size);
}

void FabricDomain::Mark(const Port& port, std::uint32_t index, int queue, Packet* p) {
  PortExtras& extras = extras_[index];
  if (!EcnMarks(extras.ecn, port.queues[queue].bytes, &extras.marking)) return;
  p->marked = 1;
  ++extras.marked;
  ++books_.marked;
}

void FabricDomain::Stamp(const Port& port, std::uint32_t index, Packet* p, MessageTail* tail) {
  if (p->kind != PacketKind::kData) return;
  if (tail != nullptr) {
    Telemetry telemetry;
    std::memcpy(static_cast<void*>(&telemetry), tail->bytes, sizeof telemetry);
    telemetry.Push(now_, port.sent_bytes, port.queued_bytes, port.rate);
    std::memcpy(tail->bytes, static_cast<const void*>(&telemetry), sizeof telemetry);
    return;
  }
  const std::uint16_t power = context_->control.pint()->Stamp(
      &extras_[index].utilisation, now_, port.rate, port.queued_bytes, p->size, context_->max_rtt);
  p->stamp = std::max<std::int64_t>(p->stamp, power);
}

void FabricDomain::SendOwn(std::uint32_t index, const Packet& p, int queue,
                           const MessageTail* tail) {
  static constexpr MessageTail kNoTelemetry{};
  Port& port = ports_[index];
  if (port.has(Port::kDown)) {
    ++books_.injected_packets;
    books_.injected_bytes += p.size;
    Drop(nodes_[port.node], NumberOf(index), DropReason::kLinkDown, p);
    return;
  }
  const std::uint32_t slot = StorePacket(p);
  if (context_->tails) StoreTail(slot, tail != nullptr ? tail : &kNoTelemetry);
  if (!port.has(Port::kAtHost)) {
    packet(slot).ingress = kOwnPacket;
    ++books_.injected_packets;
    books_.injected_bytes += p.size;
  }
  Enqueue(port, queue, slot);
  Send(port, index);
}

}  // namespace heddle
