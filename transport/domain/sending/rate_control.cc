// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/sending/rate_control.h"

#include <algorithm>

#include "transport/domain/state/transmit.h"

namespace heddle {

void RateControl::Start(DomainState& state, std::uint32_t slot, QueuePair* pair,
                        std::uint32_t index) {
  const FabricContext& context = state.context();
  const Port& port = state.ports()[index];
  // The healthy link's: a flow that starts while it is degraded is faster once it is mended; the
  // port limits it until then.
  const Attachment& attachment =
      context.graph->ports(state.NodeOf(port).id)[state.NumberOf(index).value];
  pair->pace.rate = pair->pace.line_rate = {
      std::max(port.rate.bps, context.graph->link(attachment.link).rate.bps)};
  pair->pace.limit = pair->pace.window;
  if (context.control.mode() != 0) {
    context.control.Start(&states_[slot], &pair->pace, context.seed, pair->flow);
    if (pair->pace.rate != pair->pace.line_rate) ApplyRate(state, pair, pair->pace.line_rate);
  }
  if (state.sampler().watches_rates()) state.sampler().SampleRate(state.now(), pair);
}

void RateControl::OnAck(DomainState& state, std::uint32_t slot, QueuePair* pair, const Packet& ack,
                        const MessageTail* tail) {
  AckSignals signals;
  signals.now = state.now();
  signals.acknowledged = pair->unacked;
  signals.next = pair->next;
  signals.congestion = ack.echo != 0;
  signals.stamp = ack.stamp;
  if (tail != nullptr) signals.tail = tail->bytes;
  const BitRate before = pair->pace.rate;
  state.context().control.OnAck(&states_[slot], &pair->pace, signals);
  if (pair->pace.rate != before) ApplyRate(state, pair, before);
  ScheduleTimer(state, slot, pair);
}

void RateControl::ApplyRate(DomainState& state, QueuePair* pair, BitRate before) {
  const FabricContext& context = state.context();
  if (context.control.retimes() && pair->port != QueuePair::kParked && context.options.rate_bound) {
    // The next packet is due as if the last one had been sent at the new rate.
    const Port& port = state.ports()[pair->port];
    pair->next_send += state.PacedTime(port, pair->pace.rate, pair->last_size) -
                       state.PacedTime(port, before, pair->last_size);
  }
  if (state.sampler().watches_rates()) state.sampler().SampleRate(state.now(), pair);
}

void RateControl::ScheduleTimer(DomainState& state, std::uint32_t slot, QueuePair* pair) {
  const Time due = state.context().control.NextTimer(states_[slot]);
  if (due >= pair->rate_timer) return;  // the pending event comes first and arranges what follows
  pair->rate_timer = due;
  state.queue().Push(
      {due,
       EventOrder(pair->flow.source, PortId(0), FabricEvent::kRateTimer, pair->flow.number).bits(),
       slot, 0});
}

bool RateControl::TimerIsDue(DomainState& state, std::uint32_t slot, QueuePair* pair, Time time,
                             EventOrder order) {
  // The slot may be another flow's by now, and that of another node: its own event keeps the order
  // of its own node.
  const bool same = pair->flow.source.valid() &&
                    order.bits() == EventOrder(pair->flow.source, PortId(0),
                                               FabricEvent::kRateTimer, pair->flow.number)
                                        .bits();
  if (!same || pair->rate_timer != time) return false;
  if (state.context().control.NextTimer(states_[slot]) <= time) return true;
  pair->rate_timer = Time::Max();
  ScheduleTimer(state, slot, pair);
  return false;
}

void RateControl::OnTimer(DomainState& state, std::uint32_t slot, QueuePair* pair) {
  pair->rate_timer = Time::Max();
  const BitRate before = pair->pace.rate;
  state.context().control.OnTimer(&states_[slot], &pair->pace, state.now());
  if (pair->pace.rate != before) ApplyRate(state, pair, before);
  ScheduleTimer(state, slot, pair);
}

}  // namespace heddle
