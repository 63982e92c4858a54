// SPDX-License-Identifier: GPL-2.0-only
// Islands whose episode is written down.
#include <algorithm>

#include "transport/domain/replay/replay_side.h"
#include "transport/domain/sending/sender.h"

namespace heddle {

void ReplaySide::StartRecord(DomainState& state, Island* island) {
  island->mode = Island::Mode::kRecording;
  island->vain = false;
  island->record = EpisodeMemo::Begin(&state);
  island->record->island = NumberOf(*island);
  island->record->begin = island->begin;
  island->odd = OddEvents(state, *island);
  SetRecorded(state, *island, true);
}

void ReplaySide::SetRecorded(DomainState& state, const Island& island, bool recorded) {
  for (std::uint32_t index : island.ports) FlagRecorded(&state.ports()[index], recorded);
}

bool ReplaySide::Notifies(DomainState& state, std::uint32_t slot, EpisodeStep step) {
  if (slot >= members_.size() || members_[slot].input == kNoInput) return true;
  if (step == EpisodeStep::kArrived && !state.clock().reexecutes) whole_.Arrived(state, slot);
  Island* island = &islands_[members_[slot].island];
  if (island->mode == Island::Mode::kRecording) Write(state, island, members_[slot].input, step);
  return !state.clock().reexecutes;
}

bool ReplaySide::NotifiesArrival(DomainState& state, std::uint32_t queue_pair, FlowId flow) {
  const SlotPool<QueuePair>& pairs = state.parts().sender.pairs();
  if (queue_pair >= pairs.size() || pairs[queue_pair].flow != flow) return true;
  return Notifies(state, queue_pair, EpisodeStep::kArrived);
}

void ReplaySide::Write(DomainState& state, Island* island, std::uint32_t input, EpisodeStep step) {
  const EventOrder order(state.clock().order);
  EpisodeItem item;
  item.after = (state.now() - island->begin).ps;
  item.flow = input;
  item.step = step;
  item.kind = static_cast<std::uint8_t>(order.kind());
  bool regular = order.kind() == std::uint32_t{FabricEvent::kFlowStart};
  if (order.kind() == std::uint32_t{FabricEvent::kArrival} ||
      order.kind() == std::uint32_t{FabricEvent::kPortFree}) {
    const DomainState::Node* node = state.FindNode(order.node());
    const std::uint32_t port = node->first_port + order.port().value;
    regular = map_.island_of[port] == NumberOf(*island);
    item.port = map_.label_of[port];
  }
  if (!regular || OddEvents(state, *island) != island->odd || memo_->TooLong(*island->record)) {
    // What is simulated again is needed up to the present.
    if (state.clock().reexecutes) {
      island->vain = true;
    } else {
      Lose(state, island);
    }
    return;
  }
  island->record->items.push_back(item);
  WakeFollowers(state, island);
}

void ReplaySide::WakeFollowers(DomainState& state, Island* island) {
  for (std::uint32_t number : island->record->followers) {
    Island* follower = &islands_[number];
    if (follower->wake_time == Time::Max()) Schedule(state, follower);
  }
}

void ReplaySide::PortSends(DomainState& state, std::uint32_t port, std::uint32_t bytes) {
  HEDDLE_INVARIANT(map_.island_of[port] != Island::kNone, "a packet leaves an island that replays");
  Island& island = islands_[map_.island_of[port]];
  std::vector<LoadCurve>& load = island.record->load;
  const std::size_t slot = state.ports()[port].tier;
  if (load.size() <= slot) load.resize(slot + 1);
  if (load[slot].Append((state.now() - island.begin).ps, bytes))
    SearchCycle(state, &island, Time{load[slot].cycle_time()});
}

void ReplaySide::FinishRecord(DomainState& state, Island* island) {
  if (island->jump.is_on()) EndJump(state, island);
  if (OddEvents(state, *island) != island->odd) {
    Lose(state, island);
    island->mode = Island::Mode::kQuiet;
    return;
  }
  EpisodeRecord& record = *island->record;
  for (std::size_t label = 0; label < island->ports.size(); ++label) {
    const Port& port = state.ports()[island->ports[label]];
    const Island::Start& start = island->starts[label];
    EpisodePort left;
    left.sent = port.sent - start.sent;
    left.bytes = port.sent_bytes - start.bytes;
    left.max_queued = port.max_queued_bytes;
    left.turn = port.turn;
    left.last_served = port.last_served;
    left.own_turn = port.own_turn;
    record.ports.push_back(left);
    record.packets += left.sent;
    if (!state.ports()[port.far_port].has(Port::kAtHost)) continue;
    record.received_packets += left.sent;
    record.received_bytes += left.bytes;
  }
  Charge(island, record.packets);
  SetRecorded(state, *island, false);
  memo_->Complete(island->record);
  ++figures_.recorded;
  whole_.EpisodeEnded(NumberOf(*island), island->record, island->begin);
  Forget(state, island, Island::Mode::kQuiet);
}

void ReplaySide::Charge(Island* island, std::int64_t packets) {
  const std::int64_t simulated = packets - island->jumped;
  island->worth->Spend(simulated, island->jumped);
  figures_.written += simulated;
}

std::int64_t ReplaySide::SentBy(const DomainState& state, const Island& island) {
  std::int64_t packets = 0;
  for (std::size_t label = 0; label < island.ports.size(); ++label)
    packets += state.ports()[island.ports[label]].sent - island.starts[label].sent;
  return packets;
}

void ReplaySide::MarkIsDrawn(DomainState& state, std::uint32_t port) {
  const std::uint32_t number = map_.island_of[port];
  if (number == Island::kNone) return;
  Island* island = &islands_[number];
  ++island->draws;
  if (island->mode != Island::Mode::kRecording || island->record->dead) return;
  if (state.clock().reexecutes) {  // it has no followers yet, and gets none
    island->vain = true;
    return;
  }
  ReleaseFollowers(state, *island);
  whole_.Open(state, number);
}

void ReplaySide::ReleaseFollowers(DomainState& state, const Island& island) {
  EpisodeRecord& record = *island.record;
  memo_->Abandon(island.record);
  for (std::uint32_t number : record.followers)
    WakeAt(state, &islands_[number], state.now(), kAtOnce);
  record.followers.clear();
}

void ReplaySide::Lose(DomainState& state, Island* island) {
  Disturb(state, island, state.now(), state.clock().reached);
  Charge(island, SentBy(state, *island));
  ++figures_.refused;
  SetRecorded(state, *island, false);
  ReleaseFollowers(state, *island);
  Forget(state, island, Island::Mode::kOpen);
}

}  // namespace heddle
