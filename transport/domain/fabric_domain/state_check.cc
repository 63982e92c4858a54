// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/fabric_domain/state_check.h"

#include <algorithm>
#include <cstring>

#include "core/containers/state_count.h"
#include "transport/domain/fabric_domain/wiring.h"

namespace heddle {

StateCheck::StateCheck(const FabricDomain& domain)
    : domain_(domain),
      context_(domain.context()),
      cargo_(domain.cargo().used_slots()),
      messages_(domain.desk_, domain),
      grants_(domain.paths_) {}

void StateCheck::Check() {
  for (const Event& event : domain_.queue().Sorted()) CheckEvent(event);
  ExpectState(domain_.agent() == nullptr || domain_.agent()->Awaits(wakes_),
              "a moment for which no job asked");
  for (std::uint32_t port = 0; port < domain_.ports().size(); ++port) CheckPort(port);
  domain_.scale_up_.Check(
      domain_, [this](std::uint32_t slot) { Claim(slot); },
      [this](const ScaleUpFlow& flow) {
        messages_.ClaimStarted(flow.post, flow.flow.source, flow.destination);
      });
  ExpectState(std::find(cargo_.begin(), cargo_.end(), true) == cargo_.end(),
              "a packet that is nowhere");
  domain_.requests_.ForEachUnposted(
      [this](const QueuePair& first, std::int64_t) { messages_.ClaimOpen(first); });
  domain_.sender_.Check(domain_, &messages_, &grants_);
  domain_.receiver_.Check(domain_);
  domain_.streams_.Check(domain_, domain_.sender_.pairs().size());
  domain_.uec_receiver_.Check(domain_);
  for (const Node& node : domain_.nodes()) {
    if (node.forwards != kNone) domain_.switch_side_.Check(domain_, node);
  }
  domain_.desk_.Check(domain_, domain_.sender_.hosts(), messages_, &grants_);
  domain_.paths_.Check(domain_, &grants_, [this](const FlowPost& post, const Node& node) {
    domain_.desk_.CheckPost(domain_, post, node);
  });
  CheckRecords();
}

void StateCheck::Claim(std::uint32_t slot) {
  ExpectState(slot < cargo_.size() && cargo_[slot],
              "a packet that does not exist, or is in two places");
  cargo_[slot] = false;
}

void StateCheck::CheckPort(std::uint32_t index) {
  const Port& port = domain_.ports()[index];
  const PortExtras& extras = domain_.extras(index);
  const Node& node = domain_.nodes()[port.node];
  const bool scale_up = domain_.scale_up_.Has(index);
  ExpectState(
      (port.flags & ~Port::kDown) == FixedFlags(domain_.context(), node.id, extras, scale_up) &&
          port.rare_flags == (scale_up ? Port::kScaleUp : 0),
      "a port of another kind");
  ExpectState(port.rate.bps > 0, "a link of no speed");
  ExpectState(port.ps_per_byte == PsPerByte(domain_.context(), port.rate),
              "a link of another speed");
  const bool sends = port.nic < domain_.sender_.nics().size();
  const bool needs_nic = node.kind == NodeKind::kGpu;
  ExpectState(sends || (port.nic == kNone && !needs_nic), "a port with a NIC that does not exist");
  domain_.pause_.Check(domain_, index);
  ExpectState(port.last_served < kPriorities, "a priority that does not exist");
  std::int64_t bytes = 0;
  if (domain_.scale_up_.Has(index)) {  // its queues are its own
    ExpectState(port.waiting == 0, "a packet before a scale-up link in a queue of Ethernet");
    return;
  }
  for (int queue = 0; queue < kPriorities; ++queue) {
    CheckQueue(index, queue);
    bytes += port.queues[queue].bytes;
  }
  ExpectState(bytes == port.queued_bytes,
              "another number of bytes before a port than in its queues");
}

void StateCheck::CheckQueue(std::uint32_t index, int queue) {
  const Port& port = domain_.ports()[index];
  const Node& node = domain_.nodes()[port.node];
  const PacketFifo& fifo = port.queues[queue];
  std::int64_t bytes = 0;
  if ((port.waiting >> queue & 1) != 0) {
    for (std::uint32_t slot = fifo.head;;) {
      Claim(slot);
      CheckPacket(slot, node);
      const Packet& p = domain_.packet(slot);
      const bool placed = port.has(Port::kAtHost) || p.ingress == FabricDomain::kOwnPacket ||
                          domain_.IsPortOf(node, p.ingress);
      ExpectState(placed, "a packet in a queue that came in nowhere");
      bytes += p.size;
      ExpectState((slot == fifo.tail) == (p.next == kNoPacket), "a queue without an end");
      if (slot == fifo.tail) break;
      slot = p.next;
    }
  }
  ExpectState(bytes == fifo.bytes, "another number of bytes in a queue than of its packets");
}

void StateCheck::CheckPacket(std::uint32_t slot, const Node& node) const {
  const Packet& p = domain_.packet(slot);
  ExpectState(p.kind <= (context_.uec != nullptr ? PacketKind::kUecPull : PacketKind::kPause),
              "a packet of no kind");
  if (p.kind == PacketKind::kPause) {
    const bool known = p.source.value < context_.graph->node_count() &&
                       p.queue_pair < context_.graph->node_count();
    ExpectState(known, "a pause from nowhere");
  } else {
    ExpectState(
        domain_.IsEnd(p.source) && domain_.IsEnd(p.destination) && p.source != p.destination,
        "a packet between no hosts");
    CheckSize(p);
    ExpectState(p.kind == PacketKind::kUecAck || (p.stamp >= 0 && p.stamp < std::int64_t{1} << 62),
                "a packet from before the beginning");
    ExpectState(node.kind != NodeKind::kGpu || p.source == node.id || p.destination == node.id,
                "a packet at the wrong host");
  }
  if (!context_.tails) return;
  ExpectState(slot < domain_.tails().size(), "a packet without its telemetry");
  ExpectState(context_.control.IsSound(domain_.tails()[slot].bytes),
              "telemetry that no port has written");
}

void StateCheck::CheckSize(const Packet& p) const {
  std::int64_t header = 0;
  if (p.kind == PacketKind::kData) header = context_.header_bytes;
  if (p.kind == PacketKind::kUecData) header = context_.uec->options.header;
  ExpectState(p.size > header, "a packet without a payload");
  ExpectState(p.kind != PacketKind::kUecData || p.size <= context_.uec->options.mtu,
              "a packet with too large a payload");
  // Receivers make room up to a packet's number.
  const auto number = static_cast<std::int64_t>(p.sequence);
  const bool ultra = p.kind == PacketKind::kUecData || p.kind == PacketKind::kUecTrimmed;
  ExpectState((p.kind != PacketKind::kData || number <= kMaxFlowBytes) &&
                  (!ultra || number <= kMaxFlowBytes / context_.uec->options.payload()),
              "a packet beyond the end of any flow");
}

void StateCheck::CheckArrival(std::uint32_t slot) {
  Claim(slot);
  const Packet& p = domain_.packet(slot);
  ExpectState(p.ingress < domain_.ports().size(), "a packet that arrives nowhere");
  const Node& node = domain_.nodes()[domain_.ports()[p.ingress].node];
  CheckPacket(slot, node);
  ExpectState(
      node.kind != NodeKind::kGpu || p.kind == PacketKind::kPause || p.destination == node.id,
      "a packet at the wrong host");
  ExpectState(p.next == FabricDomain::kNotRouted || p.next == FabricDomain::kNoRoute ||
                  domain_.IsPortOf(node, p.next),
              "a packet with a way that does not exist");
}

void StateCheck::CheckNotice(std::uint32_t slot) {
  Claim(slot);
  CompletionNotice notice;
  std::memcpy(static_cast<void*>(&notice), domain_.cargo()[slot].bytes, sizeof notice);
  domain_.desk_.CheckNotice(domain_, notice);
}

void StateCheck::CheckEvent(const Event& event) {
  const std::uint32_t at = event.argument, kind = EventOrder(event.order).kind();
  const auto is_host = [&] {
    return at < domain_.nodes().size() && domain_.nodes()[at].host != kNone;
  };
  bool sound = false;
  switch (kind) {
    case FabricEvent::kFault:
      sound = at < context_.faults.size();
      break;
    case FabricEvent::kArrival:
      CheckArrival(at);
      return;
    case FabricEvent::kNotice:
      CheckNotice(at);
      return;
    case FabricEvent::kScaleUp:
      Claim(at);
      domain_.scale_up_.CheckData(domain_, at);
      return;
    case FabricEvent::kScaleUpQuiet:
      Claim(at);
      domain_.scale_up_.CheckLearned(domain_, at);
      return;
    case FabricEvent::kPathAnswer:
      Claim(at);
      sound = context_.controlled();
      break;
    case FabricEvent::kPortFree:
      sound = at < domain_.ports().size();
      break;
    case FabricEvent::kAskPath:
      messages_.ClaimEvent(kind, at);
      sound = context_.controlled();
      break;
    case FabricEvent::kFlowStart:
      messages_.ClaimEvent(kind, at);
      sound = true;
      break;
    case FabricEvent::kPauseTimer: {
      const std::uint32_t port = at >> 4;
      sound = port < domain_.ports().size() &&
              ((at & 1) == 0 || domain_.nodes()[domain_.ports()[port].node].forwards != kNone);
      break;
    }
    case FabricEvent::kRateTimer:
      sound = domain_.sender_.MayHaveTimer(at);
      break;
    case FabricEvent::kTimeout:
      sound = is_host();
      break;
    case FabricEvent::kWakeAgent:
      wakes_.push_back(event.time);
      sound = domain_.agent() != nullptr;
      break;
    case FabricEvent::kPoll:
      sound = domain_.requests_.MayHaveEvent(at);
      break;
    case FabricEvent::kStreamSum:
      sound = domain_.streams_.MayHaveEvent(at);
      break;
    case FabricEvent::kUecPull:
    case FabricEvent::kUecCredit:
      sound = domain_.uec_receiver_.MayHaveEvent(at);
      break;
  }
  ExpectState(sound, "an event of something that does not exist");
}

void StateCheck::CheckRecords() const {
  domain_.ledger().Check(
      context_.graph->node_count(), [this](NodeId node) { return domain_.IsHost(node); },
      [this](NodeId node) { return domain_.FindNode(node) != nullptr; });
  domain_.sampler().Check(domain_.ports().size());
  ExpectState(domain_.clock().now >= Time{0}, "a time before the beginning");
}

}  // namespace heddle
