// SPDX-License-Identifier: GPL-2.0-only
/// Packets lost on the wire, links that go down, come back or change their rate, and routes that
/// follow.
///
/// A packet is lost if its link goes down at any moment between its first bit's departure and its
/// last bit's arrival. A port whose link is down sends nothing and forgets what waits there. Routes
/// follow after the convergence time; queue pairs and ACKs whose NIC no longer leads anywhere move
/// to one that does.
#include <algorithm>

#include "transport/domain/fabric_domain/fabric_domain.h"
#include "transport/domain/fabric_domain/wiring.h"
#include "transport/domain/state/transmit.h"

namespace heddle {

bool FabricDomain::IsLost(std::uint32_t index, const Packet& p) {
  const Port& in = ports_[index];
  PortExtras& extras = extras_[index];
  const Time finish = clock_.now - in.delay;
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
      if (event.sender.valid() && event.sender != end) continue;
      if (const Node* node = FindNode(end)) ApplyLinkEvent(*node, event);
    }
  }
  if (instant.epoch != FaultInstant::kSameRoutes) {
    switch_side_.UseEpoch(*this, instant.epoch);
    nic_routing_.UseEpoch(*context_, instant.epoch);
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
      Send(*this, ports_[index], index);
      break;
    case LinkEvent::Kind::kRate:
      extras_[index].rate_changed = clock_.now;
      extras_[index].rate_before = ports_[index].rate;
      SetRate(*this, index, event.rate);
      if (node.forwards != kNone) switch_side_.SetRate(node, PortId(number), event.rate);
      break;
  }
}

void FabricDomain::TakeDown(std::uint32_t index) {
  Port& port = ports_[index];
  const Node& node = nodes_[port.node];
  port.flags |= Port::kDown;
  extras_[index].last_down = clock_.now;
  pause_.Forget(*this, index);
  for (int queue = 0; queue < kPriorities; ++queue) {
    while ((port.waiting >> queue & 1) != 0) {
      const std::uint32_t slot = Dequeue(port, queue);
      const Packet p = packet(slot);
      cargo_.Free(slot);
      if (port.has(Port::kAtHost)) {  // not in the books before it is sent
        ++books_.injected_packets;
        books_.injected_bytes += p.size;
      } else {
        switch_side_.Discard(*this, port, queue, p);
      }
      Drop(node, NumberOf(index), DropReason::kLinkDown, p);
    }
  }
  if (node.forwards != kNone) switch_side_.ForgetPauses(node, NumberOf(index));
}

void FabricDomain::Reroute() {
  const RouteEpoch& epoch = context_->epochs[switch_side_.epoch()];
  const auto concerns = [&](NodeId a, NodeId b) {
    const bool gpus = context_->graph->is_gpu(a) && context_->graph->is_gpu(b);
    return !gpus || epoch.Affects(a) || epoch.Affects(b);
  };
  sender_.life().Reroute(*this, concerns);
  receiver_.Reroute(*this, concerns);
  if (context_->uec != nullptr) uec_receiver_.Reroute(*this, nic_routing_, concerns);
}

}  // namespace heddle
