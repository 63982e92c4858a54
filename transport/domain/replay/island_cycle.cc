// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/replay/island_cycle.h"

#include <algorithm>
#include <limits>

#include "core/traffic/future_visitors.h"
#include "transport/domain/host/receiver.h"
#include "transport/domain/sending/sender.h"

namespace heddle {
namespace {

/// Whether a packet's stamp is when it was sent; else 0.
bool StampsTime(const DomainState& state) {
  return state.context().control.FirstStampAt(PicoSeconds(1)) != 0;
}

}  // namespace

IslandView::IslandView(DomainState* state, const Island& island, const IslandMap& map,
                       std::uint32_t number)
    : state_(*state), island_(island), map_(map), number_(number) {
  const SlotPool<QueuePair>& pairs = state_.parts().sender.pairs();
  for (std::uint32_t input : island_.under_way) {
    const std::uint32_t slot = island_.inputs[input].slot;
    live_.push_back({slot, pairs[slot].unacked});
  }
  std::sort(live_.begin(), live_.end(),
            [](const Live& a, const Live& b) { return a.slot < b.slot; });
}

const IslandView::Live* IslandView::FindLive(std::uint32_t slot) const {
  const auto at = std::lower_bound(live_.begin(), live_.end(), slot,
                                   [](const Live& live, std::uint32_t s) { return live.slot < s; });
  return at != live_.end() && at->slot == slot ? &*at : nullptr;
}

IslandView::Sight IslandView::Look(Time now, const std::optional<IslandState>& before,
                                   IslandState* seen) const {
  seen->at = now;
  Words* words = &seen->words;
  std::size_t compared = 0;
  const auto is_other = [&] {
    if (!before) return false;
    const std::size_t from = compared;
    compared = words->size();
    return compared > before->words.size() ||
           !std::equal(words->begin() + static_cast<std::ptrdiff_t>(from), words->end(),
                       before->words.begin() + static_cast<std::ptrdiff_t>(from));
  };
  for (const Live& live : live_) {
    if (!AddFlow(live, now, words)) return Sight::kUnsound;
    if (is_other()) return Sight::kOther;
    seen->acked.push_back(live.acked);
  }
  for (std::uint32_t index : island_.ports) {
    if (!AddPort(index, now, words)) return Sight::kUnsound;
    if (is_other()) return Sight::kOther;
    seen->sent.push_back({state_.ports()[index].sent, state_.ports()[index].sent_bytes});
  }
  if (!AddEvents(now, words)) return Sight::kUnsound;
  if (is_other() || (before && compared != before->words.size())) return Sight::kOther;
  return Sight::kSame;
}

bool IslandView::AddPort(std::uint32_t index, Time now, Words* words) const {
  const Port& port = state_.ports()[index];
  FutureWords visit(words, now, port.sent_bytes);
  Port::VisitFuture(port, visit);
  if (!visit.sound()) return false;
  for (int queue = 0; queue < kPriorities; ++queue) {
    if ((port.waiting >> queue & 1) == 0) continue;
    for (std::uint32_t slot = port.queues[queue].head; slot != kNoPacket;
         slot = state_.packet(slot).next) {
      if (!AddPacket(state_.packet(slot), now, words)) return false;
    }
    words->push_back(~std::uint64_t{0});
  }
  const Nics& nics = state_.parts().sender.nics();
  if (!nics.any(port)) return true;
  words->push_back(nics[port.nic].last());
  bool known = true;
  nics[port.nic].ForEachPosition([&](std::uint32_t position, std::uint32_t slot, bool ready) {
    const Live* live = FindLive(slot);
    known = known && live != nullptr;
    words->push_back(std::uint64_t{position} << 32 |
                     static_cast<std::uint64_t>(live - live_.data()) << 1 | (ready ? 1U : 0U));
  });
  return known;
}

bool IslandView::AddFlow(const Live& live, Time now, Words* words) const {
  const QueuePair& pair = state_.parts().sender.pairs()[live.slot];
  const ReceiveQueuePair* receiver = state_.parts().receiver.Find(pair.flow);
  if (receiver == nullptr || pair.unacked == 0 || pair.next >= pair.size ||
      pair.next != pair.highest)
    return false;
  FutureWords visit(words, now, live.acked);
  QueuePair::VisitFuture(pair, visit);
  ReceiveQueuePair::VisitFuture(*receiver, visit);
  return visit.sound();
}

bool IslandView::AddPacket(const Packet& packet, Time now, Words* words) const {
  const Live* live = FindLive(packet.queue_pair);
  if (live == nullptr ||
      packet.flow_number != state_.parts().sender.pairs()[live->slot].flow.number ||
      (packet.kind != PacketKind::kData && packet.kind != PacketKind::kAck))
    return false;
  words->push_back(static_cast<std::uint64_t>(live - live_.data()));
  FutureWords visit(words, now, live->acked, StampsTime(state_));
  Packet::VisitFuture(packet, visit);
  return visit.sound();
}

bool IslandView::IsOwn(const Event& event) const {
  switch (EventOrder(event.order).kind()) {
    case FabricEvent::kArrival:
      return map_.island_of[state_.packet(event.argument).ingress] == number_;
    case FabricEvent::kPortFree:
      return map_.island_of[event.argument] == number_;
    default:
      return false;
  }
}

bool IslandView::AddEvents(Time now, Words* words) const {
  for (const Event& event : state_.queue().Sorted()) {
    if (!IsOwn(event)) continue;
    const EventOrder order(event.order);
    const bool arrives = order.kind() == std::uint32_t{FabricEvent::kArrival};
    if (!arrives && state_.ports()[event.argument].wake_at != event.time) continue;  // overtaken
    words->push_back(static_cast<std::uint64_t>((event.time - now).ps));
    words->push_back(order.With(0).bits());
    if (arrives && !AddPacket(state_.packet(event.argument), now, words)) return false;
  }
  return true;
}

IslandCycle IslandView::Between(const IslandState& first, const IslandState& second) {
  IslandCycle cycle;
  cycle.length = second.at - first.at;
  for (std::size_t i = 0; i < first.acked.size(); ++i)
    cycle.acked.push_back(second.acked[i] - first.acked[i]);
  for (std::size_t label = 0; label < first.sent.size(); ++label) {
    const SentTotal &before = first.sent[label], &then = second.sent[label];
    cycle.sent.push_back({then.packets - before.packets, then.bytes - before.bytes});
    cycle.hops += cycle.sent.back().packets;
  }
  return cycle;
}

std::int64_t IslandView::MostCycles(const IslandCycle& cycle) const {
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < live_.size(); ++i) {
    if (cycle.acked[i] <= 0) return 0;
    const QueuePair& pair = state_.parts().sender.pairs()[live_[i].slot];
    most = std::min(most, (pair.size - 1 - pair.next) / cycle.acked[i]);
  }
  return live_.empty() ? 0 : most;
}

