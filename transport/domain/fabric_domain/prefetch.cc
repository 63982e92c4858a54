// SPDX-License-Identifier: GPL-2.0-only
/// What the next events will touch is brought near while earlier ones run.
///
/// A large fabric does not fit into the processor's caches: each event finds its packet, its port,
/// its queue pair and its host cold, one behind the other, and waiting for them takes most of the
/// time. So each event in line is visited a few times before its turn, each time to fetch what the
/// visit before made known: the lines of many events come at once.
#include "transport/domain/fabric_domain/fabric_domain.h"

namespace heddle {
namespace {

// Distances to an event's turn, found by measurement (docs/performance.md).
constexpr std::size_t kFirst = 24;   ///< the packet, or what else the event names
constexpr std::size_t kSecond = 16;  ///< the port that it comes in by
constexpr std::size_t kThird =
    8;  ///< what the port and the packet name: the way out, the queue pair, the receiver
constexpr std::size_t kLast = 4;  ///< what these name

constexpr std::size_t kLine = 64;

/// The first `lines` of an object.
template <class T>
void Fetch(const T* object, std::size_t lines = (sizeof(T) + kLine - 1) / kLine) {
  for (std::size_t line = 0; line < lines; ++line)
    __builtin_prefetch(reinterpret_cast<const char*>(object) + line * kLine);
}

/// Whether it answers data, and `queue_pair` is a slot of this domain.
constexpr bool NamesQueuePair(PacketKind kind) {
  return kind == PacketKind::kAck || kind == PacketKind::kNack || kind >= PacketKind::kUecAck;
}

}  // namespace

void FabricDomain::Prefetch() {
  if (queue_.AtBucketStart()) {
    // What the visits below would have done before.
    for (std::size_t i = 0; i < kFirst; ++i) {
      if (const Event* event = Peek(i)) PrefetchFirst(*event);
    }
    for (std::size_t i = 0; i < kSecond; ++i) {
      if (const Event* event = Peek(i)) PrefetchSecond(*event);
    }
    for (std::size_t i = 0; i < kThird; ++i) {
      if (const Event* event = Peek(i)) PrefetchThird(*event);
    }
    for (std::size_t i = 0; i < kLast; ++i) {
      if (const Event* event = Peek(i)) PrefetchLast(*event);
    }
  }
  if (const Event* event = Peek(kFirst)) PrefetchFirst(*event);
  if (const Event* event = Peek(kSecond)) PrefetchSecond(*event);
  if (const Event* event = Peek(kThird)) PrefetchThird(*event);
  if (const Event* event = Peek(kLast)) PrefetchLast(*event);
  queue_.PrefetchNextBucket();
}

const Event* FabricDomain::Peek(std::size_t ahead) const {
  const Event* event = queue_.PeekOpen(ahead);
  const bool replayed = event != nullptr && watcher_ != nullptr &&
                        FabricEvent::IsReplayed(EventOrder(event->order).kind());
  return replayed ? nullptr : event;
}

void FabricDomain::FetchPort(const Port& port, int queue) const {
  __builtin_prefetch(&port);
  __builtin_prefetch(&port.queues[queue]);
  __builtin_prefetch(&port.rate);
}

void FabricDomain::PrefetchFirst(const Event& event) const {
  const std::uint32_t kind = EventOrder(event.order).kind();
  if (kind == FabricEvent::kArrival) return Fetch(&cargo_[event.argument]);  // most are
  switch (kind) {
    case FabricEvent::kPortFree:
      return FetchPort(ports_[event.argument], 3);
    case FabricEvent::kFlowStart:
    case FabricEvent::kTimeout:
      return Fetch(&nodes_[event.argument]);
    case FabricEvent::kPoll:
    case FabricEvent::kStreamSum:
      return;
    default:
      return Fetch(&cargo_[event.argument]);
  }
}

void FabricDomain::PrefetchSecond(const Event& event) const {
  const std::uint32_t kind = EventOrder(event.order).kind();
  if (kind == FabricEvent::kArrival)
    return __builtin_prefetch(&ports_[packet(event.argument).ingress]);
  switch (kind) {
    case FabricEvent::kPortFree: {
      const Port& port = ports_[event.argument];
      if (port.nic != kNone) Fetch(&sender_.nics()[port.nic]);
      return;
    }
    case FabricEvent::kFlowStart:
      return desk_.PrefetchHost(nodes_[event.argument].host);
    case FabricEvent::kTimeout:
      return sender_.PrefetchHost(nodes_[event.argument].host);
    default:
      return;
  }
}

void FabricDomain::PrefetchThird(Packet* packet) {
  const Packet& p = *packet;
  const Port& in = ports_[p.ingress];
  const Node& node = nodes_[in.node];
  if (node.kind == NodeKind::kSwitch && p.destination != node.id)
    return PrefetchPathOut(node, packet);
  if (p.destination != node.id) return;
  if (p.kind == PacketKind::kData) {
    FetchPort(in, p.priority);
    receiver_.PrefetchIndex(FlowId{p.source, p.flow_number});
  } else if (p.kind == PacketKind::kUecData) {
    uec_receiver_.PrefetchIndex(FlowId{p.source, p.flow_number});
  } else if (NamesQueuePair(p.kind) && p.queue_pair < sender_.pairs().size()) {
    Fetch(&sender_.pairs()[p.queue_pair], 2);
  }
}

void FabricDomain::PrefetchThird(const Event& event) {
  switch (EventOrder(event.order).kind()) {
    case FabricEvent::kArrival:
      return PrefetchThird(&packet(event.argument));
    case FabricEvent::kPortFree: {
      const Port& port = ports_[event.argument];
      if (port.nic == kNone) return;
      const std::uint32_t slot = sender_.nics()[port.nic].Next();
      if (slot != RoundRobin::kNone) Fetch(&sender_.pairs()[slot], 2);
      return;
    }
    case FabricEvent::kFlowStart:
      return desk_.PrefetchStarts(nodes_[event.argument].host);
    default:
      return;
  }
}

void FabricDomain::PrefetchLast(const Event& event) const {
  if (EventOrder(event.order).kind() == FabricEvent::kArrival)
    PrefetchLast(packet(event.argument), event.time);
}

void FabricDomain::PrefetchLast(const Packet& p, Time time) const {
  const Port& in = ports_[p.ingress];
  const Node& node = nodes_[in.node];
  if (node.kind == NodeKind::kSwitch && p.destination != node.id) {
    if (p.next == kNotRouted || p.next == kNoRoute || p.kind == PacketKind::kPause) return;
    const Port& out = ports_[p.next];
    if (out.busy_until > time || out.waiting != 0)
      FetchPort(out, p.priority);  // it will have to wait
    return;
  }
  if (p.destination != node.id) return;
  if (p.kind == PacketKind::kData) {
    const ReceiveQueuePair* receiver = receiver_.Find(FlowId{p.source, p.flow_number});
    if (receiver != nullptr) Fetch(receiver);
    if (in.nic != kNone)
      Fetch(&sender_.nics()[in.nic]);  // the ACK most likely goes out where the data came in
  } else if (NamesQueuePair(p.kind) && p.queue_pair < sender_.pairs().size()) {
    const QueuePair& pair = sender_.pairs()[p.queue_pair];
    if (pair.port == QueuePair::kParked) return;
    FetchPort(ports_[pair.port], pair.priority);
    // A GPU's ports have NICs in their own order: that of the way out is known without waiting for
    // its port.
    if (in.has(Port::kAtHost)) Fetch(&sender_.nics()[in.nic + (pair.port - p.ingress)]);
  }
}

void FabricDomain::PrefetchPathOut(const Node& node, Packet* p) {
  if (p->kind == PacketKind::kPause || !switch_side_.paths_stay()) return;
  p->next = switch_side_.Egress(node, *p);
  if (p->next == kNoRoute) return;
  __builtin_prefetch(&ports_[p->next]);
  switch_side_.PrefetchBuffer(node, p->ingress);
}

void FabricDomain::PrefetchMessages(Message* const* messages, std::size_t count,
                                    std::size_t index) {
  const auto arrives = [&](std::size_t i) -> Packet* {
    if (i >= count || EventOrder(messages[i]->order).kind() != FabricEvent::kArrival)
      return nullptr;
    return std::launder(reinterpret_cast<Packet*>(messages[i]->cargo.bytes));
  };
  const auto second = [&](std::size_t i) {
    if (const Packet* p = arrives(i)) __builtin_prefetch(&ports_[p->ingress]);
  };
  const auto third = [&](std::size_t i) {
    if (Packet* p = arrives(i)) PrefetchThird(p);
  };
  const auto last = [&](std::size_t i) {
    if (const Packet* p = arrives(i)) PrefetchLast(*p, messages[i]->time);
  };
  if (index == 0) {
    queue_.ForSomeAdded([&](const Event& event) { PrefetchFirst(event); });
    for (std::size_t i = 0; i < kSecond; ++i) second(i);
    queue_.ForSomeAdded([&](const Event& event) { PrefetchSecond(event); });
    for (std::size_t i = 0; i < kThird; ++i) third(i);
    queue_.ForSomeAdded([&](const Event& event) { PrefetchThird(event); });
    for (std::size_t i = 0; i < kLast; ++i) last(i);
  }
  second(index + kSecond);
  third(index + kThird);
  last(index + kLast);
}

}  // namespace heddle
