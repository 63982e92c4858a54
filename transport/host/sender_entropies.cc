// SPDX-License-Identifier: GPL-2.0-only
// What a sender does if packets have entropies of their own (FabricContext::entropies sprays).
#include "transport/host/sender.h"

namespace heddle {

Packet Sender::Probe(const DomainState& state, std::uint32_t slot, std::uint16_t entropy) const {
  const QueuePair& pair = pairs_[slot];
  Packet p{};
  p.source = pair.flow.source;
  p.destination = pair.destination;
  p.flow_number = pair.flow.number;
  p.queue_pair = slot;
  p.source_port = entropy;
  p.destination_port = pair.destination_port;
  p.size = static_cast<std::uint16_t>(state.context_->header_bytes);
  p.kind = PacketKind::kProbe;
  p.priority = pair.priority & 7;
  p.note = pair.source_port;
  p.stamp = state.context_->control.FirstStampAt(state.now_);
  return p;
}

void Sender::Spray(const DomainState& state, std::uint32_t slot, std::int64_t offset, Packet* p) {
  const EntropyChooser& chooser = state.context_->entropies;
  if (!pairs_[slot].in_flight()) entropies_.Idle(chooser, slot, state.now_);
  p->source_port =
      entropies_.Next(chooser, slot, offset / state.context_->options.payload, state.now_);
  p->note = pairs_[slot].source_port;
}

void Sender::LearnEntropy(const DomainState& state, std::uint32_t slot, const Packet& ack) {
  entropies_.Arrived(state.context_->entropies, slot, ack.destination_port, ack.echo != 0,
                     state.now_);
  entropies_.Forget(slot,
                    static_cast<std::int64_t>(ack.sequence) / state.context_->options.payload);
}

void Sender::ReceiveProbeAnswer(const DomainState& state, const Packet& answer) {
  const std::uint32_t slot = answer.queue_pair;
  if (slot >= pairs_.size()) return;  // as in ReceiveAck
  const QueuePair& pair = pairs_[slot];
  if (pair.sprays == 0 || pair.flow != FlowId{answer.destination, answer.flow_number}) return;
  entropies_.ProbeArrived(state.context_->entropies, slot, answer.destination_port, state.now_);
}

void Sender::CountLost(const DomainState& state, std::uint32_t slot, std::int64_t offset) {
  entropies_.Lost(state.context_->entropies, slot, offset / state.context_->options.payload,
                  state.now_);
}

}  // namespace heddle
