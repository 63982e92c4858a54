// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/state_check.h"

#include <algorithm>
#include <cstring>

#include "core/base/state_count.h"
#include "transport/wire/telemetry.h"

namespace heddle {

StateCheck::StateCheck(const FabricDomain& domain)
    : domain_(domain),
      context_(*domain.context_),
      cargo_(domain.cargo_.used_slots()),
      pairs_(domain.queue_pairs_.used_slots()),
      posts_(domain.posts_.used_slots()),
      grants_(domain.grants_.used_slots()),
      free_grants_(grants_),
      open_(posts_.size(), 0),
      starts_(domain.nodes_.size(), 0),
      asks_(domain.nodes_.size(), 0) {}

void StateCheck::Check() {
  for (const Event& event : domain_.queue_.Sorted()) CheckEvent(event);
  for (std::uint32_t port = 0; port < domain_.ports_.size(); ++port) CheckPort(port);
  ExpectState(std::find(cargo_.begin(), cargo_.end(), true) == cargo_.end(),
              "a packet that is nowhere");
  CheckQueuePairs();
  CheckNics();
  CheckReceivers();
  for (const Node& node : domain_.nodes_) {
    if (node.forwards != kNone) CheckBuffer(node);
    if (node.host != kNone) CheckHost(node);
  }
  CheckMessages();
  CheckGrants();
  CheckWakes();
  CheckRecords();
}

bool StateCheck::IsEnd(NodeId node) const {
  return node.value < context_.graph->node_count() &&
         context_.graph->kind(node) != NodeKind::kSwitch;
}

bool StateCheck::IsHost(NodeId node) const {
  const Node* here = domain_.FindNode(node);
  return here != nullptr && here->host != kNone;
}

void StateCheck::Claim(std::uint32_t slot) {
  ExpectState(slot < cargo_.size() && cargo_[slot],
              "a packet that does not exist, or is in two places");
  cargo_[slot] = false;
}

void StateCheck::CheckPort(std::uint32_t index) {
  const Port& port = domain_.ports_[index];
  const PortExtras& extras = domain_.extras_[index];
  const Node& node = domain_.nodes_[port.node];
  ExpectState((port.flags & ~Port::kDown) == domain_.FixedFlags(node.kind, extras),
              "a port of another kind");
  ExpectState(port.rate.bps > 0, "a link of no speed");
  ExpectState(port.ps_per_byte == domain_.PsPerByte(port.rate), "a link of another speed");
  const bool sends = port.nic < domain_.nics_.size();
  ExpectState(sends || (port.nic == kNone && node.kind != NodeKind::kGpu),
              "a port with a NIC that does not exist");
  const bool pause_state = extras.pause_state < domain_.pause_states_.size();
  ExpectState(pause_state || (extras.pause_state == kNone && port.paused == 0),
              "a pause that nobody knows of");
  ExpectState(port.last_served < kPriorities, "a priority that does not exist");
  std::int64_t bytes = 0;
  for (int queue = 0; queue < kPriorities; ++queue) {
    CheckQueue(index, queue);
    bytes += port.queues[queue].bytes;
    if (!pause_state) continue;
    const PauseState& state = domain_.pause_states_[extras.pause_state];
    const bool paused = (port.paused >> queue & 1) != 0;
    ExpectState(!paused || state.root[queue].node.value < context_.graph->node_count(),
                "a pause from nowhere");
  }
  ExpectState(bytes == port.queued_bytes,
              "another number of bytes before a port than in its queues");
}

void StateCheck::CheckQueue(std::uint32_t index, int queue) {
  const Port& port = domain_.ports_[index];
  const Node& node = domain_.nodes_[port.node];
  const PacketFifo& fifo = port.queues[queue];
  std::int64_t bytes = 0;
  if ((port.waiting >> queue & 1) != 0) {
    for (std::uint32_t slot = fifo.head;;) {
      Claim(slot);
      CheckPacket(slot, node);
      const Packet& p = domain_.packet(slot);
      const bool placed = port.has(Port::kAtHost) || p.ingress == FabricDomain::kOwnPacket ||
                          IsPortOf(node, p.ingress);
      ExpectState(placed, "a packet in a queue that came in nowhere");
      bytes += p.size;
      ExpectState((slot == fifo.tail) == (p.next == kNoPacket), "a queue without an end");
      if (slot == fifo.tail) break;
      slot = p.next;
    }
  }
  ExpectState(bytes == fifo.bytes, "another number of bytes in a queue than of its packets");
}

void StateCheck::CheckBuffer(const Node& node) const {
  const SharedBuffer& buffer = domain_.buffers_[node.forwards];
  std::vector<std::int64_t> held(static_cast<std::size_t>(node.ports) * kPriorities, 0);
  for (std::uint32_t port = node.first_port; port < node.first_port + node.ports; ++port) {
    ExpectState(buffer.rate(port - node.first_port) == domain_.ports_[port].rate,
                "a switch with a link of another speed");
    for (int queue = 0; queue < kPriorities; ++queue) {
      if ((domain_.ports_[port].waiting >> queue & 1) == 0) continue;
      for (std::uint32_t slot = domain_.ports_[port].queues[queue].head; slot != kNoPacket;
           slot = domain_.packet(slot).next) {
        const Packet& p = domain_.packet(slot);
        if (p.ingress != FabricDomain::kOwnPacket)
          held[(p.ingress - node.first_port) * kPriorities + queue] += p.size;
      }
    }
  }
  ExpectState(buffer.Holds(held),
              "another number of bytes in a switch's buffer than in its queues");
}

void StateCheck::CheckPacket(std::uint32_t slot, const Node& node) const {
  const Packet& p = domain_.packet(slot);
  ExpectState(p.kind <= PacketKind::kPause, "a packet of no kind");
  if (p.kind == PacketKind::kPause) {
    const bool known = p.source.value < context_.graph->node_count() &&
                       p.queue_pair < context_.graph->node_count();
    ExpectState(known, "a pause from nowhere");
  } else {
    ExpectState(IsEnd(p.source) && IsEnd(p.destination) && p.source != p.destination,
                "a packet between no hosts");
    ExpectState(p.kind != PacketKind::kData || p.size > context_.header_bytes,
                "a packet without a payload");
    ExpectState(p.stamp >= 0 && p.stamp < std::int64_t{1} << 62,
                "a packet from before the beginning");
    ExpectState(node.kind != NodeKind::kGpu || p.source == node.id || p.destination == node.id,
                "a packet at the wrong host");
  }
  if (!context_.tails) return;
  ExpectState(slot < domain_.tails_.size(), "a packet without its telemetry");
  Telemetry telemetry;
  std::memcpy(static_cast<void*>(&telemetry), domain_.tails_[slot].bytes, sizeof telemetry);
  ExpectState(telemetry.count <= Telemetry::kMaxHops, "more telemetry than a packet carries");
}

void StateCheck::CheckArrival(std::uint32_t slot) {
  Claim(slot);
  const Packet& p = domain_.packet(slot);
  ExpectState(p.ingress < domain_.ports_.size(), "a packet that arrives nowhere");
  const Node& node = domain_.nodes_[domain_.ports_[p.ingress].node];
  CheckPacket(slot, node);
  ExpectState(
      node.kind != NodeKind::kGpu || p.kind == PacketKind::kPause || p.destination == node.id,
      "a packet at the wrong host");
  ExpectState(p.next == FabricDomain::kNotRouted || p.next == FabricDomain::kNoRoute ||
                  IsPortOf(node, p.next),
              "a packet with a way that does not exist");
}

void StateCheck::CheckNotice(std::uint32_t slot) {
  Claim(slot);
  FlowNotice notice;
  std::memcpy(static_cast<void*>(&notice), domain_.cargo_[slot].bytes, sizeof notice);
  ExpectState(domain_.agent_ != nullptr, "a notice for nobody");
  if (!notice.flow.source.valid()) {
    ExpectState(domain_.agent_->Knows(notice.note, NodeId(), NodeId()),
                "a notice of a message that no job has");
    return;
  }
  const bool whole = IsEnd(notice.flow.source) && notice.value > 0 &&
                     notice.value <= context_.options.nic.qps_per_connection;
  ExpectState(whole && domain_.agent_->Knows(notice.note, notice.flow.source, NodeId()),
              "a notice of a message that no job has");
}

void StateCheck::CheckEvent(const Event& event) {
  const std::uint32_t at = event.argument, kind = EventOrder(event.order).kind();
  const auto is_host = [&] {
    return at < domain_.nodes_.size() && domain_.nodes_[at].host != kNone;
  };
  bool sound = false;
  switch (kind) {
    case FabricDomain::kFault:
      sound = at < context_.faults.size();
      break;
    case FabricDomain::kArrival:
      CheckArrival(at);
      return;
    case FabricDomain::kNotice:
      CheckNotice(at);
      return;
    case FabricDomain::kPathAnswer:
      Claim(at);
      sound = context_.controlled();
      break;
    case FabricDomain::kPortFree:
      sound = at < domain_.ports_.size();
      break;
    case FabricDomain::kAskPath:
      sound = is_host() && context_.controlled();
      if (sound) ++asks_[at];
      break;
    case FabricDomain::kFlowStart:
      sound = is_host();
      if (sound) ++starts_[at];
      break;
    case FabricDomain::kPauseTimer: {
      const std::uint32_t port = at >> 4;
      sound = port < domain_.ports_.size() &&
              ((at & 1) == 0 || domain_.nodes_[domain_.ports_[port].node].forwards != kNone);
      break;
    }
    case FabricDomain::kRateTimer:
      sound = at < domain_.queue_pairs_.size() && at < domain_.rate_states_.size();
      break;
    case FabricDomain::kTimeout:
      sound = is_host();
      break;
  }
  ExpectState(sound, "an event of something that does not exist");
}

void StateCheck::CheckWakes() const {
  if (domain_.agent_ == nullptr) return;
  for (std::size_t i = 0; i < domain_.nodes_.size(); ++i) {
    const Node& node = domain_.nodes_[i];
    if (node.host == kNone) continue;
    const PostQueue& queue = domain_.post_queues_[node.host];
    ExpectState(queue.starts.wakes.size() == starts_[i] && queue.asks.wakes.size() == asks_[i],
                "a start that nothing wakes");
  }
}

}  // namespace heddle
