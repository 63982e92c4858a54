// SPDX-License-Identifier: GPL-2.0-only
/// The GPU side of FabricDomain: flows, queue pairs, acknowledgements, the NIC's choice of what to send.
#include <fmt/format.h>

#include <algorithm>

#include "topology/ecmp_hash.h"
#include "transport/fabric_domain.h"
#include "transport/transmit.h"

namespace heddle {
namespace {
constexpr int kAckQueue = 0;  ///< at NICs: the only queue of packets; data comes straight from the queue pairs
}  // namespace

void FabricDomain::Plan(const std::vector<PlannedFlow>& flows) {
  for (const PlannedFlow& flow : flows) {
    for (const Node& node : nodes_) {
      if (node.id == flow.id.source) hosts_[node.model].plan.push_back(flow);
    }
  }
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].is_gpu) continue;
    std::vector<PlannedFlow>& plan = hosts_[nodes_[i].model].plan;
    std::stable_sort(plan.begin(), plan.end(), [](const PlannedFlow& a, const PlannedFlow& b) {
      return a.request.start < b.request.start;
    });
    ScheduleNextStart(i);
  }
}

void FabricDomain::ScheduleNextStart(std::uint32_t node) {
  const Host& host = hosts_[nodes_[node].model];
  if (host.next == host.plan.size()) return;
  queue_.Push({host.plan[host.next].request.start, EventOrder(nodes_[node].id, PortId(0), kFlowStart).bits(), node, 0});
}

void FabricDomain::StartFlows(std::uint32_t node) {
  Host& host = hosts_[nodes_[node].model];
  while (host.next < host.plan.size() && host.plan[host.next].request.start <= now_) {
    StartFlow(nodes_[node], host.plan[host.next++]);
  }
  ScheduleNextStart(node);
}

std::uint32_t FabricDomain::ChooseNic(const Node& node, NodeId peer, std::uint16_t source_port,
                                      std::uint16_t destination_port) {
  context_->routes->NextHops(node.id, peer, &scratch_);
  HEDDLE_INVARIANT(!scratch_.empty(), fmt::format("no route from GPU {} to node {}", node.id.value, peer.value));
  const std::uint32_t hash =
      EcmpHash({AddressOf(node.id), AddressOf(peer), source_port, destination_port}, kNicHashSeed);
  return node.first_port + scratch_[hash % scratch_.size()].value;
}

void FabricDomain::StartFlow(const Node& node, const PlannedFlow& flow) {
  const std::uint32_t index =
      ChooseNic(node, flow.request.destination, flow.source_port, flow.request.destination_port);
  Port& port = ports_[index];
  const std::uint32_t slot = queue_pairs_.Allocate();
  QueuePair pair;
  pair.flow = flow.id;
  pair.destination = flow.request.destination;
  pair.source_port = flow.source_port;
  pair.destination_port = flow.request.destination_port;
  pair.priority = flow.request.priority;
  pair.port = index;
  pair.size = flow.request.size.count;
  pair.window = flow.window;
  pair.rate = port.rate;
  pair.next_send = now_;
  pair.start = now_;
  pair.ideal = flow.ideal;
  RoundRobin& nic = nics_[port.nic];
  pair.position = nic.Add(slot);
  queue_pairs_[slot] = pair;
  nic.SetReady(pair.position, true);
  ++books_.flows_started;
  NicSend(port, index);
}

void FabricDomain::NicSend(Port& port, std::uint32_t index) {
  if (now_ < port.busy_until) {
    WakePort(port, index, port.busy_until);
    return;
  }
  RoundRobin& nic = nics_[port.nic];
  Packet p;
  if ((port.waiting >> kAckQueue & 1) != 0) {
    const std::uint32_t slot = Dequeue(port, kAckQueue);
    p = packet(slot);
    cargo_.Free(slot);
  } else {
    Time earliest = Time::Max();
    const std::uint32_t position = nic.Pick([&](std::uint32_t slot) {
      const Time next = queue_pairs_[slot].next_send;
      if (next <= now_) return true;
      earliest = std::min(earliest, next);
      return false;
    });
    if (position == RoundRobin::kNone) {
      if (earliest < Time::Max()) WakePort(port, index, earliest);
      return;
    }
    p = NextDataPacket(nic.member(position));
  }
  p.timestamp = now_.ps;
  ++books_.injected_packets;
  books_.injected_bytes += p.size;
  Transmit(port, p);
  if (port.waiting != 0 || nic.any_ready()) WakePort(port, index, port.busy_until);
}

