// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/state/domain_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/traffic/flow_agent.h"

namespace heddle {

void DomainState::FailRate(const Port& port) const {
  throw InvariantError(fmt::format("node {}: a link was asked to carry more than its rate at {} ps",
                                   NodeOf(port).id.value, clock_.now.ps));
}

bool DomainState::HasLane(std::uint16_t lane) const {
  const ScaleUpRun* run = context_->scale_up.get();
  return lane == FlowPost::kAnyLane ||
         (run != nullptr && run->routes && lane < run->routes->lanes());
}

void DomainState::Enqueue(Port& port, int queue, std::uint32_t slot) {
  PacketFifo& fifo = port.queues[queue];
  Packet& p = packet(slot);
  p.next = kNoPacket;
  if ((port.waiting >> queue & 1) != 0) {
    packet(fifo.tail).next = slot;
  } else {
    fifo.head = slot;
    port.waiting = static_cast<std::uint8_t>(port.waiting | (1U << queue));
  }
  fifo.tail = slot;
  fifo.bytes += p.size;
  port.queued_bytes += p.size;
  port.max_queued_bytes = std::max(port.max_queued_bytes, port.queued_bytes);
  if (watches_) QueueChanged(*this, port, queue, p, +1);
}

std::uint32_t DomainState::Dequeue(Port& port, int queue) {
  PacketFifo& fifo = port.queues[queue];
  const std::uint32_t slot = fifo.head;
  const Packet& p = packet(slot);
  fifo.head = p.next;
  if (slot == fifo.tail) port.waiting = static_cast<std::uint8_t>(port.waiting & ~(1U << queue));
  fifo.bytes -= p.size;
  port.queued_bytes -= p.size;
  if (watches_) QueueChanged(*this, port, queue, p, -1);
  return slot;
}

void DomainState::WakePort(Port& port, std::uint32_t index, Time time) {
  time = std::max(time, port.busy_until);
  if (port.wake_at <= time) return;
  port.wake_at = time;
  queue_.Push({time, port.own_order, index, 0});
}

void DomainState::Drop(const Node& node, PortId port, DropReason reason, const Packet& p) {
  ++books_.dropped_packets;
  books_.dropped_bytes += p.size;
  ledger_.AddDrop(node.id, port, reason);
}

void DomainState::RunPast(Time /*time*/, std::uint64_t /*reached*/) {
  HEDDLE_INVARIANT(false, "a domain without a past is asked for it");
}

}  // namespace heddle
