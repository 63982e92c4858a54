// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/fabric_domain.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/time_limits.h"

namespace heddle {

FabricDomain::FabricDomain(DomainId id, const FabricContext* context, PostOffice* post_office,
                           const std::vector<NodeId>& nodes)
    : DomainState(id, context, post_office), switch_side_(*context), nic_routing_(*context) {
  if (context->prefetch) queue_.OpenAtOnce(kOpenAtOnce);
  for (NodeId node : nodes) AddNode(node);
  for (std::uint32_t i = 0; i < context->faults.size(); ++i) {
    // Before all else of that time, whatever else this domain holds.
    queue_.Push({context->faults[i].time,
                 EventOrder(NodeId(0), PortId(0), FabricEvent::kFault, i).bits(), i, 0});
  }
  sampler_.CountPorts(ports_.size());
  watches_ = sampler_.watches_queues();
}

void FabricDomain::Attach(FlowAgent* agent) {
  if (agent != nullptr) {
    for (Node& node : nodes_) {
      if (node.kind == NodeKind::kNvSwitch) node.host = sender_.AddHost();
    }
  }
  scale_up_.Begin(*this);
  desk_.Attach(*context_, sender_.hosts(), agent);
  if (agent != nullptr) agent->Begin(this);
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
    node.host = sender_.AddHost();
    for (const Attachment& port : graph.ports(id))
      node.nics += graph.kind(port.peer) == NodeKind::kSwitch ? 1 : 0;
  } else {
    node.forwards = switch_side_.AddNode(*context_, id, node.first_port);
    node.pauses = node.kind == NodeKind::kSwitch && context_->options.pfc.enabled;
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
  port.far_order = EventOrder(attachment.peer, attachment.peer_port, FabricEvent::kArrival).bits();
  port.far_domain = context_->domain_of[attachment.peer.value];
  port.far_address = post_office_->AddressOf(port.far_domain);
  port.far_port = context_->first_port[attachment.peer.value] + attachment.peer_port.value;
  port.node = static_cast<std::uint32_t>(nodes_.size() - 1);
  port.own_order = EventOrder(node.id, number, FabricEvent::kPortFree).bits();
  extras.error_rate =
      link.error_rate > 0 ? link.error_rate : context_->options.reliability.error_rate;
  extras.fails_until = context_->fails_until[attachment.link.value];
  const bool scale_up = link.layer != Link::kEthernet;
  port.flags = FixedFlags(node.kind, extras, scale_up);
  if (node.kind == NodeKind::kGpu) sender_.AddNic(&port);
  port.tier = tier_load_.SlotOf(context_->link_tiers->Of(node.id, attachment.peer));
  ports_.push_back(port);
  extras_.push_back(extras);
  const auto index = static_cast<std::uint32_t>(ports_.size() - 1);
  SetRate(index, link.rate);
  if (scale_up) scale_up_.AddPort(*this, index, attachment, link);
}

std::uint8_t FabricDomain::FixedFlags(NodeKind kind, const PortExtras& extras,
                                      bool scale_up) const {
  if (scale_up) return Port::kScaleUp;
  const unsigned faulty =
      extras.error_rate > 0 || extras.fails_until >= Time{0} ? unsigned{Port::kFaulty} : 0U;
  if (kind == NodeKind::kGpu) return static_cast<std::uint8_t>(faulty | Port::kAtHost);
  if (kind == NodeKind::kNvSwitch) return static_cast<std::uint8_t>(faulty | Port::kNvSwitch);
  const unsigned marks = context_->marks || context_->uec != nullptr ? unsigned{Port::kMarks} : 0U;
  const unsigned stamps = context_->control.stamps() ? unsigned{Port::kStamps} : 0U;
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
  const Node& node = nodes_[port.node];
  std::int64_t kmin = 0xffffffff;
  if (context_->uec != nullptr && node.forwards != kNone) {
    switch_side_.lossy().SetRate(*this, node, index, rate);
    kmin = std::min(kmin, switch_side_.lossy().kmin(index));
  }
  if (!port.has(Port::kMarks)) return;
  PortExtras& extras = extras_[index];
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  extras.ecn = {kNever, kNever, 0};
  if (context_->marks) {
    extras.ecn = context_->ecn->For(
        rate,
        fmt::format("{} port {}", Describe(*context_->graph, node.id), NumberOf(index).value));
    kmin = std::min(kmin, extras.ecn.kmin);
  }
  port.kmin = static_cast<std::uint32_t>(kmin);
}

void FabricDomain::RunUntil(Time end) {
  // When these run depends on the window, and with it on the partition, or they are the host's
  // alone: they do not move last_.
  constexpr std::uint32_t kQuiet = 1U << FabricEvent::kNotice | 1U << FabricEvent::kAskPath |
                                   1U << FabricEvent::kWakeAgent | 1U << FabricEvent::kPoll |
                                   1U << FabricEvent::kScaleUpQuiet;
  constexpr std::uint32_t kMayBeLate = 1U << FabricEvent::kFault | 1U << FabricEvent::kScaleUpQuiet;
  Event event;
  while (queue_.PopBefore(end, &event)) {
    HEDDLE_INVARIANT(event.time >= now_, fmt::format("domain {}: event at {} ps came after {} ps",
                                                     id().value, event.time.ps, now_.ps));
    const std::uint32_t kind = EventOrder(event.order).kind();
    if (kind >= FabricEvent::kPortFree && IsStale(event)) continue;
    // A failure when no flow of any domain is under way changes nothing, and is no part of the run;
    // nor is a credit for which nothing waits.
    const bool late = (kMayBeLate >> kind & 1) != 0 && IsLate(event);
    if (event.time > next_due_ && !(late && IsAlone(kind))) CatchUp(event.time);
    now_ = event.time;
    if ((kQuiet >> kind & 1) == 0 && !late) last_ = now_;
    ++events_;
    if (context_->prefetch) Prefetch();
    RunEvent(event);
  }
}

bool FabricDomain::IsLate(const Event& event) const {
  if (EventOrder(event.order).kind() == FabricEvent::kScaleUpQuiet)
    return !scale_up_.Heeds(*this, event.argument);
  return sender_.pairs().used() == 0;
}

bool FabricDomain::IsAlone(std::uint32_t kind) const {
  return kind == FabricEvent::kScaleUpQuiet || cargo_.used() == 0;
}

void FabricDomain::CatchUp(Time before) {
  if (before >= kEndOfTime) {  // the default engine ends earlier, with a result
    throw Error(ExitCode::kStalled,
                fmt::format("the simulated time has reached its limit, {:.0f} days",
                            kEndOfTime.seconds() / 86400));
  }
  if (before > sampler_.next()) sampler_.TakeSamples(*this, sender_.sampled_pairs(), before);
  if (before >= tier_load_.edge()) tier_load_.Turn(before);
  next_due_ =
      std::min({sampler_.next(), tier_load_.edge() - PicoSeconds(1), kEndOfTime - PicoSeconds(1)});
}

MonitorRecords FabricDomain::TakeMonitorRecords(Time time, bool is_end) {
  if (is_end) {
    sampler_.TakeLast(*this, sender_.sampled_pairs(), time);
  } else if (time > sampler_.next()) {
    sampler_.TakeSamples(*this, sender_.sampled_pairs(), time);
  }
  return sampler_.Take();
}

bool FabricDomain::IsStale(const Event& event) {
  if (EventOrder(event.order).kind() == FabricEvent::kPortFree)
    return ports_[event.argument].wake_at != event.time;  // overtaken by an earlier wake-up
  return IsStaleTimer(event);
}

bool FabricDomain::IsStaleTimer(const Event& event) {
  const EventOrder order(event.order);
  switch (order.kind()) {
    case FabricEvent::kPauseTimer:
      return !pause_.TimerIsDue(*this, BufferOfTimer(event.argument), event.argument, event.time);
    case FabricEvent::kRateTimer:
      return !sender_.RateTimerIsDue(*this, event.argument, event.time, order);
    case FabricEvent::kTimeout:
      return !sender_.TimeoutIsDue(*this, event.argument, event.time);
    case FabricEvent::kPoll:
      return !desk_.requests().PollIsDue(event.argument, event.time);
    case FabricEvent::kUecPull:
      return !uec_receiver_.PullIsDue(*this, event.argument, event.time);
    case FabricEvent::kUecCredit:
      return !uec_receiver_.CreditIsDue(event.argument, event.time);
    default:
      return false;
  }
}

void FabricDomain::RunEvent(const Event& event) {
  switch (EventOrder(event.order).kind()) {
    case FabricEvent::kArrival:
      Arrive(event.argument);
      break;
    case FabricEvent::kPortFree: {
      Port& port = ports_[event.argument];
      port.wake_at = Time::Max();
      Send(port, event.argument);
      break;
    }
    default:
      RunRareEvent(event);
  }
}

void FabricDomain::RunRareEvent(const Event& event) {
  switch (EventOrder(event.order).kind()) {
    case FabricEvent::kNotice:
      desk_.ReceiveNotice(*this, event.argument);
      break;
    case FabricEvent::kPathAnswer:
      ReceiveAnswer(event.argument);
      break;
    case FabricEvent::kAskPath:
      desk_.AskForPaths(*this, paths_, event.argument);
      break;
    case FabricEvent::kFlowStart:
      desk_.StartFlows(*this, paths_, event.argument);
      break;
    case FabricEvent::kFault:
      ApplyFaults(event.argument);
      break;
    case FabricEvent::kPauseTimer:
      pause_.Timer(*this, BufferOfTimer(event.argument), event.argument);
      break;
    case FabricEvent::kRateTimer:
      sender_.RateTimer(*this, event.argument);
      break;
    case FabricEvent::kTimeout:
      sender_.Timeouts(*this, desk_, paths_, event.argument);
      break;
    case FabricEvent::kWakeAgent:
      agent()->Woken();
      break;
    case FabricEvent::kPoll:
      desk_.PollRequests(*this, event.argument);
      break;
    case FabricEvent::kUecPull:
      uec_receiver_.Pull(*this, event.argument);
      break;
    case FabricEvent::kUecCredit:
      uec_receiver_.AdjustCredit(*this, event.argument);
      break;
    case FabricEvent::kScaleUp:
      ScaleUpArrive(event.argument);
      break;
    case FabricEvent::kScaleUpQuiet:
      scale_up_.Learn(*this, event.argument);
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
    pause_.Receive(*this, index, frame);
  } else if (in.has(Port::kAtHost) ||
             (in.has(Port::kNvSwitch) && p.destination == nodes_[in.node].id)) {
    HostReceive(in, slot);
  } else {
    switch_side_.Forward(*this, pause_, in, slot);
  }
}

void FabricDomain::ReceiveAnswer(std::uint32_t slot) {
  const PathClient::Answered answer = paths_.TakeAnswer(*this, slot);
  if (answer.start) desk_.StartWhenDue(*this, *answer.start);
  if (answer.queue_pair != PathClient::kNone)
    sender_.ChangePort(*this, nic_routing_, answer.queue_pair, answer.source_port);
}

void Send(DomainState& state, Port& port, std::uint32_t index) {
  static_cast<FabricDomain&>(state).Send(port, index);
}

void QueueChanged(DomainState& state, const Port& port, int queue, const Packet& p, int sign) {
  auto& domain = static_cast<FabricDomain&>(state);
  if (domain.sampler_.watches_queues() && !port.has(Port::kAtHost)) {
    const auto index = static_cast<std::uint32_t>(&port - domain.ports_.data());
    domain.sampler_.SampleQueue(domain, domain.now_, index, queue);
  }
  domain.pause_.QueueChanged(domain, port, queue, p, sign);
}

bool OwnTrafficWaits(const DomainState& state, const Port& port) {
  const auto& domain = static_cast<const FabricDomain&>(state);
  return port.nic != DomainState::kNone && domain.sender_.nics().any_ready(port);
}

std::uint32_t StartFlow(DomainState& state, std::uint32_t node, const QueuePair& pair) {
  auto& domain = static_cast<FabricDomain&>(state);
  return domain.sender_.Start(domain, domain.nic_routing_, domain.paths_, node, pair);
}

void GrowFlow(DomainState& state, std::uint32_t slot, std::int64_t size, bool open) {
  static_cast<FabricDomain&>(state).sender_.Grow(state, slot, size, open);
}

void AddFlow(DomainState& state, std::uint32_t post) {
  static_cast<FabricDomain&>(state).desk_.AddFlow(post);
}

void CloseMessage(DomainState& state, const QueuePair& first,
                  const std::vector<std::uint32_t>& queue_pairs) {
  static_cast<FabricDomain&>(state).desk_.CloseMessage(state, first, queue_pairs);
}

void FlowReceived(DomainState& state, FlowId flow) {
  static_cast<FabricDomain&>(state).desk_.ReportReceived(state, flow);
}

std::uint32_t ScaleUpPortOf(DomainState& state, const DomainPorts::Node& node, const FlowPost& flow,
                            std::uint32_t number) {
  auto& domain = static_cast<FabricDomain&>(state);
  const ScaleUpRun& run = *state.context_->scale_up;
  if (run.routes)
    return node.first_port + run.routes->Next(node.id, flow.destination, flow.lane).value;
  // Messages take the planes of NVSwitches in turn.
  const auto turn = static_cast<std::uint16_t>(number);
  const std::uint32_t port =
      domain.nic_routing_.Choose(node, flow.destination, turn, flow.destination_port);
  return domain.scale_up_.Has(port) ? port : DomainState::kNone;
}

void StartScaleUpFlow(DomainState& state, const ScaleUpFlow& flow) {
  static_cast<FabricDomain&>(state).scale_up_.Start(state, flow);
}

void MessageLeft(DomainState& state, std::uint32_t post, Time when) {
  static_cast<FabricDomain&>(state).desk_.ReportSent(state, post, when);
}

void MessageArrived(DomainState& state, std::uint32_t post) {
  static_cast<FabricDomain&>(state).desk_.Forget(post);
}

void FabricDomain::Send(Port& port, std::uint32_t index) {
  constexpr auto kNotSwitch = Port::kDown | Port::kAtHost | Port::kNvSwitch | Port::kScaleUp;
  if (now_ < port.busy_until) {
    WakePort(port, index, port.busy_until);
  } else if ((port.flags & kNotSwitch) == 0) {  // NOLINT(bugprone-branch-clone): most ports first
    switch_side_.SendNext(*this, pause_, port, index);
  } else if (port.has(Port::kScaleUp)) {
    scale_up_.SendNext(*this, port, index);
  } else if (port.has(Port::kDown)) {
    return;
  } else if (port.has(Port::kAtHost)) {
    sender_.SendNext(*this, desk_, port, index);
  } else if (port.nic != kNone) {
    NvSwitchSend(port, index);
  } else {
    switch_side_.SendNext(*this, pause_, port, index);
  }
}

void FabricDomain::ScaleUpArrive(std::uint32_t slot) {
  const ScaleUpPacket p = scale_up_.PacketAt(*this, slot);
  const Node& node = nodes_[ports_[p.ingress].node];
  std::uint32_t egress = kNone;
  if (p.destination != node.id) {
    const ScaleUpRun& run = *context_->scale_up;
    egress = run.routes ? node.first_port + run.routes->Next(node.id, p.destination, p.lane).value
                        : switch_side_.EgressTo(node, p.source, p.destination, p.flow_number);
  }
  scale_up_.Arrive(*this, slot, egress);
}

std::vector<PauseEdge> FabricDomain::PauseEdges() const {
  std::vector<PauseEdge> edges = pause_.Edges(*this, switch_side_.buffers());
  const std::vector<PauseEdge> credits = scale_up_.Edges(*this);
  edges.insert(edges.end(), credits.begin(), credits.end());
  return edges;
}

void FabricDomain::NvSwitchSend(Port& port, std::uint32_t index) {
  // What passes through and its own queue pairs take turns.
  const bool passing = port.sendable() != 0;
  bool own = false;
  if (!passing || port.own_turn != 0) own = sender_.SendData(*this, desk_, port, index);
  port.own_turn = own ? 0 : 1;
  if (!own && passing) switch_side_.SendNext(*this, pause_, port, index);
  // Something has left; cut to whole nanoseconds (compat.truncate_ns), an ACK does so in no time.
  if ((own || passing) && (port.sendable() != 0 || sender_.nics().any_ready(port)))
    WakePort(port, index, port.busy_until);
}

void FabricDomain::HostReceive(const Port& in, std::uint32_t slot) {
  const Packet p = packet(slot);
  const MessageTail* tail = HoldTail(slot);
  cargo_.Free(slot);
  if (context_->options.lose_packet > 0 && ++host_packets_ == context_->options.lose_packet) return;
  ++books_.received_packets;
  books_.received_bytes += p.size;
  if (p.kind == PacketKind::kData) {
    receiver_.ReceiveData(*this, nic_routing_, nodes_[in.node], p, tail);
  } else if (p.kind <= PacketKind::kNack) {
    sender_.ReceiveAck(*this, desk_, paths_, p, tail);
  } else {
    ReceiveOther(in, p, tail);
  }
}

void FabricDomain::ReceiveOther(const Port& in, const Packet& p, const MessageTail* tail) {
  if (p.kind == PacketKind::kProbe) {
    Receiver::AnswerProbe(*this, nic_routing_, nodes_[in.node], p, tail);
  } else if (p.kind == PacketKind::kProbeAnswer) {
    sender_.ReceiveProbeAnswer(*this, p);
  } else if (p.kind >= PacketKind::kUecAck) {
    sender_.ReceiveUec(*this, desk_, paths_, p);
  } else {
    uec_receiver_.Receive(*this, nic_routing_, nodes_[in.node], p);
  }
}

std::vector<FlowRecord> FabricDomain::Unfinished() const {
  std::vector<FlowRecord> open;
  sender_.AddOpen(*this, desk_, paths_, &open);
  scale_up_.AddOpen(*this, &open);
  desk_.AddPosted(*this, paths_, &open);
  return open;
}

std::vector<FabricDomain::NodeView> FabricDomain::nodes() const {
  std::vector<NodeView> views;
  for (const Node& node : nodes_) views.push_back({node.id, node.first_port, node.ports});
  return views;
}

void FabricDomain::CountInFlight(std::int64_t* packets, std::int64_t* bytes) const {
  for (const Event& event : queue_.Sorted()) {
    const std::uint32_t kind = EventOrder(event.order).kind();
    if (kind == FabricEvent::kScaleUp) {
      const ScaleUpPacket p = scale_up_.PacketAt(*this, event.argument);
      *packets += p.count;
      *bytes += p.bytes;
    }
    if (kind != FabricEvent::kArrival) continue;
    ++*packets;
    *bytes += packet(event.argument).size;
  }
  scale_up_.CountWaiting(*this, packets, bytes);
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
  account->Add(Structure::kPorts, MemoryOf(ports_) + MemoryOf(extras_) + pause_.memory());
  switch_side_.AddMemory(account);
  account->Add(Structure::kDomains, sizeof(*this) + MemoryReached(nodes_) + nic_routing_.memory());
  sender_.AddMemory(account);
  receiver_.AddMemory(account);
  uec_receiver_.AddMemory(account);
  scale_up_.AddMemory(account);
  desk_.AddMemory(account);
  paths_.AddMemory(account);
  account->Add(Structure::kStatistics, tier_load_.memory());
  ledger_.AddMemory(account);
  sampler_.AddMemory(account);
}

}  // namespace heddle