Packet FabricDomain::NextDataPacket(std::uint32_t slot) {
  QueuePair& pair = queue_pairs_[slot];
  const std::int64_t payload = std::min(context_->options.payload, pair.size - pair.next);
  Packet p;
  p.source = pair.flow.source;
  p.destination = pair.destination;
  p.flow_number = pair.flow.number;
  p.queue_pair = slot;
  p.source_port = pair.source_port;
  p.destination_port = pair.destination_port;
  p.size = static_cast<std::uint16_t>(payload + kHeaderBytes);
  p.kind = PacketKind::kData;
  p.priority = pair.priority & 7;
  p.sequence = pair.next;
  pair.next += payload;
  p.last = pair.next == pair.size;
  // The pacing rate is the port's: what paces below it comes with congestion control.
  pair.next_send = now_ + WireTime(ports_[pair.port], p.size);
  if (!pair.ready()) nics_[ports_[pair.port].nic].SetReady(pair.position, false);
  return p;
}

void FabricDomain::HostReceive(const Port& in, std::uint32_t slot) {
  const Packet p = packet(slot);
  cargo_.Free(slot);
  if (context_->options.lose_packet > 0 && ++host_packets_ == context_->options.lose_packet) return;
  ++books_.received_packets;
  books_.received_bytes += p.size;
  if (p.kind == PacketKind::kData) {
    ReceiveData(nodes_[in.node], p);
  } else {
    ReceiveAck(p);
  }
}

void FabricDomain::ReceiveData(const Node& node, const Packet& data) {
  const FlowId flow{data.source, data.flow_number};
  std::uint32_t slot = receivers_.Find(flow.packed());
  if (slot == FlatMap::kNone) {
    slot = receive_slots_.Allocate();
    receive_slots_[slot] = {};
    receive_slots_[slot].ack_port = ChooseNic(node, data.source, data.destination_port, data.source_port);
    receivers_.Insert(flow.packed(), slot);
  }
  ReceiveQueuePair& receiver = receive_slots_[slot];
  if (data.sequence > receiver.expected) {
    ++books_.out_of_order;
    return;
  }
  const std::int64_t end = data.sequence + data.size - kHeaderBytes;
  const bool duplicate = data.sequence < receiver.expected;
  if (!duplicate) {
    receiver.unreported += end - receiver.expected;
    receiver.expected = end;
  }
  const bool complete = data.last && receiver.expected == end;
  if (complete || duplicate || receiver.unreported >= context_->options.ack_interval) {
    SendAck(receiver, data);
    receiver.unreported = 0;
  }
  if (complete) {
    arrivals_.push_back({flow, now_});
    receivers_.Erase(flow.packed());
    receive_slots_.Free(slot);
  }
}

void FabricDomain::SendAck(const ReceiveQueuePair& receiver, const Packet& data) {
  Packet ack;
  ack.source = data.destination;
  ack.destination = data.source;
  ack.flow_number = data.flow_number;
  ack.queue_pair = data.queue_pair;
  ack.source_port = data.destination_port;
  ack.destination_port = data.source_port;
  ack.size = static_cast<std::uint16_t>(kAckBytes);
  ack.kind = PacketKind::kAck;
  ack.priority = data.priority;
  ack.last = 0;
  ack.sequence = receiver.expected;
  ack.timestamp = data.timestamp;
  ack.next = kNoPacket;
  const std::uint32_t index = receiver.ack_port;
  Enqueue(ports_[index], kAckQueue, StorePacket(ack));
  NicSend(ports_[index], index);
}

void FabricDomain::ReceiveAck(const Packet& ack) {
  QueuePair& pair = queue_pairs_[ack.queue_pair];
  HEDDLE_ASSERT((pair.flow == FlowId{ack.destination, ack.flow_number}));
  pair.unacked = std::max(pair.unacked, ack.sequence);
  if (pair.unacked >= pair.size) {
    Finish(ack.queue_pair);
    return;
  }
  if (!pair.ready()) return;
  const std::uint32_t index = pair.port;
  Port& port = ports_[index];
  nics_[port.nic].SetReady(pair.position, true);
  NicSend(port, index);
}

void FabricDomain::Finish(std::uint32_t slot) {
  const QueuePair pair = queue_pairs_[slot];
  finished_.push_back({pair.flow, pair.destination, pair.source_port, pair.destination_port, pair.priority, pair.size,
                       pair.start, now_ - pair.start, pair.ideal});
  ++books_.flows_finished;
  RoundRobin& nic = nics_[ports_[pair.port].nic];
  nic.Remove(pair.position);
  nic.Compact([this](std::uint32_t member, std::uint32_t position) { queue_pairs_[member].position = position; });
  queue_pairs_.Free(slot);
}

std::vector<FlowRecord> FabricDomain::Unfinished() const {
  std::vector<FlowRecord> open;
  std::vector<std::uint64_t> done;
  for (const FlowRecord& flow : finished_) done.push_back(flow.flow.packed());
  std::sort(done.begin(), done.end());
  for (const Host& host : hosts_) {
    for (const PlannedFlow& flow : host.plan) {
      if (std::binary_search(done.begin(), done.end(), flow.id.packed())) continue;
      open.push_back({flow.id, flow.request.destination, flow.source_port, flow.request.destination_port,
                      flow.request.priority, flow.request.size.count, flow.request.start, Time{-1}, flow.ideal});
    }
  }
  return open;
}

}  // namespace heddle
