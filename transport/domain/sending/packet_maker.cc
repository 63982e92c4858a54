// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/sending/packet_maker.h"

#include <algorithm>

#include "transport/domain/requests/request_desk.h"
#include "transport/domain/state/message_reports.h"
#include "transport/domain/state/replay_watcher.h"
#include "transport/domain/state/transmit.h"
#include "transport/model/replay/episode_record.h"

namespace heddle {

template <bool kPlain>
Packet PacketMaker::NextRoce(DomainState& state, std::uint32_t slot) {
  const FabricContext& context = state.context();
  QueuePair& pair = own_.pairs[slot];
  const Port& port = state.ports()[pair.port];
  if (!pair.in_flight()) {
    // After a NACK it still waits for the byte that it waited for.
    const Time wait = context.options.reliability.TimeoutAfter(pair.timeouts);
    if (pair.next == pair.highest || pair.last_progress + wait <= state.now())
      pair.last_progress = state.now();
    own_.timeouts.Arm(state, port.node, pair.last_progress + wait);
  }
  std::int64_t offset = pair.next;
  if (pair.resend != 0) {
    offset = own_.reliability.NextResend(slot, &pair);
    if (!kPlain && pair.sprays != 0) own_.CountLost(state, slot, offset);
  }
  std::int64_t end = pair.size;
  if (!kPlain && pair.divided != 0)
    end = std::min(end, state.parts().requests.PacketEnd(slot, offset));
  const std::int64_t payload =
      std::min(context.trains.PayloadOf(pair.flow.source, pair.destination), end - offset);
  Packet p;
  p.source = pair.flow.source;
  p.destination = pair.destination;
  p.flow_number = pair.flow.number;
  p.queue_pair = slot;
  p.source_port = pair.source_port;
  p.destination_port = pair.destination_port;
  p.size = static_cast<std::uint16_t>(context.trains.WireBytes(payload));
  p.kind = PacketKind::kData;
  p.priority = pair.priority & 7;
  p.marked = 0;
  p.echo = 0;
  p.answered = pair.unacked > 0;
  p.sequence = static_cast<std::uint64_t>(offset) & 0xff'ffff'ffff;
  p.note = 0;
  p.stamp = context.control.FirstStampAt(state.now());
  p.last = offset + payload == pair.size && (kPlain || !pair.more_comes());
  if (!kPlain && pair.sprays != 0) Spray(state, slot, offset, &p);
  if (offset < pair.highest) {
    state.books().resent_bytes += payload;
    pair.recovery.resent_bytes += payload;
  }
  const bool leaves = p.last != 0 && pair.highest < pair.size && pair.post != QueuePair::kParked;
  pair.highest = std::max(pair.highest, offset + payload);
  pair.next = std::max(pair.next, offset + payload);
  const bool asks = (pair.window_full() && !context.options.reliability.simai_acks) ||
                    (!kPlain && pair.divided != 0 && offset + payload == end);
  p.ack_request = asks;
  pair.asked = asks ? 1 : 0;
  pair.last_size = p.size;
  const BitRate rate = context.options.rate_bound ? pair.pace.rate : pair.pace.line_rate;
  pair.next_send = state.now() + state.PacedTime(port, rate, p.size);
  if (!pair.ready(context.options.reliability.sure_of_ack())) own_.nics.SetReady(port, pair, false);
  if (leaves &&
      (state.watcher() == nullptr || state.watcher()->Notifies(state, slot, EpisodeStep::kSent)))
    state.parts().reports.ReportSent(state, pair.post, state.now() + state.WireTime(port, p.size));
  return p;
}

Packet PacketMaker::NextOther(DomainState& state, std::uint32_t slot) {
  const QueuePair& pair = own_.pairs[slot];
  if (pair.ultra != 0) return NextUec(state, slot);
  std::uint16_t entropy = 0;
  const bool probes = pair.sprays != 0 && own_.entropies.ProbeDue(state.context().entropies, slot,
                                                                  state.now(), &entropy);
  return probes ? Probe(state, slot, entropy) : NextRoce<false>(state, slot);
}

Packet PacketMaker::NextUec(DomainState& state, std::uint32_t slot) {
  QueuePair& pair = own_.pairs[slot];
  const Port& port = state.ports()[pair.port];
  const bool had_all = pair.highest == pair.size;
  const Packet p = own_.uec.Next(state, slot, &pair, own_.nics.ready(port));
  if (!had_all && pair.highest == pair.size && pair.post != QueuePair::kParked)
    state.parts().reports.ReportSent(state, pair.post, state.now() + state.WireTime(port, p.size));
  pair.resend = own_.uec.MaySend(state, slot, pair) ? 1 : 0;
  if (pair.resend == 0) own_.nics.SetReady(port, pair, false);
  own_.timeouts.Arm(state, port.node, std::max(state.now(), own_.uec.Deadline(state, slot, pair)));
  return p;
}

Packet PacketMaker::Probe(const DomainState& state, std::uint32_t slot,
                          std::uint16_t entropy) const {
  const QueuePair& pair = own_.pairs[slot];
  Packet p{};
  p.source = pair.flow.source;
  p.destination = pair.destination;
  p.flow_number = pair.flow.number;
  p.queue_pair = slot;
  p.source_port = entropy;
  p.destination_port = pair.destination_port;
  p.size = static_cast<std::uint16_t>(state.context().header_bytes);
  p.kind = PacketKind::kProbe;
  p.priority = pair.priority & 7;
  p.note = pair.source_port;
  p.stamp = state.context().control.FirstStampAt(state.now());
  return p;
}

void PacketMaker::Spray(const DomainState& state, std::uint32_t slot, std::int64_t offset,
                        Packet* p) {
  const EntropyChooser& chooser = state.context().entropies;
  if (!own_.pairs[slot].in_flight()) own_.entropies.Idle(chooser, slot, state.now());
  p->source_port =
      own_.entropies.Next(chooser, slot, offset / state.context().options.payload, state.now());
  p->note = own_.pairs[slot].source_port;
}

}  // namespace heddle