std::vector<Event> IslandView::TakeEvents() const {
  std::vector<Event> events;
  state_.queue().Remove([&](const Event& event) {
    if (!IsOwn(event)) return false;
    const bool is_port = EventOrder(event.order).kind() == std::uint32_t{FabricEvent::kPortFree};
    const bool overtaken = is_port && state_.ports()[event.argument].wake_at != event.time;
    if (!overtaken) events.push_back(event);
    return true;
  });
  return events;
}

void IslandView::MovePacket(const IslandCycle& cycle, std::int64_t times,
                            std::uint32_t slot) const {
  Packet& packet = state_.packet(slot);
  const Live* live = FindLive(packet.queue_pair);
  HEDDLE_EXPECT(live != nullptr);
  FutureShift shift;
  shift.time = cycle.length * times;
  shift.bytes = times * cycle.acked[static_cast<std::size_t>(live - live_.data())];
  shift.stamps = StampsTime(state_);
  FutureMove visit(shift);
  Packet::VisitFuture(packet, visit);
}

void IslandView::MoveFlow(const IslandCycle& cycle, std::int64_t times, std::size_t index) const {
  QueuePair& pair = (*state_.parts().sender.sampled_pairs())[live_[index].slot];
  FutureShift shift;
  shift.time = shift.ahead = cycle.length * times;
  shift.bytes = times * cycle.acked[index];
  FutureMove visit(shift);
  QueuePair::VisitFuture(pair, visit);
  ReceiveQueuePair::VisitFuture(*state_.parts().receiver.FindToMove(pair.flow), visit);
}

void IslandView::Move(const IslandCycle& cycle, std::int64_t times,
                      std::vector<Event> events) const {
  const Time time = cycle.length * times;
  for (std::size_t label = 0; label < island_.ports.size(); ++label) {
    Port& port = state_.ports()[island_.ports[label]];
    const SentTotal& sent = cycle.sent[label];
    for (int queue = 0; queue < kPriorities; ++queue) {
      if ((port.waiting >> queue & 1) == 0) continue;
      for (std::uint32_t slot = port.queues[queue].head; slot != kNoPacket;
           slot = state_.packet(slot).next)
        MovePacket(cycle, times, slot);
    }
    FutureShift shift;
    shift.time = time;
    if (sent.packets > 0) shift.ahead = time;  // else it has been free all the time
    shift.bytes = times * sent.bytes;
    shift.packets = times * sent.packets;
    FutureMove visit(shift);
    Port::VisitFuture(port, visit);
  }
  for (std::size_t i = 0; i < live_.size(); ++i) MoveFlow(cycle, times, i);
  for (Event& event : events) {
    const EventOrder order(event.order);
    event.time += time;
    if (order.kind() == std::uint32_t{FabricEvent::kArrival}) {
      const std::uint32_t sender = state_.ports()[state_.packet(event.argument).ingress].far_port;
      const std::int64_t more = times * cycle.sent[map_.label_of[sender]].packets;
      event.order =
          order.With(static_cast<std::uint32_t>(static_cast<std::int64_t>(event.order) + more))
              .bits();
      MovePacket(cycle, times, event.argument);
    }
    state_.queue().Push(event);
  }
}

}  // namespace heddle
