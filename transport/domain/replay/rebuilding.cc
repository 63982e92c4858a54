// SPDX-License-Identifier: GPL-2.0-only
// Islands that leave their record are simulated again.
#include <algorithm>

#include "transport/domain/replay/past.h"
#include "transport/domain/replay/replay_side.h"
#include "transport/domain/sending/sender.h"

namespace heddle {

void ReplaySide::Rebuild(DomainState& state, Island* island, Time time, std::uint64_t reached) {
  ++figures_.rebuilt;
  Unfollow(island);
  replaying_.erase(std::find(replaying_.begin(), replaying_.end(), NumberOf(*island)));
  island->wake_time = Time::Max();
  const bool may_record = MayRecord(state, *island, island->key, island->inputs.back().flow.size);
  StartRecord(state, island);
  const auto load = state.tier_load().current();
  island->under_way.clear();
  InPast(state, island->begin, true, [&] {
    for (std::uint32_t input = 0; input < island->inputs.size(); ++input)
      StartAgain(state, island, input);
    state.RunPast(time, reached);
    if (island->jump.is_on() && time >= island->jump.end) EndJump(state, island);
  });
  state.tier_load().SetCurrent(load);
  CountRelived(state, island, time);
  if (!island->vain && may_record) return;
  Disturb(state, island, time, reached);
  Lose(state, island);
}

void ReplaySide::CountRelived(DomainState& state, Island* island, Time time) {
  // What was sent in bins that are over has been counted there.
  const std::vector<LoadCurve>& curves = island->record->load;
  island->loaded.resize(std::max(island->loaded.size(), curves.size()), 0);
  for (std::size_t slot = 0; slot < curves.size(); ++slot) {
    std::int64_t sent = curves[slot].total();
    if (island->jump.is_on()) {
      sent = std::min(sent, curves[slot].Before((time - island->begin).ps));
      if (slot < island->jump.loaded.size()) island->jump.loaded[slot] = sent;
    }
    state.tier_load().Add(static_cast<std::uint8_t>(slot), sent - island->loaded[slot]);
  }
}

void ReplaySide::StartAgain(DomainState& state, Island* island, std::uint32_t number) {
  Island::Input& input = island->inputs[number];
  const std::uint32_t label = map_.label_of[input.port];
  state.RunPast(input.at, input.reached);
  Disturb(state, island, input.at, input.reached);
  state.clock().now = input.at;
  state.clock().order =
      EventOrder(input.flow.flow.source, PortId(0), FabricEvent::kFlowStart).bits();
  FlowLife& life = state.parts().sender.life();
  if (input.ended) input.slot = life.Reserve(state);
  island->under_way.push_back(number);
  if (members_.size() <= input.slot) members_.resize(input.slot + input.slot / 2 + 16);
  members_[input.slot] = {NumberOf(*island), number};
  memo_->AddInput(island->record, island->keys[number], (input.at - island->begin).ps,
                  static_cast<std::uint16_t>(label));
  life.StartAgain(state, input.slot, input.flow.Pair(state.context(), input.at), input.port);
}

void ReplaySide::DropReplays(DomainState& state) {
  state.queue().Remove(
      [](const Event& event) { return FabricEvent::IsReplayed(EventOrder(event.order).kind()); });
}

void ReplaySide::Settle(DomainState& state, Time end) {
  if (state.watcher() == nullptr) return;
  // What was sent since this domain's last event may belong into later bins.
  const Time last = end - PicoSeconds(1);
  if (!replaying_.empty() || !jumping_.empty() || whole_.replays_any()) TurnLoad(state, last);
  whole_.Settle(state, last);
  const std::vector<std::uint32_t> replaying = replaying_;
  for (std::uint32_t number : replaying) Rebuild(state, &islands_[number], last, ~std::uint64_t{0});
  for (Island& island : islands_) {
    if (island.mode != Island::Mode::kRecording) continue;
    Disturb(state, &island, last, ~std::uint64_t{0});
    Lose(state, &island);
  }
  DropReplays(state);
}

}  // namespace heddle
