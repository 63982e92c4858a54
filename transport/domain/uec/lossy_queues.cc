// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/uec/lossy_queues.h"

#include <algorithm>
#include <utility>

namespace heddle {

void LossyQueues::SetRate(const DomainState& state, const Node& node, std::uint32_t port,
                          BitRate rate) {
  const FabricContext& context = state.context();
  if (context.uec == nullptr) return;
  if (limits_.size() <= port) {
    limits_.resize(port + 1);
    const std::uint64_t number = port - node.first_port;
    coins_.resize(port + 1, RandomStream(0, 0, RandomPurpose::kTrimming));
    coins_[port] = RandomStream(context.seed, std::uint64_t{node.id.value} << 32 | number,
                                RandomPurpose::kTrimming);
  }
  const NodeId peer = context.graph->ports(node.id)[port - node.first_port].peer;
  const bool last_hop = context.graph->is_gpu(peer);
  limits_[port] = {context.uec->QueueLimit(rate, last_hop), context.uec->ControlLimit(rate),
                   context.uec->Ecn(rate, last_hop), last_hop};
}

bool LossyQueues::TakePlace(DomainState& state, Port& out, int queue, std::uint32_t egress,
                            std::uint32_t slot) {
  PacketFifo& fifo = out.queues[queue];
  if (coins_[egress].Below(2) != 0 || (out.waiting >> queue & 1) == 0) return false;
  Packet& youngest = state.packet(fifo.tail);
  Packet& arriving = state.packet(slot);
  if (youngest.kind != PacketKind::kUecData) return false;
  if (state.watches_queues()) QueueChanged(state, out, queue, youngest, -1);
  std::swap(youngest, arriving);
  youngest.next = kNoPacket;
  const std::int64_t more = std::int64_t{youngest.size} - arriving.size;
  fifo.bytes = static_cast<std::uint32_t>(fifo.bytes + more);
  out.queued_bytes += more;
  out.max_queued_bytes = std::max(out.max_queued_bytes, out.queued_bytes);
  if (state.watches_queues()) QueueChanged(state, out, queue, youngest, +1);
  return true;
}

bool LossyQueues::Enqueue(DomainState& state, const Node& node, Port& out, std::uint32_t egress,
                          std::uint32_t slot) {
  const UecRun& uec = *state.context().uec;
  const Limits& limits = limits_[egress];
  const auto drop = [&](DropReason reason) {
    state.Drop(node, state.NumberOf(egress), reason, state.packet(slot));
    state.cargo().Free(slot);
    return false;
  };
  if (out.has(Port::kDown)) return drop(DropReason::kLinkDown);
  Packet& p = state.packet(slot);
  p.ingress = DomainState::kOwnPacket;
  if (p.kind == PacketKind::kUecData) {
    const int queue = p.priority;
    if (out.queues[queue].bytes + std::int64_t{p.size} <= limits.data) {
      state.Enqueue(out, queue, slot);
      return true;
    }
    TakePlace(state, out, queue, egress, slot);
    if (!uec.options.trimming) return drop(DropReason::kBufferFull);
    ++state.books().trimmed_packets;
    const auto header =
        static_cast<std::uint16_t>(std::min<std::int64_t>(p.size, uec.options.trimmed));
    state.books().trimmed_bytes += p.size - header;
    p.size = header;
    p.kind = PacketKind::kUecTrimmed;
    p.priority = 0;
    p.note = limits.last_hop ? 1 : 0;
  }
  if (out.queues[0].bytes + std::int64_t{p.size} > limits.control)
    return drop(DropReason::kBufferFull);
  state.Enqueue(out, 0, slot);
  return true;
}

bool LossyQueues::Marks(DomainState& state, std::uint32_t port, std::int64_t queued_bytes) const {
  return EcnMarks(limits_[port].ecn, queued_bytes, &state.extras()[port].marking);
}

}  // namespace heddle
