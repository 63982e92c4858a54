// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/sending/nic_sending.h"

#include <algorithm>

#include "transport/domain/host/nic_routing.h"
#include "transport/domain/state/transmit.h"

namespace heddle {
namespace {

/// Sends the first packet that waits in the port's queues, an ACK.
bool SendQueued(DomainState& state, Port& port) {
  const std::uint32_t queues = port.sendable();
  if (queues == 0) return false;
  const std::uint32_t slot = state.Dequeue(port, __builtin_ctz(queues));
  Packet p = state.packet(slot);
  const MessageTail* tail = state.HoldTail(slot);
  state.cargo().Free(slot);
  ++state.books().injected_packets;
  state.books().injected_bytes += p.size;
  state.Transmit(port, p, tail);
  return true;
}

}  // namespace

void NicSending::Join(DomainState& state, std::uint32_t slot, std::uint32_t index) {
  QueuePair& pair = own_.pairs[slot];
  Port& port = state.ports()[index];
  pair.port = index;
  if (pair.pace.line_rate.bps == 0) Begin(state, slot, index);
  if (!own_.nics.any(port)) CountTime(state, index, true);
  own_.nics.Join(&port, slot, &pair, pair.ready(state.context().options.reliability.sure_of_ack()));
  // While it was parked nobody watched over what it had sent.
  const Time deadline = own_.DeadlineOf(state, slot);
  if (deadline < Time::Max()) own_.timeouts.Arm(state, port.node, std::max(state.now(), deadline));
}

void NicSending::Begin(DomainState& state, std::uint32_t slot, std::uint32_t index) {
  QueuePair& pair = own_.pairs[slot];
  own_.rates.Start(state, slot, &pair, index);
  if (IsUec(state, pair, index)) {
    own_.uec.Start(state, slot, &pair);
  } else if (state.context().entropies.sprays()) {
    pair.sprays = 1;
    own_.entropies.Start(state.context().entropies, slot, state.context().seed, pair.flow,
                         pair.source_port, state.context().max_rtt);
  }
}

bool NicSending::IsUec(const DomainState& state, const QueuePair& pair, std::uint32_t port) {
  const FabricContext& context = state.context();
  if (context.uec == nullptr || (context.uec->classes >> pair.priority & 1) == 0) return false;
  const NodeId here = state.NodeOf(state.ports()[port]).id;
  const NodeId peer = context.graph->ports(here)[state.NumberOf(port).value].peer;
  return context.graph->kind(peer) == NodeKind::kSwitch;
}

void NicSending::Leave(DomainState& state, std::uint32_t slot) {
  QueuePair& pair = own_.pairs[slot];
  if (pair.port == QueuePair::kParked) return;
  own_.nics.Leave(state.ports()[pair.port], slot, &own_.pairs);
  if (!own_.nics.any(state.ports()[pair.port])) CountTime(state, pair.port, false);
  pair.port = QueuePair::kParked;
}

void NicSending::Choose(DomainState& state, std::uint32_t slot) {
  const QueuePair& pair = own_.pairs[slot];
  const std::uint32_t port = state.parts().nic_routing.Choose(
      *state.FindNode(pair.flow.source), pair.destination, pair.source_port, pair.destination_port);
  if (port == pair.port) return;
  Leave(state, slot);
  if (port == QueuePair::kParked) return;
  Join(state, slot, port);
  Send(state, state.ports()[port], port);
}

void NicSending::SendNext(DomainState& state, Port& port, std::uint32_t index) {
  if (!SendQueued(state, port) && !SendData(state, port, index)) return;
  if (port.sendable() != 0 || own_.nics.any_ready(port))
    state.WakePort(port, index, port.busy_until);
}

bool NicSending::SendData(DomainState& state, Port& port, std::uint32_t index) {
  Time earliest = Time::Max();
  const std::uint32_t slot =
      own_.nics.Pick(&port, own_.pairs, state.context().options.nic, state.now(), &earliest);
  if (slot == Nics::kNone) {
    if (earliest < Time::Max()) state.WakePort(port, index, earliest);
    return false;
  }
  Packet p = packets_.Next(state, slot);
  ++state.books().injected_packets;
  state.books().injected_bytes += p.size;
  static constexpr MessageTail kNoTelemetry{};
  state.Transmit(port, p, state.context().tails ? &kNoTelemetry : nullptr);
  return true;
}

void NicSending::Update(DomainState& state, std::uint32_t slot) {
  const QueuePair& pair = own_.pairs[slot];
  if (pair.port == QueuePair::kParked) return;
  Port& port = state.ports()[pair.port];
  const bool ready = pair.ready(state.context().options.reliability.sure_of_ack());
  own_.nics.SetReady(port, pair, ready);
  if (ready) Send(state, port, pair.port);
}

void NicSending::UpdateUec(DomainState& state, std::uint32_t slot) {
  QueuePair& pair = own_.pairs[slot];
  pair.resend = own_.uec.MaySend(state, slot, pair) ? 1 : 0;
  if (pair.port == QueuePair::kParked) return;
  const Time deadline = own_.uec.Deadline(state, slot, pair);
  if (deadline < Time::Max())
    own_.timeouts.Arm(state, state.ports()[pair.port].node, std::max(state.now(), deadline));
  Update(state, slot);
}

}  // namespace heddle
