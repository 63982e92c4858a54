// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/fabric_domain.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

FabricDomain::FabricDomain(DomainId id, const FabricContext* context, PostOffice* post_office,
                           const std::vector<NodeId>& nodes)
    : Domain(id),
      context_(context),
      post_office_(post_office),
      own_index_(post_office->AddressOf(id).index),
      routes_(context->epochs[0].routes.get()),
      places_(context->places[0].get()) {
  if (context->prefetch) queue_.OpenAtOnce(kOpenAtOnce);
  for (NodeId node : nodes) AddNode(node);
  for (std::uint32_t i = 0; i < context->faults.size(); ++i) {
    // Before all else of that time, whatever else this domain holds.
    queue_.Push(
        {context->faults[i].time, EventOrder(NodeId(0), PortId(0), kFault, i).bits(), i, 0});
  }
  const MonitorOptions& monitors = context->options.monitors;
  const auto first = [&](bool wanted, Time interval) {
    return wanted ? monitors.start + interval : Time::Max();
  };
  next_queue_sample_ = first(monitors.queues && !monitors.on_change, monitors.queue_interval);
  next_link_sample_ =
      first(monitors.links, monitors.start > Time{0} ? Time{0} : monitors.link_interval);
  next_pair_sample_ =
      first((monitors.rates || monitors.cnps) && !monitors.on_change, monitors.pair_interval);
  next_sample_ = std::min({next_queue_sample_, next_link_sample_, next_pair_sample_});
  if (monitors.queues) seen_queues_.resize(ports_.size() * kPriorities);
  watches_ = watch_queues_ = monitors.queues && monitors.on_change;
  watch_rates_ = monitors.rates && monitors.on_change;
  watch_cnps_ = monitors.cnps && monitors.on_change;
}

void FabricDomain::AddNode(NodeId id) {
  const Graph& graph = *context_->graph;
  Node node;
  node.id = id;
  node.kind = graph.kind(id);
  node.first_port = context_->first_port[id.value];
  node.ports = static_cast<std::uint32_t>(graph.ports(id).size());
  HEDDLE_ASSERT(node.first_port == ports_.size());
  if (node.kind == NodeKind::kGpu) {
    HostOf(&node);
  } else {
    node.forwards = static_cast<std::uint32_t>(buffers_.size());
    node.pauses = node.kind == NodeKind::kSwitch && context_->options.pfc.enabled;
    buffers_.push_back(MakeBuffer(*context_, id, Describe(graph, id)));
    tables_.emplace_back(graph, *routes_, *places_, id, node.first_port);
  }
  nodes_.push_back(node);
  for (std::uint32_t port = 0; port < node.ports; ++port) ConnectPort(node, PortId(port));
}

void FabricDomain::ConnectPort(const Node& node, PortId number) {
  const Graph& graph = *context_->graph;
  const Attachment& attachment = graph.ports(node.id)[number.value];
  const Link& link = graph.link(attachment.link);
  Port port;
  PortExtras extras(context_->seed, node.id, number);
  port.delay = link.delay;
  port.far_order = EventOrder(attachment.peer, attachment.peer_port, kArrival).bits();
  port.far_domain = context_->domain_of[attachment.peer.value];
  port.far_address = post_office_->AddressOf(port.far_domain);
  port.far_port = context_->first_port[attachment.peer.value] + attachment.peer_port.value;
  port.node = static_cast<std::uint32_t>(nodes_.size() - 1);
  port.own_order = EventOrder(node.id, number, kPortFree).bits();
  extras.error_rate =
      link.error_rate > 0 ? link.error_rate : context_->options.reliability.error_rate;
  extras.fails_until = context_->fails_until[attachment.link.value];
  port.flags = FixedFlags(node.kind, extras);
  if (node.kind == NodeKind::kGpu) {
    port.nic = static_cast<std::uint32_t>(nics_.size());
    nics_.emplace_back();
  }
  port.tier = tier_load_.SlotOf(context_->link_tiers->Of(node.id, attachment.peer));
  ports_.push_back(port);
  extras_.push_back(extras);
  SetRate(static_cast<std::uint32_t>(ports_.size() - 1), link.rate);
}

std::uint8_t FabricDomain::FixedFlags(NodeKind kind, const PortExtras& extras) const {
  const unsigned faulty =
      extras.error_rate > 0 || extras.fails_until >= Time{0} ? unsigned{Port::kFaulty} : 0U;
  if (kind == NodeKind::kGpu) return static_cast<std::uint8_t>(faulty | Port::kAtHost);
  if (kind == NodeKind::kNvSwitch) return static_cast<std::uint8_t>(faulty | Port::kNvSwitch);
  const unsigned marks = context_->marks ? unsigned{Port::kMarks} : 0U;
  const unsigned stamps =
      context_->tails || context_->control.stamps_pint() ? unsigned{Port::kStamps} : 0U;
  return static_cast<std::uint8_t>(faulty | marks | stamps);
}

