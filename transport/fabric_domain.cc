// SPDX-License-Identifier: GPL-2.0-only
#include "transport/fabric_domain.h"

#include <fmt/format.h>

#include <algorithm>

#include "topology/ecmp_hash.h"
#include "transport/transmit.h"

namespace heddle {

FabricDomain::FabricDomain(DomainId id, const FabricContext* context, PostOffice* post_office,
                           const std::vector<NodeId>& nodes)
    : Domain(id), context_(context), post_office_(post_office), own_index_(post_office->AddressOf(id).index) {
  for (NodeId node : nodes) AddNode(node);
}

void FabricDomain::AddNode(NodeId id) {
  const Graph& graph = *context_->graph;
  Node node;
  node.id = id;
  node.is_gpu = graph.is_gpu(id);
  node.first_port = context_->first_port[id.value];
  node.ports = static_cast<std::uint32_t>(graph.ports(id).size());
  HEDDLE_ASSERT(node.first_port == ports_.size());
  if (node.is_gpu) {
    node.model = static_cast<std::uint32_t>(hosts_.size());
    hosts_.emplace_back();
  } else {
    node.model = static_cast<std::uint32_t>(switches_.size());
    switches_.emplace_back();
    tables_.emplace_back(graph, *context_->routes, context_->places, id, node.first_port);
  }
  nodes_.push_back(node);
  for (std::uint32_t port = 0; port < node.ports; ++port) ConnectPort(id, PortId(port));
}

void FabricDomain::ConnectPort(NodeId id, PortId number) {
  const Graph& graph = *context_->graph;
  const Attachment& attachment = graph.ports(id)[number.value];
  const Link& link = graph.link(attachment.link);
  Port port;
  port.rate = link.rate;
  const bool whole = 8'000'000'000'000 % link.rate.bps == 0 && !context_->options.truncate_ns;
  port.ps_per_byte = whole ? 8'000'000'000'000 / link.rate.bps : 0;
  port.delay = link.delay;
  port.far_order = EventOrder(attachment.peer, attachment.peer_port, kArrival).bits();
  port.far_domain = context_->domain_of[attachment.peer.value];
  port.far_address = post_office_->AddressOf(port.far_domain);
  port.far_port = context_->first_port[attachment.peer.value] + attachment.peer_port.value;
  port.node = static_cast<std::uint32_t>(nodes_.size() - 1) & 0xffffff;
  port.own_order = EventOrder(id, number, kPortFree).bits();
  if (nodes_.back().is_gpu) {
    port.nic = static_cast<std::uint32_t>(nics_.size());
    nics_.emplace_back();
  }
  ports_.push_back(port);
}

void FabricDomain::RunUntil(Time end) {
  Event event;
  while (queue_.PopBefore(end, &event)) {
    HEDDLE_INVARIANT(event.time >= now_,
                     fmt::format("domain {}: event at {} ps came after {} ps", id().value, event.time.ps, now_.ps));
    now_ = event.time;
    ++events_;
    if (context_->prefetch) Prefetch();
    switch (EventOrder(event.order).kind()) {
      case kArrival: {
        const Port& in = ports_[packet(event.argument).ingress];
        if (in.nic != ~0U) {
          HostReceive(in, event.argument);
        } else {
          Forward(in, event.argument);
        }
        break;
      }
      case kPortFree: {
        Port& port = ports_[event.argument];
        if (port.wake_at != event.time) break;  // overtaken by an earlier wake-up
        port.wake_at = Time::Max();
        if (port.nic != ~0U) {
          NicSend(port, event.argument);
        } else {
          SwitchSend(port, event.argument);
        }
        break;
      }
      case kFlowStart:
        StartFlows(event.argument);
        break;
    }
  }
}

void FabricDomain::Prefetch() {
  // The distances were found by measurement: packets first, then the ports that they come in and go out by.
  constexpr std::size_t kPacketAhead = 6;
  constexpr std::size_t kPortAhead = 2;
  if (queue_.AtBucketStart()) {
    for (std::size_t ahead = 0; ahead < kPacketAhead; ++ahead) {
      if (const Event* event = queue_.PeekOpen(ahead)) __builtin_prefetch(&cargo_[event->argument]);
    }
  }
  if (const Event* event = queue_.PeekOpen(kPacketAhead)) __builtin_prefetch(&cargo_[event->argument]);
  if (const Event* event = queue_.PeekOpen(kPortAhead)) {
    if (EventOrder(event->order).kind() == kArrival) {
      Packet& p = packet(event->argument);
      const Node& node = nodes_[ports_[p.ingress].node];
      if (node.is_gpu) return;
      p.next = Egress(node, p);
      __builtin_prefetch(&ports_[p.next]);
    } else if (EventOrder(event->order).kind() == kPortFree) {
      __builtin_prefetch(&ports_[event->argument]);
    }
  }
}

void FabricDomain::FailRate(const Port& port) const {
  throw InvariantError(fmt::format("node {}: a link was asked to carry more than its rate at {} ps",
                                   nodes_[port.node].id.value, now_.ps));
}

void FabricDomain::Enqueue(Port& port, int queue, std::uint32_t slot) {
  PacketFifo& fifo = port.queues[queue];
  Packet& p = packet(slot);
  p.next = kNoPacket;
  if ((port.waiting >> queue & 1) != 0) {
    packet(fifo.tail).next = slot;
  } else {
    fifo.head = slot;
    port.waiting = (port.waiting | (1U << queue)) & 0xff;
  }
  fifo.tail = slot;
  port.queued_bytes += p.size;
  port.max_queued_bytes = std::max(port.max_queued_bytes, port.queued_bytes);
}

std::uint32_t FabricDomain::Dequeue(Port& port, int queue) {
  PacketFifo& fifo = port.queues[queue];
  const std::uint32_t slot = fifo.head;
  const Packet& p = packet(slot);
  fifo.head = p.next;
  if (slot == fifo.tail) port.waiting = port.waiting & ~(1U << queue) & 0xff;
  port.queued_bytes -= p.size;
  return slot;
}

void FabricDomain::WakePort(Port& port, std::uint32_t index, Time time) {
  time = std::max(time, port.busy_until);
  if (port.wake_at <= time) return;
  port.wake_at = time;
  queue_.Push({time, port.own_order, index, 0});
}

std::vector<FabricDomain::NodeView> FabricDomain::nodes() const {
  std::vector<NodeView> views;
  for (const Node& node : nodes_) views.push_back({node.id, node.first_port, node.ports});
  return views;
}

void FabricDomain::CountInFlight(std::int64_t* packets, std::int64_t* bytes) const {
  for (const Event& event : queue_.Sorted()) {
    if (EventOrder(event.order).kind() != kArrival) continue;
    ++*packets;
    *bytes += packet(event.argument).size;
  }
  for (const Port& port : ports_) {
    // ACKs that wait in a NIC have not been sent yet: the books count what hosts put on a link.
    if (port.nic != ~0U) continue;
    for (int queue = 0; queue < kPriorities; ++queue) {
      if ((port.waiting >> queue & 1) == 0) continue;
      for (std::uint32_t slot = port.queues[queue].head; slot != ~0U; slot = packet(slot).next) {
        ++*packets;
        *bytes += packet(slot).size;
      }
    }
  }
}

std::size_t FabricDomain::memory() const {
  std::size_t total = sizeof *this + cargo_.memory() + queue_pairs_.memory() + receive_slots_.memory() +
                      ports_.capacity() * sizeof(Port) + finished_.capacity() * sizeof(FlowRecord) +
                      arrivals_.capacity() * sizeof(FlowArrival);
  for (const ForwardingTable& table : tables_) total += table.memory();
  return total;
}

}  // namespace heddle
