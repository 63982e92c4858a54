// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/fabric_domain/fabric_domain.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/time_limits.h"
#include "transport/domain/fabric_domain/part_calls.h"
#include "transport/domain/fabric_domain/wiring.h"

namespace heddle {
namespace {

std::size_t CountGpus(const Graph& graph, const std::vector<NodeId>& nodes) {
  return static_cast<std::size_t>(
      std::count_if(nodes.begin(), nodes.end(), [&](NodeId node) { return graph.is_gpu(node); }));
}

// When these run depends on the window, and with it on the partition, or they are the host's alone:
// they do not move clock_.last.
constexpr std::uint32_t kQuiet = 1U << FabricEvent::kNotice | 1U << FabricEvent::kAskPath |
                                 1U << FabricEvent::kWakeAgent | 1U << FabricEvent::kPoll |
                                 1U << FabricEvent::kStreamSum | 1U << FabricEvent::kScaleUpQuiet;
constexpr std::uint32_t kMayBeLate = 1U << FabricEvent::kFault | 1U << FabricEvent::kScaleUpQuiet;

}  // namespace

FabricDomain::FabricDomain(DomainId id, const FabricContext* context, PostOffice* post_office,
                           const std::vector<NodeId>& nodes)
    : DomainState(id, context, post_office),
      switch_side_(*context),
      nic_routing_(*context, CountGpus(*context->graph, nodes)),
      receiver_(*context),
      sender_(*context) {
  parts_ = &own_parts_;
  if (context->prefetch) queue_.OpenAtOnce(kOpenAtOnce);
  for (NodeId node : nodes) AddNode(*this, node);
  for (std::uint32_t i = 0; i < context->faults.size(); ++i) {
    // Before all else of that time, whatever else this domain holds.
    queue_.Push({context->faults[i].time,
                 EventOrder(NodeId(0), PortId(0), FabricEvent::kFault, i).bits(), i, 0});
  }
  sampler_.CountPorts(ports_.size());
  watches_ = sampler_.watches_queues();
  runs_in_place_ = !context->tails && context->options.lose_packet == 0;
}

void FabricDomain::Attach(FlowAgent* agent) {
  if (agent != nullptr) {
    for (Node& node : nodes_) {
      if (node.host == kNone && context_->graph->ends_flows(node.id)) node.host = sender_.AddHost();
    }
  }
  scale_up_.Begin(*this);
  desk_.Attach(*context_, sender_.hosts(), agent);
  if (agent != nullptr) agent->Begin(this);
}

void FabricDomain::RunUntil(Time end) {
  Event event;
  while (queue_.PopBefore(end, &event)) {
    if (clock_.bounded && Earlier(clock_.bound, event)) {
      queue_.Push(event);
      break;
    }
    if (watcher_ != nullptr) {
      if (FabricEvent::IsReplayed(EventOrder(event.order).kind())) {
        RunReplay(event);
        continue;
      }
      Reach(event);
    }
    if (!Enter(event)) continue;
    if (context_->prefetch) Prefetch();
    RunEvent(event);
  }
  run_until_ = end;
}

bool FabricDomain::Enter(const Event& event) {
  if (event.time < clock_.now) FailOrder(event.time);
  const std::uint32_t kind = EventOrder(event.order).kind();
  if (kind >= FabricEvent::kPortFree && IsStale(event)) return false;
  // A failure when no flow of any domain is under way changes nothing, and is no part of the run;
  // nor is a credit for which nothing waits.
  const bool late = (kMayBeLate >> kind & 1) != 0 && IsLate(event);
  if (event.time > next_due_ && !(late && IsAlone(kind))) CatchUp(event.time);
  clock_.now = event.time;
  if ((kQuiet >> kind & 1) == 0 && !late) clock_.last = clock_.now;
  ++events_;
  return true;
}

void FabricDomain::RunQueued(const Event& event) {
  if (Enter(event)) RunEvent(event);
}

void FabricDomain::FailOrder(Time time) const {
  throw InvariantError(fmt::format("domain {}: event at {} ps came after {} ps", id().value,
                                   time.ps, clock_.now.ps));
}

void FabricDomain::RunReplay(const Event& event) {
  if (event.time < clock_.now) FailOrder(event.time);
  if (!replay_.IsDue(event)) return;
  if (event.time > next_due_) CatchUp(event.time);
  Reach(event);
  clock_.now = event.time;
  if (!replay_.Run(*this, event)) return;
  clock_.last = clock_.now;
  ++events_;
}

void FabricDomain::RunPast(Time time, std::uint64_t reached) {
  const Time until = run_until_;
  clock_.bound = {time, reached, 0, 0};
  RunUntil(time + PicoSeconds(1));
  run_until_ = until;
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
  if (before >= tier_load_.edge()) {
    if (watcher_ != nullptr) replay_.TurnLoad(*this, before);
    if (before >= tier_load_.edge()) tier_load_.Turn(before);
  }
  next_due_ =
      std::min({sampler_.next(), tier_load_.edge() - PicoSeconds(1), kEndOfTime - PicoSeconds(1)});
}

MonitorRecords FabricDomain::TakeMonitorRecords(Time end, bool is_end) {
  if (is_end) {
    sampler_.TakeLast(*this, sender_.sampled_pairs(), end);
    return sampler_.Take(Time::Max());
  }
  if (end > sampler_.next()) sampler_.TakeSamples(*this, sender_.sampled_pairs(), end);
  return sampler_.Take(end);
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
      return !sender_.timeouts().IsDue(*this, event.argument, event.time);
    case FabricEvent::kPoll:
      return !requests_.PollIsDue(event.argument, event.time);
    case FabricEvent::kStreamSum:
      return !streams_.MayHaveEvent(event.argument);
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
      SendWith(*this, Own(), port, event.argument);
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
      desk_.AskForPaths(*this, event.argument);
      break;
    case FabricEvent::kFlowStart:
      desk_.StartFlows(*this, event.argument);
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
      sender_.timeouts().Run(*this, event.argument);
      break;
    case FabricEvent::kWakeAgent:
      agent()->Woken();
      break;
    case FabricEvent::kPoll:
      requests_.Poll(*this, event.argument);
      break;
    case FabricEvent::kStreamSum:
      streams_.Release(*this, event.argument);
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
  const std::uint32_t index = packet(slot).ingress;
  const Port& in = ports_[index];
  if (in.has(Port::kRecorded)) replay_.Enters(*this, index);
  const Packet& p = packet(slot);
  if (in.has(Port::kFaulty) && IsLost(index, p)) {
    cargo_.Free(slot);
  } else if (p.kind == PacketKind::kPause) {
    const Packet frame = p;
    cargo_.Free(slot);
    pause_.Receive(*this, index, frame);
  } else if (in.has(Port::kAtHost) ||
             (in.has(Port::kEndsFlows) && p.destination == nodes_[in.node].id)) {
    HostReceive(in, slot);
  } else {
    switch_side_.Forward(*this, in, slot);
  }
}

void FabricDomain::ReceiveAnswer(std::uint32_t slot) {
  const PathClient::Answered answer = paths_.TakeAnswer(*this, slot);
  if (answer.start) desk_.StartWhenDue(*this, *answer.start);
  if (answer.queue_pair != PathClient::kNone)
    sender_.life().ChangePort(*this, answer.queue_pair, answer.source_port);
}

void FabricDomain::ScaleUpArrive(std::uint32_t slot) {
  const ScaleUpPacket p = scale_up_.PacketAt(*this, slot);
  const Node& node = nodes_[ports_[p.ingress].node];
  std::uint32_t egress = kNone;
  if (p.destination != node.id) {
    const ScaleUpRun& run = *context_->scale_up;
    const bool mates = run.direct && run.direct->in_one_server(node.id, p.destination);
    HEDDLE_INVARIANT(run.routes || mates || node.forwards != kNone,
                     "a packet of a scale-up link is at a host that is not its destination");
    egress = run.routes ? node.first_port + run.routes->Next(node.id, p.destination, p.lane).value
             : mates    ? node.first_port + run.direct->Next(node.id, p.destination).value
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

void FabricDomain::HostReceive(const Port& in, std::uint32_t slot) {
  const Packet p = packet(slot);
  const MessageTail* tail = HoldTail(slot);
  cargo_.Free(slot);
  if (context_->options.lose_packet > 0 && ++host_packets_ == context_->options.lose_packet) return;
  ++books_.received_packets;
  books_.received_bytes += p.size;
  if (p.kind == PacketKind::kData) {
    receiver_.ReceiveData(*this, nodes_[in.node], p, tail);
  } else if (p.kind <= PacketKind::kNack) {
    sender_.answers().Ack(*this, p, tail);
  } else {
    ReceiveOther(in, p, tail);
  }
}

void FabricDomain::ReceiveOther(const Port& in, const Packet& p, const MessageTail* tail) {
  if (p.kind == PacketKind::kProbe) {
    Receiver::AnswerProbe(*this, nodes_[in.node], p, tail);
  } else if (p.kind == PacketKind::kProbeAnswer) {
    sender_.answers().Probe(*this, p);
  } else if (p.kind >= PacketKind::kUecAck) {
    sender_.answers().Uec(*this, p);
  } else {
    uec_receiver_.Receive(*this, nic_routing_, nodes_[in.node], p);
  }
}

std::vector<FlowRecord> FabricDomain::Unfinished() const {
  std::vector<FlowRecord> open;
  sender_.life().AddOpen(*this, &open);
  scale_up_.AddOpen(*this, &open);
  desk_.AddPosted(*this, &open);
  return open;
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
  account->Add(Structure::kPostedFlows, streams_.memory() + requests_.memory());
  replay_.AddMemory(account);
  account->Add(Structure::kStatistics, tier_load_.memory());
  ledger_.AddMemory(account);
  sampler_.AddMemory(account);
}

}  // namespace heddle
