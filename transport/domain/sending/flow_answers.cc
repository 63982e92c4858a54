// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/sending/flow_answers.h"

#include <algorithm>

#include "transport/domain/requests/request_desk.h"

namespace heddle {

void FlowAnswers::Ack(DomainState& state, const Packet& ack, const MessageTail* tail) {
  const std::uint32_t slot = ack.queue_pair;
  if (slot >= own_.pairs.size())
    return;  // from another domain's checkpoint, which nobody here could check
  QueuePair& pair = own_.pairs[slot];
  if (pair.flow != FlowId{ack.destination, ack.flow_number})
    return;  // the flow has ended; the slot may be another's
  const bool plain = pair.plain();
  if (!plain && pair.sprays != 0) LearnEntropy(state, slot, ack);
  if (ack.kind == PacketKind::kNack) ++pair.recovery.nacks;
  const std::int64_t acknowledged = static_cast<std::int64_t>(ack.sequence);
  if (acknowledged > pair.unacked) {
    pair.unacked = acknowledged;
    pair.next = std::max(pair.next, acknowledged);  // an ACK of what was sent before going back
    pair.last_progress = state.now();
    if (pair.timeouts != 0) EndBackOff(state, slot);
  }
  if (ack.echo != 0) CountCnp(state, &pair);
  if (pair.unacked < pair.size) own_.reliability.OnAnswer(slot, &pair, ack);
  if (!plain && pair.divided != 0) state.parts().requests.Acknowledged(state, slot, pair);
  if (pair.unacked >= pair.size && (plain || !pair.more_comes())) {
    life_.End(state, slot, FlowState::kFinished);
    return;
  }
  if (ack.kind == PacketKind::kNack && !IsOutdated(pair, ack)) {
    const std::int64_t lost = own_.reliability.OnNack(slot, &pair, ack);
    if (lost != kNoByte && pair.sprays != 0) own_.CountLost(state, slot, lost);
  }
  if (state.context().control.Heeds(ack.echo != 0)) own_.rates.OnAck(state, slot, &pair, ack, tail);
  nic_.Update(state, slot);
}

void FlowAnswers::Uec(DomainState& state, const Packet& p) {
  const std::uint32_t slot = p.queue_pair;
  if (slot >= own_.pairs.size()) return;  // as in Ack
  QueuePair& pair = own_.pairs[slot];
  if (pair.flow != FlowId{p.destination, p.flow_number} || pair.ultra == 0) return;
  if (p.kind == PacketKind::kUecAck && p.echo != 0) CountCnp(state, &pair);
  if (own_.uec.Receive(state, slot, &pair, p)) {
    life_.End(state, slot, FlowState::kFinished);
    return;
  }
  nic_.UpdateUec(state, slot);
}

void FlowAnswers::Probe(const DomainState& state, const Packet& answer) {
  const std::uint32_t slot = answer.queue_pair;
  if (slot >= own_.pairs.size()) return;  // as in Ack
  const QueuePair& pair = own_.pairs[slot];
  if (pair.sprays == 0 || pair.flow != FlowId{answer.destination, answer.flow_number}) return;
  own_.entropies.ProbeArrived(state.context().entropies, slot, answer.destination_port,
                              state.now());
}

void FlowAnswers::EndBackOff(DomainState& state, std::uint32_t slot) {
  QueuePair& pair = own_.pairs[slot];
  pair.timeouts = 0;
  if (pair.port == QueuePair::kParked) return;  // Join() arms the timer
  const Time deadline = own_.DeadlineOf(state, slot);
  if (deadline < Time::Max()) own_.timeouts.Arm(state, state.ports()[pair.port].node, deadline);
}

void FlowAnswers::LearnEntropy(const DomainState& state, std::uint32_t slot, const Packet& ack) {
  own_.entropies.Arrived(state.context().entropies, slot, ack.destination_port, ack.echo != 0,
                         state.now());
  own_.entropies.Forget(slot,
                        static_cast<std::int64_t>(ack.sequence) / state.context().options.payload);
}

}  // namespace heddle
