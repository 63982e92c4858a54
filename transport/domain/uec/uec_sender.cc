// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/uec/uec_sender.h"

#include <algorithm>

#include "core/containers/state_count.h"

namespace heddle {
namespace {

constexpr std::uint8_t kHeard = 0, kUnheard = 1;

PathFeedback FeedbackOf(bool marked) {
  return marked ? PathFeedback::kMarked : PathFeedback::kGood;
}

/// Returns a packet of this flow, without what its kind adds.
Packet PacketOf(const QueuePair& pair, std::uint32_t slot, PacketKind kind, std::uint16_t entropy) {
  Packet p{};
  p.source = pair.flow.source;
  p.destination = pair.destination;
  p.flow_number = pair.flow.number;
  p.queue_pair = slot;
  p.source_port = entropy;
  p.destination_port = pair.destination_port;
  p.kind = kind;
  p.answered = pair.unacked > 0;
  p.next = kNoPacket;
  return p;
}

}  // namespace

std::int64_t UecSender::PacketsOf(const UecRun& uec, const QueuePair& pair) {
  return (pair.size + uec.options.payload() - 1) / uec.options.payload();
}

std::int64_t UecSender::BytesOf(const UecRun& uec, const QueuePair& pair, std::int64_t number) {
  const std::int64_t payload = uec.options.payload();
  return std::min(payload, pair.size - number * payload) + uec.options.header;
}

std::int64_t UecSender::NextBytes(const UecRun& uec, const UecFlow& flow,
                                  const QueuePair& pair) const {
  const std::int64_t queued = flow.packets.NextQueued();
  if (queued != PacketWindow::kNone) return flow.packets.Find(queued)->bytes;
  return pair.highest < pair.size ? BytesOf(uec, pair, flow.packets.next()) : 0;
}

void UecSender::Start(const DomainState& state, std::uint32_t slot, QueuePair* pair) {
  const UecRun& uec = *state.context().uec;
  if (flows_.size() <= slot) flows_.resize(slot + slot / 2 + 4);
  UecFlow& flow = flows_[slot] = UecFlow();
  uec.nscc.Start(&flow.window, uec.scale.base_rtt);
  uec.credit.Start(&flow.credit);
  uec.entropies.Start(&flow.entropy, state.context().seed, pair->flow, pair->source_port,
                      uec.scale.base_rtt);
  flow.live = 1;
  pair->ultra = 1;
  pair->next = pair->size;
  pair->resend = 1;
  pair->last_progress = state.now();
}

bool UecSender::MaySend(const DomainState& state, std::uint32_t slot, const QueuePair& pair) const {
  const UecRun& uec = *state.context().uec;
  const UecFlow& flow = flows_[slot];
  const std::int64_t bytes = NextBytes(uec, flow, pair);
  if (bytes == 0) return false;
  if (uec.uses_credit && !uec.credit.MaySend(flow.credit)) return false;
  if (!uec.uses_window) return true;
  const bool recovers = flow.recovery.active != 0 && flow.packets.queued_bytes() > 0;
  return recovers || uec.nscc.MaySend(flow.window, flow.in_flight, bytes);
}

std::int64_t UecSender::PullTarget(const UecRun& uec, const UecFlow& flow, const QueuePair& pair,
                                   std::int64_t waiting) const {
  if (!uec.uses_credit) return 0;
  const std::int64_t left = PacketsOf(uec, pair) - flow.packets.next();
  ReceiverCredit::Backlog backlog;
  backlog.fresh = pair.size - pair.highest + left * uec.options.header;
  backlog.retransmission = flow.packets.queued_bytes();
  if (uec.uses_window) backlog.window = flow.window.window;
  backlog.waiting_flows = std::max<std::int64_t>(1, waiting);
  return std::max<std::int64_t>(0, uec.credit.PullTarget(flow.credit, backlog));
}

Packet UecSender::Next(DomainState& state, std::uint32_t slot, QueuePair* pair,
                       std::int64_t waiting) {
  const UecRun& uec = *state.context().uec;
  UecFlow& flow = flows_[slot];
  const bool again = flow.packets.NextQueued() != PacketWindow::kNone;
  const std::int64_t bytes = NextBytes(uec, flow, *pair);
  const std::uint16_t entropy = uec.entropies.Next(&flow.entropy, state.now());
  const std::int64_t number = again ? flow.packets.Resend(state.now(), entropy)
                                    : flow.packets.Send(state.now(), bytes, entropy);
  const std::int64_t payload = bytes - uec.options.header;
  flow.in_flight += bytes;
  uec.credit.OnSend(&flow.credit, bytes);
  if (again) {
    state.books().resent_bytes += payload;
    pair->recovery.resent_bytes += payload;
  } else {
    pair->highest += payload;
  }
  pair->last_size = static_cast<std::int32_t>(bytes);
  pair->last_progress = state.now();
  Packet p = PacketOf(*pair, slot, PacketKind::kUecData, entropy);
  p.size = static_cast<std::uint16_t>(bytes);
  p.priority = pair->priority & 7;
  p.echo = again ? 1 : 0;
  p.last = number == PacketsOf(uec, *pair) - 1;
  const bool no_credit = uec.uses_credit && !uec.credit.MaySend(flow.credit);
  const bool full = uec.uses_window && uec.nscc.AsksForAck(flow.window, flow.in_flight, bytes);
  p.ack_request = again || p.last != 0 || no_credit || full;
  p.sequence = static_cast<std::uint64_t>(number) & 0xff'ffff'ffff;
  p.stamp = PullTarget(uec, flow, *pair, waiting);
  return p;
}

bool UecSender::Receive(DomainState& state, std::uint32_t slot, QueuePair* pair, const Packet& p) {
  const UecRun& uec = *state.context().uec;
  if (p.kind == PacketKind::kUecAck) {
    if (!OnAck(state, slot, pair, p)) return false;
  } else if (p.kind == PacketKind::kUecNack) {
    ++pair->recovery.nacks;
    OnNack(state, slot, p);
  } else {
    uec.credit.OnPull(&flows_[slot].credit, static_cast<std::int64_t>(p.sequence));
    pair->last_progress = state.now();
  }
  const UecFlow& flow = flows_[slot];
  return pair->highest >= pair->size && flow.packets.all_acknowledged();
}

/// Returns false if the ACK cannot be one of this flow.
bool UecSender::OnAck(DomainState& state, std::uint32_t slot, QueuePair* pair, const Packet& p) {
  const UecRun& uec = *state.context().uec;
  UecFlow& flow = flows_[slot];
  UecAck ack = UecAck::Of(p);
  const AckFields& fields = ack.fields;
  const std::int64_t next = flow.packets.next();
  if (fields.cumulative == UecAck::kAll) {
    if (pair->highest < pair->size) return false;
    flow.packets.Acknowledge(next, next, 0);
    return true;
  }
  if (fields.cumulative > next) return false;
  if (fields.bitmap != 0) {
    const std::int64_t top = fields.bitmap_base + 63 - __builtin_clzll(fields.bitmap);
    if (fields.bitmap_base < 0 || top >= next) return false;
  }

  Nscc::Ack heard;
  heard.now = state.now();
  const std::int64_t received = fields.cumulative + fields.held;
  const std::int64_t short_by = uec.options.mtu - BytesOf(uec, *pair, PacketsOf(uec, *pair) - 1);
  const std::int64_t bytes = received * uec.options.mtu - (ack.has_last ? short_by : 0);
  heard.new_bytes = std::max<std::int64_t>(0, bytes - flow.counted);
  flow.counted += heard.new_bytes;
  flow.in_flight -= heard.new_bytes;
  if (!ack.request)
    heard.round_trip = flow.packets.RoundTrip(fields.number, ack.retransmitted, state.now());
  heard.marked = p.echo != 0;
  OnAnswer(state, &flow, ack, p);
  const PacketWindow::Acked acked =
      flow.packets.Acknowledge(fields.cumulative, fields.bitmap_base, fields.bitmap);
  flow.in_flight += acked.queued_bytes;
  heard.in_flight = flow.in_flight;
  NsccChanges changes;
  uec.nscc.OnAck(&flow.window, heard, &changes);
  uec.credit.EndSpeculation(&flow.credit);
  if (uec.options.sleek) {
    flow.in_flight -= uec.recovery.OnAck(&flow.recovery, fields.held, flow.window.window,
                                         flow.window.max_window, &flow.packets);
    flow.next_probe =
        state.now() + uec.recovery.ProbeDelay(flow.window.base_rtt, pair->highest >= pair->size);
  }
  if (acked.packets > 0) {
    pair->timeouts = 0;
    pair->last_progress = state.now();
  }
  pair->unacked = std::min(pair->size - 1, flow.packets.base() * uec.options.payload());
  return true;
}

void UecSender::OnAnswer(const DomainState& state, UecFlow* flow, const UecAck& ack,
                         const Packet& p) const {
  const UecRun& uec = *state.context().uec;
  if (!ack.request) {
    uec.entropies.Heard(&flow->entropy, p.source_port, FeedbackOf(p.echo != 0), state.now());
  } else if (ack.what == UecRequest::kPathProbe && flow->path_unheard != kHeard &&
             flow->path_probe == p.source_port) {
    flow->path_unheard = kHeard;
    uec.entropies.Probed(&flow->entropy, p.source_port, true, state.now());
  } else if (ack.what == UecRequest::kLossProbe && flow->probed >= Time{0}) {
    const Time delay = state.now() - flow->probed - flow->window.base_rtt;
    uec.recovery.OnProbeAnswer(&flow->recovery, delay, flow->packets);
  }
}

void UecSender::OnNack(const DomainState& state, std::uint32_t slot, const Packet& p) {
  const UecRun& uec = *state.context().uec;
  UecFlow& flow = flows_[slot];
  const auto number = static_cast<std::int64_t>(p.sequence);
  const bool last_hop = p.last != 0;
  uec.credit.EndSpeculation(&flow.credit);
  uec.entropies.Heard(&flow.entropy, p.source_port,
                      last_hop ? FeedbackOf(p.echo != 0) : PathFeedback::kTrimmed, state.now());
  const PacketWindow::Record* record = flow.packets.Find(number);
  if (record == nullptr || record->where != PacketWindow::Where::kOutstanding) return;
  Nscc::Nack nack;
  nack.now = state.now();
  nack.bytes = record->bytes;
  // If the packet was sent twice, nobody knows which of the two it answers.
  nack.round_trip = flow.packets.RoundTrip(number, false, state.now());
  nack.last_hop = last_hop;
  nack.in_flight = flow.in_flight;
  NsccChanges changes;
  uec.nscc.OnNack(&flow.window, nack, &changes);
  flow.in_flight -= uec.in_order ? flow.packets.LoseFrom(number) : flow.packets.Lose(number);
}

bool UecSender::IsStuck(const DomainState& state, std::uint32_t slot, const QueuePair& pair) const {
  const UecFlow& flow = flows_[slot];
  const bool waits = pair.highest < pair.size || flow.packets.queued_bytes() > 0;
  return waits && flow.packets.outstanding() == 0 && !MaySend(state, slot, pair);
}

Time UecSender::Deadline(const DomainState& state, std::uint32_t slot,
                         const QueuePair& pair) const {
  const UecRun& uec = *state.context().uec;
  const UecFlow& flow = flows_[slot];
  Time deadline = uec.entropies.sprays() ? uec.entropies.NextProbe(flow.entropy) : Time::Max();
  if (flow.packets.outstanding() > 0) {
    deadline =
        std::min({deadline, flow.packets.oldest_sent() + uec.scale.min_rto, flow.next_probe});
  } else if (IsStuck(state, slot, pair)) {
    deadline = std::min(deadline, pair.last_progress + uec.scale.min_rto);
  }
  return deadline;
}

void UecSender::LoseOldest(DomainState& state, UecFlow* flow, QueuePair* pair) {
  const UecRun& uec = *state.context().uec;
  const std::int64_t number = flow->packets.oldest();
  const std::uint16_t entropy = flow->packets.Find(number)->entropy;
  const std::int64_t bytes = flow->packets.Lose(number);
  NsccChanges changes;
  uec.nscc.OnTimeout(&flow->window, bytes, &changes);
  flow->in_flight -= bytes;
  uec.entropies.Heard(&flow->entropy, entropy, PathFeedback::kLost, state.now());
  ++state.books().timeouts;
  if (pair->recovery.timeouts < 0xffff) ++pair->recovery.timeouts;
}

bool UecSender::Expire(DomainState& state, std::uint32_t slot, QueuePair* pair) {
  const UecRun& uec = *state.context().uec;
  UecFlow& flow = flows_[slot];
  const Time rto = uec.scale.min_rto;
  const bool waited = flow.packets.queued_bytes() > 0;
  bool lost = false;
  while (flow.packets.outstanding() > 0 && flow.packets.oldest_sent() + rto <= state.now()) {
    LoseOldest(state, &flow, pair);
    lost = true;
  }
  const bool stuck =
      !lost && IsStuck(state, slot, *pair) && pair->last_progress + rto <= state.now();
  if (lost || stuck) {
    pair->recovery.waited += state.now() - pair->last_progress;
    if (pair->timeouts >= uec.options.retries) return false;
    ++pair->timeouts;
    pair->last_progress = state.now();
    const bool recent =
        flow.requested >= Time{0} && state.now() - flow.requested < uec.scale.base_rtt;
    if ((waited || !MaySend(state, slot, *pair)) && !recent) {
      flow.requested = state.now();
      SendRequest(state, slot, *pair, UecRequest::kSend,
                  uec.entropies.Next(&flow.entropy, state.now()));
    }
  }
  if (flow.next_probe <= state.now() && flow.packets.outstanding() > 0) {
    flow.probed = state.now();
    flow.next_probe = state.now() + uec.recovery.ProbeInterval(flow.window.base_rtt);
    SendRequest(state, slot, *pair, UecRequest::kLossProbe,
                uec.entropies.Next(&flow.entropy, state.now()));
  }
  std::uint16_t entropy = 0;
  if (uec.entropies.ProbeDue(&flow.entropy, state.now(), &entropy)) {
    if (flow.path_unheard == kUnheard)
      uec.entropies.Probed(&flow.entropy, flow.path_probe, false, state.now());
    flow.path_probe = entropy;
    flow.path_unheard = kUnheard;
    SendRequest(state, slot, *pair, UecRequest::kPathProbe, entropy);
  }
  return true;
}

void UecSender::SendRequest(DomainState& state, std::uint32_t slot, const QueuePair& pair,
                            UecRequest what, std::uint16_t entropy) {
  const UecRun& uec = *state.context().uec;
  const UecFlow& flow = flows_[slot];
  if (pair.port == QueuePair::kParked) return;
  Packet p = PacketOf(pair, slot, PacketKind::kUecRequest, entropy);
  p.size = static_cast<std::uint16_t>(uec.options.control);
  p.priority = 0;
  p.ack_request = 1;
  p.sequence = static_cast<std::uint64_t>(flow.packets.next()) & 0xff'ffff'ffff;
  p.note = static_cast<std::uint64_t>(what);
  p.stamp = PullTarget(uec, flow, pair, 1);
  state.SendOwn(pair.port, p, 0, nullptr);
}

void UecSender::AddMemory(MemoryAccount* account) const {
  std::size_t memory = MemoryReached(flows_);
  for (const UecFlow& flow : flows_) memory += flow.packets.memory() + flow.entropy.memory();
  account->Add(Structure::kSenders, memory);
}

void UecSender::Check(const DomainState& state, std::uint32_t slot, const QueuePair& pair) const {
  ExpectState(state.context().uec != nullptr && slot < flows_.size(),
              "an Ultra Ethernet flow without a window");
  const UecRun& uec = *state.context().uec;
  const UecFlow& flow = flows_[slot];
  const std::int64_t payload = uec.options.payload();
  const std::int64_t next = flow.packets.next();
  ExpectState(next <= PacketsOf(uec, pair) && pair.highest == std::min(pair.size, next * payload) &&
                  pair.next == pair.size,
              "more packets of an Ultra Ethernet flow than it has");
  for (std::int64_t number = flow.packets.base(); number < next; ++number) {
    const PacketWindow::Record* record = flow.packets.Find(number);
    ExpectState(record == nullptr || record->bytes == BytesOf(uec, pair, number),
                "an Ultra Ethernet packet of another size");
  }
  constexpr std::int64_t kMost = std::int64_t{1} << 50;
  ExpectState(flow.in_flight > -kMost && flow.in_flight < kMost && flow.counted >= 0 &&
                  flow.counted < kMost && flow.path_unheard <= kUnheard && flow.live == 1,
              "an Ultra Ethernet flow with impossible counts");
  uec.entropies.Check(flow.entropy);
  ExpectState((pair.resend != 0) == MaySend(state, slot, pair),
              "an Ultra Ethernet flow that waits for nothing");
}

}  // namespace heddle