std::uint32_t FabricDomain::PsPerByte(BitRate rate) const {
  const bool whole = 8'000'000'000'000 % rate.bps == 0 && !context_->options.truncate_ns;
  const std::int64_t ps = whole ? 8'000'000'000'000 / rate.bps : 0;
  return ps <= 0xffffffff ? static_cast<std::uint32_t>(ps) : 0;
}

void FabricDomain::SetRate(std::uint32_t index, BitRate rate) {
  Port& port = ports_[index];
  port.rate = rate;
  port.ps_per_byte = PsPerByte(rate);
  if (!port.has(Port::kMarks)) return;
  const Node& node = nodes_[port.node];
  PortExtras& extras = extras_[index];
  extras.ecn = context_->ecn->For(
      rate, fmt::format("{} port {}", Describe(*context_->graph, node.id), NumberOf(index).value));
  port.kmin = static_cast<std::uint32_t>(std::min<std::int64_t>(extras.ecn.kmin, 0xffffffff));
}

void FabricDomain::RunUntil(Time end) {
  Event event;
  while (queue_.PopBefore(end, &event)) {
    HEDDLE_INVARIANT(event.time >= now_, fmt::format("domain {}: event at {} ps came after {} ps",
                                                     id().value, event.time.ps, now_.ps));
    const std::uint32_t kind = EventOrder(event.order).kind();
    if (kind >= kPortFree && IsStale(event)) continue;
    if (event.time > next_due_) CatchUp(event.time);
    now_ = event.time;
    if (kind != kNotice && kind != kAskPath) last_ = now_;
    ++events_;
    if (context_->prefetch) Prefetch();
    RunEvent(event);
  }
}

bool FabricDomain::IsStale(const Event& event) {
  const EventOrder order(event.order);
  switch (order.kind()) {
    case kPortFree:
      return ports_[event.argument].wake_at != event.time;  // overtaken by an earlier wake-up
    case kPauseTimer:
      return !PauseTimerIsDue(event.argument, event.time);
    case kRateTimer:
      return !RateTimerIsDue(event.argument, event.time, order);
    case kTimeout:
      return !TimeoutIsDue(event.argument, event.time);
    default:
      return false;
  }
}

void FabricDomain::RunEvent(const Event& event) {
  switch (EventOrder(event.order).kind()) {
    case kArrival:
      Arrive(event.argument);
      break;
    case kPortFree: {
      Port& port = ports_[event.argument];
      port.wake_at = Time::Max();
      Send(port, event.argument);
      break;
    }
    case kNotice:
      ReceiveNotice(event.argument);
      break;
    case kPathAnswer:
      ReceiveAnswer(event.argument);
      break;
    case kAskPath:
      AskForPaths(event.argument);
      break;
    case kFlowStart:
      StartFlows(event.argument);
      break;
    case kFault:
      ApplyFaults(event.argument);
      break;
    case kPauseTimer:
      PauseTimer(event.argument);
      break;
    case kRateTimer:
      RateTimer(event.argument);
      break;
    case kTimeout:
      Timeouts(event.argument);
      break;
  }
}

void FabricDomain::Arrive(std::uint32_t slot) {
  const Packet& p = packet(slot);
  const std::uint32_t index = p.ingress;
  const Port& in = ports_[index];
  if (in.has(Port::kFaulty) && IsLost(index, p)) {
    cargo_.Free(slot);
  } else if (p.kind == PacketKind::kPause) {
    const Packet frame = p;
    cargo_.Free(slot);
    ReceivePauseFrame(index, frame);
  } else if (in.has(Port::kAtHost) ||
             (in.has(Port::kNvSwitch) && p.destination == nodes_[in.node].id)) {
    HostReceive(in, slot);
  } else {
    Forward(in, slot);
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
    port.waiting = static_cast<std::uint8_t>(port.waiting | (1U << queue));
  }
  fifo.tail = slot;
  fifo.bytes += p.size;
  port.queued_bytes += p.size;
  port.max_queued_bytes = std::max(port.max_queued_bytes, port.queued_bytes);
  if (watches_) QueueChanged(port, queue, p, +1);
}

std::uint32_t FabricDomain::Dequeue(Port& port, int queue) {
  PacketFifo& fifo = port.queues[queue];
  const std::uint32_t slot = fifo.head;
  const Packet& p = packet(slot);
  fifo.head = p.next;
  if (slot == fifo.tail) port.waiting = static_cast<std::uint8_t>(port.waiting & ~(1U << queue));
  fifo.bytes -= p.size;
  port.queued_bytes -= p.size;
  if (watches_) QueueChanged(port, queue, p, -1);
  return slot;
}

