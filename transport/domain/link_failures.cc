// SPDX-License-Identifier: GPL-2.0-only
/// Packets lost on the wire, links that go down, come back or change their rate, and routes that
/// follow.
///
/// A packet is lost if its link goes down at any moment between its first bit's departure and its
/// last bit's arrival. A port whose link is down sends nothing and forgets what waits there. Routes
/// follow after the convergence time; queue pairs and ACKs whose NIC no longer leads anywhere move
/// to one that does.
#include <algorithm>

#include "transport/domain/fabric_domain.h"
#include "transport/domain/transmit.h"

namespace heddle {

bool FabricDomain::IsLost(std::uint32_t index, const Packet& p) {
  const Port& in = ports_[index];
  PortExtras& extras = extras_[index];
  const Time finish = now_ - in.delay;
  Time departure = finish - WireTime(in, p.size);
  if (extras.rate_before.bps > 0) {
    // What was being sent when the rate changed was finished at the old one: the first packet to
    // finish from then on, if it can be.
    const Time before = finish - PacedTime(in, extras.rate_before, p.size);
    if (before < extras.rate_changed) departure = before;
    if (finish >= extras.rate_changed) extras.rate_before = BitRate{};
  }
  const bool cut = in.has(Port::kDown) || extras.last_down > departure;
  const bool garbled = !cut && extras.error_rate > 0 && extras.errors.Uniform() < extras.error_rate;
  if (!cut && !garbled) return false;
  Drop(nodes_[in.node], NumberOf(index), cut ? DropReason::kLinkDown : DropReason::kWireError, p);
  return true;
}

void FabricDomain::ApplyFaults(std::uint32_t index) {
  const FaultInstant& instant = context_->faults[index];
  for (const LinkEvent& event : instant.links) {
    const Link& link = context_->graph->link(event.link);
    for (NodeId end : {link.a, link.b}) {
      if (const Node* node = FindNode(end)) ApplyLinkEvent(*node, event);
    }
  }
  if (instant.epoch != FaultInstant::kSameRoutes) {
    UseEpoch(instant.epoch);
    Reroute();
  }
}

void FabricDomain::ApplyLinkEvent(const Node& node, const LinkEvent& event) {
  const std::uint32_t number = PortOf(*context_->graph, node.id, event.link).value;
  const std::uint32_t index = node.first_port + number;
  switch (event.kind) {
    case LinkEvent::Kind::kDown:
      TakeDown(index);
      break;
    case LinkEvent::Kind::kUp:
      ports_[index].flags = static_cast<std::uint8_t>(ports_[index].flags & ~Port::kDown);
      Send(ports_[index], index);
      break;
    case LinkEvent::Kind::kRate:
      extras_[index].rate_changed = now_;
      extras_[index].rate_before = ports_[index].rate;
      SetRate(index, event.rate);
      if (node.forwards != kNone) buffers_[node.forwards].SetRate(number, event.rate);
      break;
  }
}

void FabricDomain::TakeDown(std::uint32_t index) {
  Port& port = ports_[index];
  const Node& node = nodes_[port.node];
  port.flags |= Port::kDown;
  extras_[index].last_down = now_;
  ForgetPauses(index);
  for (int queue = 0; queue < kPriorities; ++queue) {
    while ((port.waiting >> queue & 1) != 0) {
      const std::uint32_t slot = Dequeue(port, queue);
      const Packet p = packet(slot);
      cargo_.Free(slot);
      if (port.has(Port::kAtHost)) {  // not in the books before it is sent
        ++books_.injected_packets;
        books_.injected_bytes += p.size;
      } else {
        LeaveBuffer(port, queue, p);
        if (p.ingress != kOwnPacket) CheckResume(node, p.ingress, queue);
      }
      Drop(node, NumberOf(index), DropReason::kLinkDown, p);
    }
  }
  if (node.forwards == kNone) return;
  // The other end has forgotten that it was paused.
  for (int priority = 0; priority < kPriorities; ++priority) {
    buffers_[node.forwards].SetPaused(index - node.first_port, priority, false);
  }
}

void FabricDomain::UseEpoch(std::uint32_t epoch) {
  const RouteEpoch& next = context_->epochs[epoch];
  const bool follows = epoch == epoch_ + 1;
  epoch_ = epoch;
  routes_ = next.routes.get();
  places_ = context_->places[epoch].get();
  for (const Node& node : nodes_) {
    if (node.forwards == kNone) continue;
    ForwardingTable& table = tables_[node.forwards];
    if (follows) {
      table.Update(*context_->graph, next, *places_, node.id, node.first_port);
    } else {
      table = ForwardingTable(*context_->graph, *routes_, *places_, node.id, node.first_port);
    }
  }
}

std::vector<std::uint32_t> FabricDomain::LiveQueuePairs() const {
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slot < queue_pairs_.size(); ++slot) {
    if (queue_pairs_[slot].flow.source.valid()) slots.push_back(slot);
  }
  std::sort(slots.begin(), slots.end(), [this](std::uint32_t a, std::uint32_t b) {
    return queue_pairs_[a].flow < queue_pairs_[b].flow;
  });
  return slots;
}

void FabricDomain::Reroute() {
  const RouteEpoch& epoch = context_->epochs[epoch_];
  const auto concerns = [&](NodeId a, NodeId b) {
    const bool gpus = context_->graph->is_gpu(a) && context_->graph->is_gpu(b);
    return !gpus || epoch.Affects(a) || epoch.Affects(b);
  };
  for (std::uint32_t slot : LiveQueuePairs()) {
    if (concerns(queue_pairs_[slot].flow.source, queue_pairs_[slot].destination))
      RerouteQueuePair(slot);
  }
  for (std::uint32_t slot = 0; slot < receive_slots_.size(); ++slot) {
    ReceiveQueuePair& receiver = receive_slots_[slot];
    if (!receiver.flow.source.valid() || !concerns(receiver.flow.source, receiver.node)) continue;
    receiver.ack_port = ChooseNic(*FindNode(receiver.node), receiver.flow.source,
                                  receiver.destination_port, receiver.source_port);
  }
}

void FabricDomain::RerouteQueuePair(std::uint32_t slot) {
  const QueuePair& pair = queue_pairs_[slot];
  const std::uint32_t port = ChooseNic(*FindNode(pair.flow.source), pair.destination,
                                       pair.source_port, pair.destination_port);
  if (port == pair.port) return;
  LeaveNic(slot);
  if (port == QueuePair::kParked) return;
  JoinNic(slot, port);
  Send(ports_[port], port);
}

}  // namespace heddle
