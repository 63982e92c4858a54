// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/host/receiver.h"

#include <algorithm>

#include "core/containers/state_count.h"
#include "transport/domain/state/message_reports.h"
#include "transport/domain/state/replay_watcher.h"
#include "transport/domain/streams/stream_desk.h"

namespace heddle {
namespace {

/// Whether a packet in order that neither ends its flow nor asks is acknowledged. SimAI's receiver
/// looks at the flow's bytes in order alone, since it sets its mark of the next ACK back to the
/// first interval's end with each packet.
bool IsAckDue(const ReliabilityOptions& options, const ReceiveQueuePair& receiver) {
  if ((options.back_to_zero || options.simai_acks) && receiver.expected % options.chunk == 0)
    return true;
  return (options.simai_acks ? receiver.expected : receiver.unreported) >= options.ack_interval;
}

}  // namespace

ReceiveQueuePair Receiver::NewReceiver(const DomainState& state, const Node& node,
                                       const Packet& data) {
  ReceiveQueuePair receiver;
  receiver.flow = {data.source, data.flow_number};
  receiver.node = node.id;
  // The packet's own may be an entropy; NIC ports are chosen by the queue pair's.
  receiver.source_port =
      state.context().entropies.sprays() ? static_cast<std::uint16_t>(data.note) : data.source_port;
  receiver.destination_port = data.destination_port;
  receiver.ack_port = state.parts().nic_routing.Choose(node, data.source, data.destination_port,
                                                       receiver.source_port);
  return receiver;
}

std::uint32_t Receiver::SlotOf(DomainState& state, const Node& node, const Packet& data) {
  const std::uint64_t key = FlowId{data.source, data.flow_number}.packed();
  std::uint32_t slot = index_.Find(key);
  // A flow that has had an ACK but is not known here has been received in whole.
  if (slot != FlatMap::kNone || data.answered != 0) return slot;
  slot = slots_.Allocate();
  slots_[slot] = NewReceiver(state, node, data);
  if (node.kind == NodeKind::kSwitch)
    slots_[slot].input = state.parts().reports.ReportBegun(state, node.id, slots_[slot].flow);
  index_.Insert(key, slot);
  reliability_.Start(slot);
  return slot;
}

void Receiver::ReceiveData(DomainState& state, const Node& node, const Packet& data,
                           const MessageTail* tail) {
  const std::uint32_t slot = SlotOf(state, node, data);
  if (slot == FlatMap::kNone) {
    AcknowledgeAgain(state, node, data, tail);
    return;
  }
  const ReliabilityOptions& options = state.context().options.reliability;
  ReceiveQueuePair& receiver = slots_[slot];
  receiver.marked = data.marked != 0 || (receiver.marked != 0 && !options.simai_acks) ? 1 : 0;
  const auto first = static_cast<std::int64_t>(data.sequence);
  const std::int64_t end = first + state.context().trains.PayloadIn(data.size);
  if (data.last != 0) receiver.end = end;
  const std::int64_t before = receiver.expected;
  const Reception reception = reliability_.Receive(
      slot, &receiver, {state.now(), first, end, data.ack_request != 0}, &state.books());
  if (reception.answer != DataAnswer::kWhenDue) {
    AnswerAtOnce(state, &receiver, reception, data, tail);
    return;
  }
  receiver.unreported += receiver.expected - before;
  const bool complete = receiver.expected == receiver.end;
  const std::uint32_t input = receiver.input;
  const std::int64_t in_order = receiver.expected;
  if (complete || data.ack_request != 0 || receiver.asked != 0 || IsAckDue(options, receiver)) {
    SendAck(state, receiver, PacketKind::kAck, data, tail);
    receiver.unreported = 0;
    receiver.marked = 0;
    receiver.asked = 0;
  }
  if (complete) End(state, slot, data.queue_pair);
  if (input != QueuePair::kParked) state.parts().streams.Advance(state, input, in_order);
}

void Receiver::End(DomainState& state, std::uint32_t slot, std::uint32_t queue_pair) {
  ReceiveQueuePair& receiver = slots_[slot];
  const FlowArrival arrival{receiver.flow, state.now()};
  const bool notifies = state.watcher() == nullptr ||
                        state.watcher()->NotifiesArrival(state, queue_pair, arrival.flow);
  if (notifies) state.ledger().AddArrival(arrival);
  index_.Erase(receiver.flow.packed());
  receiver.flow = FlowId();
  slots_.Free(slot);
  if (notifies) state.parts().reports.ReportReceived(state, arrival.flow);
}

void Receiver::AnswerAtOnce(DomainState& state, ReceiveQueuePair* receiver, Reception reception,
                            const Packet& data, const MessageTail* tail) {
  if (reception.answer == DataAnswer::kNothing) return;
  const bool nack = reception.answer == DataAnswer::kNack;
  SendAck(state, *receiver, nack ? PacketKind::kNack : PacketKind::kAck, data, tail,
          reception.note);
  receiver->marked = 0;
}

void Receiver::AnswerProbe(DomainState& state, const Node& node, const Packet& probe,
                           const MessageTail* tail) {
  SendAck(state, NewReceiver(state, node, probe), PacketKind::kProbeAnswer, probe, tail);
}

void Receiver::AcknowledgeAgain(DomainState& state, const Node& node, const Packet& data,
                                const MessageTail* tail) {
  ++state.books().duplicates;
  ReceiveQueuePair receiver = NewReceiver(state, node, data);
  // How much the flow has is forgotten; that it has this packet is certain.
  receiver.expected =
      static_cast<std::int64_t>(data.sequence) + state.context().trains.PayloadIn(data.size);
  receiver.marked = data.marked;
  SendAck(state, receiver, PacketKind::kAck, data, tail);
}

void Receiver::SendAck(DomainState& state, const ReceiveQueuePair& receiver, PacketKind kind,
                       const Packet& data, const MessageTail* tail, std::int64_t note) {
  if (kind == PacketKind::kNack) ++state.books().nacks;
  const std::uint32_t index = receiver.ack_port;
  if (index == QueuePair::kParked) return;
  Packet ack;
  ack.source = data.destination;
  ack.destination = data.source;
  ack.flow_number = data.flow_number;
  ack.queue_pair = data.queue_pair;
  ack.source_port = data.destination_port;
  ack.destination_port = data.source_port;
  ack.size = static_cast<std::uint16_t>(state.context().ack_bytes);
  ack.kind = kind;
  ack.priority = state.context().options.nic.ack_high_priority ? 0 : data.priority & 7;
  ack.last = 0;
  ack.marked = 0;
  ack.echo = receiver.marked & 1;
  ack.answered = 0;
  ack.ack_request = 0;
  ack.sequence = static_cast<std::uint64_t>(receiver.expected) & 0xff'ffff'ffff;
  ack.note = static_cast<std::uint64_t>(note) & 0xff'ffff;
  ack.stamp = data.stamp;
  ack.ingress = DomainState::kOwnPacket;
  ack.next = kNoPacket;
  state.SendOwn(index, ack, ack.priority, tail);
}

void Receiver::AddMemory(MemoryAccount* account) const {
  account->Add(Structure::kReceivers, slots_.memory() + index_.memory() + reliability_.memory());
}

void Receiver::Check(const DomainState& state) const {
  const std::vector<bool> used = slots_.used_slots();
  std::size_t live = 0;
  for (std::uint32_t slot = 0; slot < used.size(); ++slot) {
    const ReceiveQueuePair& receiver = slots_[slot];
    ExpectState(receiver.flow.source.valid() == used[slot],
                "a receiver that is both free and in use");
    if (!used[slot]) continue;
    ++live;
    const bool found = index_.Find(receiver.flow.packed()) == slot;
    ExpectState(found && state.IsEnd(receiver.flow.source) && receiver.flow.source != receiver.node,
                "a receiver that nobody finds");
    const Node* node = state.FindNode(receiver.node);
    const bool placed = node != nullptr && (receiver.ack_port == QueuePair::kParked ||
                                            DomainState::IsPortOf(*node, receiver.ack_port));
    ExpectState(placed && receiver.expected >= 0, "a receiver at no port");
    ExpectState(reliability_.Covers(slot + 1), "a receiver without a window of packets");
    ExpectState(receiver.input == QueuePair::kParked || state.parts().streams.Has(receiver.input),
                "a receiver that feeds no sum");
  }
  ExpectState(index_.size() == live, "receivers of no flow");
}

}  // namespace heddle