void FabricDomain::WakePort(Port& port, std::uint32_t index, Time time) {
  time = std::max(time, port.busy_until);
  if (port.wake_at <= time) return;
  port.wake_at = time;
  queue_.Push({time, port.own_order, index, 0});
}

void FabricDomain::Send(Port& port, std::uint32_t index) {
  if (now_ < port.busy_until) {
    WakePort(port, index, port.busy_until);
  } else if ((port.flags & (Port::kDown | Port::kAtHost | Port::kNvSwitch)) == 0) {
    SwitchSend(port, index);
  } else if (port.has(Port::kDown)) {
    return;
  } else if (port.has(Port::kAtHost)) {
    NicSend(port, index);
  } else if (port.nic != kNone) {
    NvSwitchSend(port, index);
  } else {
    SwitchSend(port, index);
  }
}

void FabricDomain::Drop(const Node& node, PortId port, DropReason reason, const Packet& p) {
  ++books_.dropped_packets;
  books_.dropped_bytes += p.size;
  const std::uint64_t key = (static_cast<std::uint64_t>(node.id.value) << 32) | (port.value << 2) |
                            static_cast<unsigned>(reason);
  std::uint32_t at = drop_index_.Find(key);
  if (at == FlatMap::kNone) {
    at = static_cast<std::uint32_t>(drops_.size());
    drops_.push_back({node.id, port, reason, 0});
    drop_index_.Insert(key, at);
  }
  ++drops_[at].packets;
}

const FabricDomain::Node* FabricDomain::FindNode(NodeId id) const {
  const auto at = std::lower_bound(nodes_.begin(), nodes_.end(), id,
                                   [](const Node& n, NodeId i) { return n.id < i; });
  return at != nodes_.end() && at->id == id ? &*at : nullptr;
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
    // ACKs that wait in a GPU's NIC have not been sent yet: the books count what hosts put on a
    // link.
    if (port.has(Port::kAtHost)) continue;
    for (int queue = 0; queue < kPriorities; ++queue) {
      if ((port.waiting >> queue & 1) == 0) continue;
      for (std::uint32_t slot = port.queues[queue].head; slot != kNoPacket;
           slot = packet(slot).next) {
        ++*packets;
        *bytes += packet(slot).size;
      }
    }
  }
}

void FabricDomain::AddMemory(MemoryAccount* account) const {
  AddBaseMemory(account);
  account->Add(Structure::kPorts,
               MemoryOf(ports_) + MemoryOf(extras_) + pause_states_.memory() + shares_.memory());
  std::size_t buffers = MemoryOf(buffers_), tables = MemoryOf(tables_), nics = MemoryReached(nics_);
  for (const SharedBuffer& buffer : buffers_) buffers += buffer.memory();
  for (const ForwardingTable& table : tables_) tables += table.memory();
  for (const RoundRobin& nic : nics_) nics += nic.memory();
  account->Add(Structure::kBuffers, buffers);
  account->Add(Structure::kNextHops, tables);
  std::size_t plans = 0;
  for (const Host& host : hosts_)
    plans += MemoryOf(host.plan) + MemoryOf(host.asking) + MemoryOf(host.ready);
  account->Add(Structure::kFlowPlans, plans);
  account->Add(Structure::kDomains, sizeof(*this) + nics + MemoryReached(nodes_) +
                                        MemoryReached(hosts_) + MemoryOf(scratch_) +
                                        drop_index_.memory() + cause_index_.memory() +
                                        MemoryOf(seen_queues_));
  AddFlowMemory(account);
  account->Add(Structure::kController, grants_.memory() + grant_index_.memory() + asking_.memory());
  account->Add(Structure::kStatistics, statistics_.memory() + tier_load_.memory());
  account->Add(Structure::kRecords, MemoryReached(finished_) + MemoryReached(arrivals_) +
                                        MemoryOf(drops_) + MemoryOf(causes_) + monitored_.memory());
}

void FabricDomain::AddFlowMemory(MemoryAccount* account) const {
  std::size_t posted =
      MemoryReached(post_queues_) + posts_.memory() + expected_.memory() + expectations_.memory();
  for (const PostQueue& queue : post_queues_) posted += queue.memory();
  account->Add(Structure::kPostedFlows, posted);
  std::size_t senders = queue_pairs_.memory() + MemoryReached(senders_);
  for (const SelectiveSender& sender : senders_) senders += sender.memory();
  account->Add(Structure::kSenders, senders);
  account->Add(Structure::kRateControl, MemoryReached(rate_states_));
  std::size_t receivers =
      receive_slots_.memory() + receivers_.memory() + MemoryReached(selective_receivers_);
  for (const SelectiveReceiver& receiver : selective_receivers_) receivers += receiver.memory();
  account->Add(Structure::kReceivers, receivers);
}

}  // namespace heddle
