// SPDX-License-Identifier: GPL-2.0-only
/// The switch side of FabricDomain: route by hash, admit into the shared buffer, queue by priority. NVSwitches alike.
#include <algorithm>

#include "topology/ecmp_hash.h"
#include "transport/fabric_domain.h"
#include "transport/transmit.h"

namespace heddle {

std::uint32_t FabricDomain::Egress(const Node& node, const Packet& p) const {
  const ForwardingTable::NextHops hops =
      tables_[node.model].Find(p.destination, context_->places);
  HEDDLE_INVARIANT(hops.count > 0, "a switch has no route for a packet that reached it");
  if (hops.count == 1) return hops.ports[0];
  const std::uint32_t hash =
      EcmpHash({AddressOf(p.source), AddressOf(p.destination), p.source_port, p.destination_port}, node.id.value);
  return hops.ports[hash % hops.count];
}

void FabricDomain::Forward(const Port& in, std::uint32_t slot) {
  const Node& node = nodes_[in.node];
  Switch& sw = switches_[node.model];
  const Packet& p = packet(slot);
  const std::uint32_t egress = p.next != kNotRouted ? p.next : Egress(node, p);
  Port& out = ports_[egress];
  if (now_ >= out.busy_until && out.waiting == 0) {
    Packet copy = p;
    cargo_.Free(slot);
    Transmit(out, copy);
    return;
  }
  if (sw.buffered + p.size > context_->options.buffer_mib * (std::int64_t{1} << 20)) {
    Drop(node, out, egress, slot);
    return;
  }
  sw.buffered += p.size;
  Enqueue(out, p.priority, slot);
  WakePort(out, egress, out.busy_until);
}

void FabricDomain::SwitchSend(Port& port, std::uint32_t index) {
  if (port.waiting == 0) return;
  // Priority 0 is for control and goes first; the others take turns (SimAI: broadcom-egress-queue).
  int queue = 0;
  if ((port.waiting & 1) == 0) {
    const unsigned after = (port.waiting >> (port.last_served + 1U)) << (port.last_served + 1U);
    queue = __builtin_ctz(after != 0 ? after : port.waiting);
    port.last_served = static_cast<std::uint8_t>(queue);
  }
  const std::uint32_t slot = Dequeue(port, queue);
  Packet p = packet(slot);
  cargo_.Free(slot);
  switches_[nodes_[port.node].model].buffered -= p.size;
  Transmit(port, p);
  if (port.waiting != 0) WakePort(port, index, port.busy_until);
}

void FabricDomain::Drop(const Node& node, const Port& out, std::uint32_t egress, std::uint32_t slot) {
  ++books_.dropped_packets;
  books_.dropped_bytes += packet(slot).size;
  cargo_.Free(slot);
  const PortId port(egress - node.first_port);
  for (DropRecord& record : drops_) {
    if (record.node == node.id && record.port == port) {
      ++record.packets;
      return;
    }
  }
  drops_.push_back({node.id, port, 1});
}

}  // namespace heddle
