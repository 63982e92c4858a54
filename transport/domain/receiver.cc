// SPDX-License-Identifier: GPL-2.0-only
/// The receiving side of FabricDomain's hosts: is a packet in order, is it new, and what is said
/// about it.
///
/// Go-back-N as in SimAI's ns-3, with two mends: data that the receiver already has is acknowledged
/// again, and marks of packets that were not acknowledged one by one are not forgotten. Selective
/// repeat after IRN (Mittal et al., SIGCOMM 2018).
#include "transport/domain/fabric_domain.h"

namespace heddle {

ReceiveQueuePair FabricDomain::NewReceiver(const Node& node, const Packet& data) {
  ReceiveQueuePair receiver;
  receiver.flow = {data.source, data.flow_number};
  receiver.node = node.id;
  receiver.source_port = data.source_port;
  receiver.destination_port = data.destination_port;
  receiver.ack_port = ChooseNic(node, data.source, data.destination_port, data.source_port);
  return receiver;
}

std::uint32_t FabricDomain::ReceiverOf(const Node& node, const Packet& data) {
  const std::uint64_t key = FlowId{data.source, data.flow_number}.packed();
  std::uint32_t slot = receivers_.Find(key);
  // A flow that has had an ACK but is not known here has been received in whole.
  if (slot != FlatMap::kNone || data.answered != 0) return slot;
  slot = receive_slots_.Allocate();
  receive_slots_[slot] = NewReceiver(node, data);
  receivers_.Insert(key, slot);
  if (context_->options.reliability.selective_repeat) {
    if (selective_receivers_.size() <= slot) selective_receivers_.resize(slot + slot / 2 + 4);
    selective_receivers_[slot] = SelectiveReceiver();
  }
  return slot;
}

void FabricDomain::ReceiveData(const Node& node, const Packet& data, const MessageTail* tail) {
  const std::uint32_t slot = ReceiverOf(node, data);
  if (slot == FlatMap::kNone) {
    AcknowledgeAgain(node, data, tail);
    return;
  }
  ReceiveQueuePair& receiver = receive_slots_[slot];
  if (data.marked != 0) receiver.marked = 1;
  if (data.last != 0)
    receiver.end = static_cast<std::int64_t>(data.sequence) + data.size - context_->header_bytes;
  const std::int64_t before = receiver.expected;
  const ReliabilityOptions& options = context_->options.reliability;
  const bool accepted = options.selective_repeat ? AcceptSelectively(slot, data, tail)
                                                 : AcceptInOrder(&receiver, data, tail);
  if (!accepted) return;
  receiver.unreported += receiver.expected - before;
  const bool complete = receiver.expected == receiver.end;
  const bool chunk_done = options.back_to_zero && receiver.expected % options.chunk == 0;
  if (complete || chunk_done || data.ack_request != 0 ||
      receiver.unreported >= options.ack_interval) {
    SendAck(receiver, PacketKind::kAck, data, tail);
    receiver.unreported = 0;
    receiver.marked = 0;
  }
  if (!complete) return;
  const FlowArrival arrival{receiver.flow, now_};
  flow_digest_ += DigestOf(arrival);
  if (context_->sample.Keeps(arrival.flow)) arrivals_.push_back(arrival);
  receivers_.Erase(receiver.flow.packed());
  receiver.flow = FlowId();
  receive_slots_.Free(slot);
  if (agent_ != nullptr && !acked_) ReportReceived(arrival.flow);
}

bool FabricDomain::AcceptInOrder(ReceiveQueuePair* receiver, const Packet& data,
                                 const MessageTail* tail) {
  const std::int64_t sequence = data.sequence;
  const std::int64_t end = sequence + data.size - context_->header_bytes;
  if (sequence <= receiver->expected && end > receiver->expected) {
    receiver->expected = end;
    return true;
  }
  const ReliabilityOptions& options = context_->options.reliability;
  if (sequence <= receiver->expected) {
    ++books_.duplicates;
    SendAck(*receiver, PacketKind::kAck, data, tail);
    receiver->marked = 0;
    return false;
  }
  ++books_.out_of_order;
  if (now_ < receiver->nack_again && receiver->last_nack == receiver->expected) return false;
  if (options.back_to_zero) receiver->expected = receiver->expected / options.chunk * options.chunk;
  receiver->last_nack = receiver->expected;
  receiver->nack_again = now_ + options.nack_interval;
  SendAck(*receiver, PacketKind::kNack, data, tail);
  receiver->marked = 0;
  return false;
}

bool FabricDomain::AcceptSelectively(std::uint32_t slot, const Packet& data,
                                     const MessageTail* tail) {
  ReceiveQueuePair& receiver = receive_slots_[slot];
  SelectiveReceiver& packets = selective_receivers_[slot];
  const std::int64_t payload = context_->options.payload;
  const std::int64_t number = static_cast<std::int64_t>(data.sequence) / payload;
  const SelectiveReceiver::Arrival arrival = packets.Receive(number);
  if (arrival.in_order) {
    // The last packet may be short.
    receiver.expected = packets.expected() * payload;
    if (receiver.end >= 0) receiver.expected = std::min(receiver.expected, receiver.end);
    return true;
  }
  ++(arrival.is_new ? books_.out_of_order : books_.duplicates);
  // A repeat beyond the gap is answered like the packet itself: its sender does not know what is
  // missing.
  const bool beyond = number > packets.expected();
  SendAck(receiver, beyond ? PacketKind::kNack : PacketKind::kAck, data, tail,
          beyond ? number - packets.expected() : 0);
  receiver.marked = 0;
  return false;
}

void FabricDomain::AcknowledgeAgain(const Node& node, const Packet& data, const MessageTail* tail) {
  ++books_.duplicates;
  ReceiveQueuePair receiver = NewReceiver(node, data);
  // How much the flow has is forgotten; that it has this packet is certain.
  receiver.expected = static_cast<std::int64_t>(data.sequence) + data.size - context_->header_bytes;
  receiver.marked = data.marked;
  SendAck(receiver, PacketKind::kAck, data, tail);
}

void FabricDomain::SendAck(const ReceiveQueuePair& receiver, PacketKind kind, const Packet& data,
                           const MessageTail* tail, std::int64_t note) {
  if (kind == PacketKind::kNack) ++books_.nacks;
  const std::uint32_t index = receiver.ack_port;
  if (index == QueuePair::kParked) return;
  Packet ack;
  ack.source = data.destination;
  ack.destination = data.source;
  ack.flow_number = data.flow_number;
  ack.queue_pair = data.queue_pair;
  ack.source_port = data.destination_port;
  ack.destination_port = data.source_port;
  ack.size = static_cast<std::uint16_t>(context_->ack_bytes);
  ack.kind = kind;
  ack.priority = context_->options.nic.ack_high_priority ? 0 : data.priority & 7;
  ack.last = 0;
  ack.marked = 0;
  ack.echo = receiver.marked & 1;
  ack.answered = 0;
  ack.ack_request = 0;
  ack.sequence = static_cast<std::uint64_t>(receiver.expected) & 0xff'ffff'ffff;
  ack.note = static_cast<std::uint64_t>(note) & 0xff'ffff;
  ack.stamp = data.stamp;
  ack.next = kNoPacket;
  SendOwn(index, ack, ack.priority, tail);
}

}  // namespace heddle
