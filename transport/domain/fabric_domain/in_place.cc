// SPDX-License-Identifier: GPL-2.0-only
/// A domain's window with messages that stay where their senders wrote them: most packets pass a
/// switch or reach a host without entering the event queue and the packet pool.
#include <fmt/format.h>

#include <new>

#include "transport/domain/fabric_domain/fabric_domain.h"
#include "transport/domain/fabric_domain/part_calls.h"
#include "transport/domain/state/transmit.h"

namespace heddle {

void FabricDomain::RunMessages(Time end, Message* const* messages, std::size_t count) {
  queue_.BeginWindow();
  for (std::size_t next = 0;;) {
    Message& message = *messages[next];
    const Event& first = queue_.First();
    if (first.time < message.time || (first.time == message.time && first.order < message.order)) {
      if (first.time >= end) break;
      if (queue_.AtEdge()) {
        queue_.OpenMore(end);
        continue;
      }
      const Event event = first;
      queue_.PopFirst();
      if (EventOrder(event.order).kind() != FabricEvent::kPortFree) {
        RunQueued(event);
        continue;
      }
      Port& port = ports_[event.argument];
      if (port.wake_at != event.time) continue;  // overtaken by an earlier wake-up
      EnterPlain(event.time);
      port.wake_at = Time::Max();
      SendWith(*this, Own(), port, event.argument);
      continue;
    }
    if (message.time >= end) break;
    if (context_->prefetch) PrefetchMessages(messages, count, next);
    ++next;
    if (EventOrder(message.order).kind() != FabricEvent::kArrival) {
      RunRareMessage(message);
      continue;
    }
    EnterPlain(message.time);
    ArriveInPlace(std::launder(reinterpret_cast<Packet*>(message.cargo.bytes)));
  }
  run_until_ = end;
}

void FabricDomain::RunRareMessage(const Message& message) {
  const std::uint32_t slot = cargo_.Allocate();
  cargo_[slot] = message.cargo;
  RunQueued({message.time, message.order, slot, 0});
}

void FabricDomain::ArriveInPlace(Packet* p) {
  constexpr auto kNotSwitch = Port::kFaulty | Port::kAtHost | Port::kEndsFlows;
  const std::uint32_t index = p->ingress;
  const Port& in = ports_[index];
  if (p->kind == PacketKind::kPause) {
    if (!in.has(Port::kFaulty) || !IsLost(index, *p)) pause_.Receive(*this, index, *p);
  } else if ((in.flags & kNotSwitch) == 0) {
    switch_side_.ForwardInPlace(*this, in, p);
  } else if (in.has(Port::kFaulty) && IsLost(index, *p)) {
    return;
  } else if (in.has(Port::kAtHost) ||
             (in.has(Port::kEndsFlows) && p->destination == nodes_[in.node].id)) {
    ReceiveInPlace(in, *p);
  } else {
    switch_side_.ForwardInPlace(*this, in, p);
  }
}

void FabricDomain::ReceiveInPlace(const Port& in, const Packet& p) {
  ++books_.received_packets;
  books_.received_bytes += p.size;
  if (p.kind == PacketKind::kData) {
    receiver_.ReceiveData(*this, nodes_[in.node], p, nullptr);
  } else if (p.kind <= PacketKind::kNack) {
    sender_.answers().Ack(*this, p, nullptr);
  } else {
    ReceiveOther(in, p, nullptr);
  }
}

}  // namespace heddle
