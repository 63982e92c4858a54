// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/uec/uec_receiver.h"

#include <algorithm>

#include "core/containers/state_count.h"
#include "transport/domain/state/message_reports.h"

namespace heddle {
namespace {

constexpr std::uint8_t kPullEntropies = 128;

}  // namespace

std::uint32_t UecReceiver::Add(DomainState& state, const Node& node, const Packet& p,
                               std::uint32_t port) {
  const std::uint32_t slot = slots_.Allocate();
  UecArriving at;
  at.flow = {p.source, p.flow_number};
  at.node = node.id;
  at.source_port = p.source_port;
  at.destination_port = p.destination_port;
  at.queue_pair = p.queue_pair;
  at.port = port;
  slots_[slot] = at;
  OpenCredit(state, slot);
  index_.Insert(at.flow.packed(), slot);
  if (windows_.size() <= slot) windows_.resize(slot + slot / 2 + 4);
  windows_[slot] = ArrivalWindow();
  return slot;
}

void UecReceiver::OpenCredit(DomainState& state, std::uint32_t slot) {
  UecArriving& at = slots_[slot];
  if (!state.context().uec->uses_credit || at.port == QueuePair::kParked) return;
  at.sink_port = at.port;
  at.sink = pacers_.Add(state, at.port, slot);
}

void UecReceiver::Take(DomainState& state, std::uint32_t slot, const Packet& p) {
  const UecArriving& at = slots_[slot];
  if (at.sink != CreditPacers::kNone) {
    const bool data = p.kind != PacketKind::kUecRequest;
    if (data) pacers_.Count(state, at.sink_port, p);
    const bool asks = p.kind == PacketKind::kUecTrimmed ||
                      (!data && static_cast<UecRequest>(p.note & 3) == UecRequest::kSend);
    pacers_.Ask(state, at.sink_port, at.sink, p.stamp, asks);
  }
  if (p.kind == PacketKind::kUecData) {
    TakeData(state, slot, p);
  } else if (p.kind == PacketKind::kUecTrimmed) {
    TakeTrimmed(state, slot, p);
  } else {
    SendAck(state, slot, p, false);
  }
}

void UecReceiver::TakeData(DomainState& state, std::uint32_t slot, const Packet& p) {
  const UecRun& uec = *state.context().uec;
  UecArriving& at = slots_[slot];
  ArrivalWindow& window = windows_[slot];
  const auto number = static_cast<std::int64_t>(p.sequence);
  const std::int64_t above = window.out_of_order();
  const ArrivalWindow::Arrival arrival =
      window.Receive({number, p.size, p.marked != 0, p.ack_request != 0}, uec.arrivals);
  if (arrival.is_new && p.last != 0) at.packets = number + 1;
  state.books().out_of_order += window.out_of_order() - above + (arrival.refused ? 1 : 0);
  if (!arrival.is_new && !arrival.refused) ++state.books().duplicates;
  state.books().most_held = std::max(state.books().most_held, window.reordering().held);
  state.books().furthest_ahead =
      std::max(state.books().furthest_ahead, window.reordering().distance);
  if (arrival.ack) SendAck(state, slot, p, arrival.anchored);
  if (arrival.nack) SendNack(state, slot, p, window.expected());
  if (at.packets >= 0 && window.expected() == at.packets) Complete(state, slot);
}

void UecReceiver::TakeTrimmed(DomainState& state, std::uint32_t slot, const Packet& p) {
  using Answer = ArrivalWindow::TrimAnswer;
  ArrivalWindow& window = windows_[slot];
  const auto number = static_cast<std::int64_t>(p.sequence);
  switch (window.ReceiveTrimmed(number, state.context().uec->arrivals)) {
    case Answer::kNack:
      SendNack(state, slot, p, number);
      break;
    case Answer::kAck:
      ++state.books().duplicates;
      SendAck(state, slot, p, false);
      break;
    case Answer::kNackExpected:
      SendNack(state, slot, p, window.expected());
      break;
    case Answer::kNone:
      break;
  }
}

void UecReceiver::Complete(DomainState& state, std::uint32_t slot) {
  UecArriving& at = slots_[slot];
  const FlowArrival arrival{at.flow, state.now()};
  if (at.sink != CreditPacers::kNone) pacers_.Remove(at.sink_port, at.sink);
  state.ledger().AddArrival(arrival);
  index_.Erase(at.flow.packed());
  windows_[slot] = ArrivalWindow();
  at.flow = FlowId();
  slots_.Free(slot);
  state.parts().reports.ReportReceived(state, arrival.flow);
}

void UecReceiver::Move(DomainState& state, std::uint32_t slot, std::uint32_t port) {
  slots_[slot].port = port;
  if (slots_[slot].sink == CreditPacers::kNone) OpenCredit(state, slot);
}

void UecReceiver::Pull(DomainState& state, std::uint32_t port) {
  const CreditPacers::Due due = pacers_.Take(state, port);
  if (due.slot == CreditPacers::kNone) return;
  UecArriving& at = slots_[due.slot];
  if (at.port == QueuePair::kParked) return;
  Packet p{};
  p.source = at.node;
  p.destination = at.flow.source;
  p.flow_number = at.flow.number;
  p.queue_pair = at.queue_pair;
  p.source_port = at.pull_entropy;
  p.destination_port = at.destination_port;
  p.size = static_cast<std::uint16_t>(state.context().uec->options.control);
  p.kind = PacketKind::kUecPull;
  p.sequence = static_cast<std::uint64_t>(due.number) & 0xff'ffff'ffff;
  p.next = kNoPacket;
  at.pull_entropy = static_cast<std::uint8_t>((at.pull_entropy + 1) % kPullEntropies);
  state.SendOwn(at.port, p, 0, nullptr);
}

Packet UecReceiver::AnswerTo(const DomainState& state, const Packet& p, PacketKind kind) {
  Packet answer{};
  answer.source = p.destination;
  answer.destination = p.source;
  answer.flow_number = p.flow_number;
  answer.queue_pair = p.queue_pair;
  answer.source_port = p.source_port;
  answer.destination_port = p.destination_port;
  answer.size = static_cast<std::uint16_t>(state.context().uec->options.control);
  answer.kind = kind;
  answer.echo = p.marked;
  answer.next = kNoPacket;
  return answer;
}

void UecReceiver::SendAck(DomainState& state, std::uint32_t slot, const Packet& p, bool anchored) {
  const UecArriving& at = slots_[slot];
  if (at.port == QueuePair::kParked) return;
  const ArrivalWindow& window = windows_[slot];
  const bool request = p.kind == PacketKind::kUecRequest;
  UecAck ack;
  const auto number = static_cast<std::int64_t>(p.sequence);
  ack.fields = window.Ack(request ? window.expected() - 1 : number, anchored);
  ack.retransmitted = p.echo != 0;
  ack.has_last = at.packets >= 0;
  ack.request = request;
  if (request) ack.what = static_cast<UecRequest>(p.note & 3);
  Packet answer = AnswerTo(state, p, PacketKind::kUecAck);
  ack.Write(&answer, anchored);
  state.SendOwn(at.port, answer, 0, nullptr);
}

void UecReceiver::SendNack(DomainState& state, std::uint32_t slot, const Packet& p,
                           std::int64_t number) {
  ++state.books().nacks;
  const UecArriving& at = slots_[slot];
  if (at.port == QueuePair::kParked) return;
  Packet answer = AnswerTo(state, p, PacketKind::kUecNack);
  answer.sequence = static_cast<std::uint64_t>(number) & 0xff'ffff'ffff;
  answer.last = p.kind == PacketKind::kUecTrimmed && (p.note & 1) != 0 ? 1 : 0;
  state.SendOwn(at.port, answer, 0, nullptr);
}

void UecReceiver::AnswerAgain(DomainState& state, std::uint32_t port, const Packet& p) {
  ++state.books().duplicates;
  if (port == QueuePair::kParked) return;
  // A flow that has had an ACK but is not known here has been received in whole.
  Packet answer = AnswerTo(state, p, PacketKind::kUecAck);
  answer.sequence = static_cast<std::uint64_t>(UecAck::kAll);
  state.SendOwn(port, answer, 0, nullptr);
}

void UecReceiver::AddMemory(MemoryAccount* account) const {
  std::size_t memory =
      slots_.memory() + index_.memory() + MemoryReached(windows_) + pacers_.memory();
  for (const ArrivalWindow& window : windows_) memory += window.memory();
  account->Add(Structure::kReceivers, memory);
}

void UecReceiver::Check(const DomainState& state) const {
  const std::vector<bool> used = slots_.used_slots();
  ExpectState(state.context().uec != nullptr || used.empty(),
              "receivers of Ultra Ethernet in a run without");
  std::size_t live = 0, sinks = 0;
  for (std::uint32_t slot = 0; slot < used.size(); ++slot) {
    const UecArriving& at = slots_[slot];
    ExpectState(at.flow.source.valid() == used[slot], "a receiver that is both free and in use");
    if (!used[slot]) continue;
    ++live;
    ExpectState(index_.Find(at.flow.packed()) == slot && state.IsEnd(at.flow.source) &&
                    at.flow.source != at.node && slot < windows_.size(),
                "a receiver that nobody finds");
    const Node* node = state.FindNode(at.node);
    const bool parked = at.port == QueuePair::kParked;
    ExpectState(node != nullptr && (parked || DomainState::IsPortOf(*node, at.port)) &&
                    at.packets >= -1 && at.pull_entropy < kPullEntropies,
                "a receiver at no port");
    const bool credit = at.sink != CreditPacers::kNone;
    ExpectState((credit || parked || !state.context().uec->uses_credit) &&
                    (!credit || pacers_.IsSink(at.sink_port, at.sink, slot)),
                "a receiver without its credit");
    sinks += credit ? 1 : 0;
  }
  ExpectState(index_.size() == live, "receivers of no flow");
  if (state.context().uec != nullptr) pacers_.Check(state, sinks);
}

}  // namespace heddle
