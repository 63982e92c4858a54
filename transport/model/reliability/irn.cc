// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/reliability/irn.h"

#include <algorithm>

#include "core/containers/state_count.h"
#include "transport/model/reliability/placement.h"

namespace heddle {
namespace {

void NoteResend(const SelectiveSender& window, QueuePair* pair) {
  pair->resend = window.NextRetransmission() != SelectiveSender::kNone ? 1 : 0;
}

}  // namespace

void Irn::OnAnswer(SendState* state, QueuePair* pair, const Packet& answer) const {
  const std::int64_t first_missing = static_cast<std::int64_t>(answer.sequence) / rules_.payload;
  const std::int64_t sent = SentPackets(*pair);
  const std::int64_t received = first_missing + static_cast<std::int64_t>(answer.note);
  if (answer.kind == PacketKind::kAck || IsOutdated(*pair, answer)) {
    state->Arrive(first_missing, received, sent);
  } else if (first_missing < state->unacknowledged()) {
    // The receiver has had the flow whole, forgotten it, and takes a late repeat for the start of a
    // new one.
    *state = SelectiveSender(state->tolerance());
    state->Acknowledge(first_missing, sent);
    pair->unacked = first_missing * rules_.payload;
    GoBack(pair);
  } else {
    state->Nack(first_missing, received, sent);
  }
  NoteResend(*state, pair);
  // The first missing packet may lie beyond the ACK's: packets after that one had been acknowledged
  // before.
  pair->unacked =
      std::max(pair->unacked, std::min(pair->size, state->unacknowledged() * rules_.payload));
  pair->next = std::max(pair->next, pair->unacked);
}

std::int64_t Irn::OnTimeout(SendState* state, QueuePair* pair) const {
  state->Timeout(SentPackets(*pair));
  NoteResend(*state, pair);
  return kNoByte;
}

std::int64_t Irn::NextResend(SendState* state, QueuePair* pair) const {
  const std::int64_t number = state->NextRetransmission();
  state->Retransmitted();
  NoteResend(*state, pair);
  return number * rules_.payload;
}

void Irn::CheckSender(const SendState* state, const QueuePair& pair) const {
  const std::int64_t packets = (pair.size + rules_.payload - 1) / rules_.payload;
  const std::int64_t again = state->NextRetransmission();
  ExpectState(state->unacknowledged() <= packets && again < packets &&
                  (again == SelectiveSender::kNone || again >= state->unacknowledged()),
              "packets of a flow beyond its end");
  ExpectState(state->tolerance() == rules_.options.reorder,
              "another tolerance of reordering than the run");
  ExpectState((again != SelectiveSender::kNone) == (pair.resend != 0),
              "a packet to send again that is not");
}

Reception Irn::Receive(ReceiveState* state, ReceiveQueuePair* receiver, const DataArrival& data,
                       DomainBooks* books) const {
  return Place(rules_, state, receiver, data, books);
}

}  // namespace heddle
