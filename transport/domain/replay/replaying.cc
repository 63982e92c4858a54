// SPDX-License-Identifier: GPL-2.0-only
// Islands that follow a record.
#include <algorithm>

#include "transport/domain/messages/message_desk.h"
#include "transport/domain/replay/replay_side.h"
#include "transport/domain/sending/sender.h"

namespace heddle {
namespace {

/// Returns the place in the order of events at which a step happens. A missing input is noticed
/// after the event that it should have come with.
std::uint64_t OrderOf(const Island& island, const EpisodeItem& item) {
  const EventOrder place = island.places[item.port];
  if (item.step == EpisodeStep::kInput)
    return EventOrder(place.node(), PortId(0), FabricEvent::kReplayedStart).bits();
  return EventOrder(place.node(), place.port(), FabricEvent::Replayed(item.kind)).bits();
}

/// Whether two steps, neither of them an input, are of one event.
bool InOneEvent(const EpisodeItem& a, const EpisodeItem& b) {
  return a.after == b.after && a.kind == b.kind && a.port == b.port;
}

}  // namespace

void ReplaySide::StartReplay(Island* island) {
  island->mode = Island::Mode::kReplaying;
  island->loaded.clear();
  replaying_.push_back(NumberOf(*island));
}

void ReplaySide::Follow(Island* island, const EpisodeMemo::Place& place) {
  island->record = place.record;
  island->at = place.item;
  island->record->followed = true;
  if (!island->record->complete) island->record->followers.push_back(NumberOf(*island));
}

void ReplaySide::Unfollow(Island* island) {
  std::vector<std::uint32_t>& followers = island->record->followers;
  followers.erase(std::remove(followers.begin(), followers.end(), NumberOf(*island)),
                  followers.end());
}

void ReplaySide::Schedule(DomainState& state, Island* island) {
  const EpisodeRecord& record = *island->record;
  island->wake_time = Time::Max();
  if (island->at >= record.items.size()) return;  // whoever makes the record wakes it
  const EpisodeItem& item = record.items[island->at];
  const Time time = island->begin + Time{item.after};
  const std::uint64_t order = OrderOf(*island, item);
  WakeAt(state, island, time, order);
}

void ReplaySide::WakeAt(DomainState& state, Island* island, Time time, std::uint64_t order) {
  island->wake_time = time;
  island->wake_order = order;
  state.queue().Push({time, order, NumberOf(*island), 0});
}

bool ReplaySide::Run(DomainState& state, const Event& event) {
  Island* island = &islands_[event.argument];
  island->wake_time = Time::Max();
  if (whole_.Replays(NumberOf(*island))) {
    whole_.Run(state, NumberOf(*island));
    return false;
  }
  if (island->mode == Island::Mode::kRecording) {
    LookForCycle(state, island);
    return false;
  }
  if (island->record->dead) {
    Rebuild(state, island, state.now(), state.clock().reached);
    return false;
  }
  if (island->record->items[island->at].step == EpisodeStep::kInput) {
    Miss(state, island);
    return false;
  }
  GiveEvent(state, island);
  return true;
}

void ReplaySide::GiveEvent(DomainState& state, Island* island) {
  // The island keeps it as long as it replays.
  const std::vector<EpisodeItem>& items = island->record->items;
  // After an input come the steps that it caused at once.
  EpisodeItem first;
  first.after = (state.now() - island->begin).ps;
  first.kind = FabricEvent::kFlowStart;
  const bool starts =
      EventOrder(state.clock().order).kind() == std::uint32_t{FabricEvent::kFlowStart};
  if (!starts) first = items[island->at];
  while (island->at < items.size()) {
    const EpisodeItem item = items[island->at];
    const bool same =
        starts ? item.after == first.after && item.kind == first.kind : InOneEvent(item, first);
    if (item.step == EpisodeStep::kInput || !same) break;
    ++island->at;
    Give(state, island, item);
    if (island->mode != Island::Mode::kReplaying) return;
  }
  Schedule(state, island);
}

void ReplaySide::Give(DomainState& state, Island* island, const EpisodeItem& item) {
  const Island::Input& input = island->inputs[item.flow];
  const std::uint32_t slot = input.slot;
  const QueuePair& pair = state.parts().sender.pairs()[slot];
  switch (item.step) {
    case EpisodeStep::kInput:
      break;
    case EpisodeStep::kSent:
      if (pair.post == QueuePair::kParked) break;
      state.parts().desk.ReportSent(state, pair.post,
                                    state.now() + state.parts().sender.life().LastWireTime(
                                                      state, pair, state.ports()[input.port]));
      break;
    case EpisodeStep::kArrived: {
      const FlowArrival arrival{pair.flow, state.now()};
      whole_.Arrived(state, slot);
      state.ledger().AddArrival(arrival);
      state.parts().desk.ReportReceived(state, arrival.flow);
      break;
    }
    case EpisodeStep::kEnded:
      state.parts().sender.life().End(state, slot, FlowState::kFinished);
      break;
  }
}

void ReplaySide::Miss(DomainState& state, Island* island) {
  // Another record may know that the input does not come. Since the last input it has the same
  // steps.
  const EpisodeRecord& record = *island->record;
  std::size_t given = 0;
  while (record.items[island->at - given - 1].step != EpisodeStep::kInput) ++given;
  for (const EpisodeMemo::Place& place : PlacesFor(state, *island, island->key)) {
    const std::vector<EpisodeItem>& items = place.record->items;
    const std::size_t next = place.item + given;
    if (place.record == island->record || next > items.size() ||
        std::any_of(items.begin() + static_cast<std::ptrdiff_t>(place.item),
                    items.begin() + static_cast<std::ptrdiff_t>(next),
                    [](const EpisodeItem& item) { return item.step == EpisodeStep::kInput; }))
      continue;
    if (next < items.size()) {
      const Time time = island->begin + Time{items[next].after};
      if (time < state.now() ||
          (time == state.now() && OrderOf(*island, items[next]) <= state.clock().order))
        continue;
    } else if (place.record->complete) {
      continue;
    }
    Unfollow(island);
    Follow(island, {place.record, next});
    Schedule(state, island);
    return;
  }
  Rebuild(state, island, state.now(), state.clock().reached);
}

void ReplaySide::FinishReplay(DomainState& state, Island* island) {
  const EpisodeRecord& record = *island->record;
  HEDDLE_INVARIANT(record.complete && island->at == record.items.size(),
                   "a replayed episode ended before its record");
  LoadUntil(state, island, Time::Max());
  AddReplayed(state, island, island->record);
  whole_.EpisodeEnded(NumberOf(*island), island->record, island->begin);
  replaying_.erase(std::find(replaying_.begin(), replaying_.end(), NumberOf(*island)));
  Forget(state, island, Island::Mode::kQuiet);
}

void ReplaySide::AddReplayed(DomainState& state, Island* island, const EpisodePtr& replayed) {
  const EpisodeRecord& record = *replayed;
  for (std::size_t label = 0; label < island->ports.size(); ++label) {
    Port& port = state.ports()[island->ports[label]];
    const EpisodePort& left = record.ports[label];
    port.sent += left.sent;
    port.sent_bytes += left.bytes;
    port.max_queued_bytes = std::max(port.max_queued_bytes, left.max_queued);
    port.turn = left.turn;
    port.last_served = left.last_served;
    port.own_turn = left.own_turn;
  }
  state.books().injected_packets += record.received_packets;
  state.books().injected_bytes += record.received_bytes;
  state.books().received_packets += record.received_packets;
  state.books().received_bytes += record.received_bytes;
  state.books().link_packets += record.packets;
  ++figures_.replayed;
  figures_.hops += record.packets;
  memo_->Use(replayed);
  island->worth->Gain(record.packets);
}

void ReplaySide::LoadUntil(DomainState& state, Island* island, Time time) {
  const std::vector<LoadCurve>& load = island->record->load;
  island->loaded.resize(std::max(island->loaded.size(), load.size()), 0);
  for (std::size_t slot = 0; slot < load.size(); ++slot) {
    const std::int64_t bytes =
        time == Time::Max() ? load[slot].total() : load[slot].Before((time - island->begin).ps);
    state.tier_load().Add(static_cast<std::uint8_t>(slot), bytes - island->loaded[slot]);
    island->loaded[slot] = bytes;
  }
}

void ReplaySide::TurnLoad(DomainState& state, Time before) {
  while (before >= state.tier_load().edge()) {
    const Time edge = state.tier_load().edge();
    Time next = before;
    for (std::uint32_t number : replaying_) {
      Island* island = &islands_[number];
      LoadUntil(state, island, edge);
      for (const LoadCurve& curve : island->record->load) {
        const std::int64_t after = curve.Next((edge - island->begin).ps);
        if (after >= 0) next = std::min(next, island->begin + Time{after});
      }
    }
    next = whole_.LoadUntil(state, edge, next);
    const std::vector<std::uint32_t> jumping = jumping_;
    for (std::uint32_t number : jumping) {
      Island* island = &islands_[number];
      LoadJump(state, island, edge);
      if (edge >= island->jump.end) {
        EndJump(state, island);
        continue;
      }
      for (const LoadCurve& curve : island->record->load) {
        const std::int64_t after = curve.Next((edge - island->begin).ps);
        if (after >= 0) next = std::min(next, island->begin + Time{after});
      }
    }
    state.tier_load().Turn(next);
  }
}

}  // namespace heddle
