// SPDX-License-Identifier: GPL-2.0-only
// Collectives that follow a record, and what becomes of them where they leave it.
#include <algorithm>
#include <array>
#include <utility>

#include "core/base/check.h"
#include "transport/domain/host/nic_routing.h"
#include "transport/domain/messages/message_desk.h"
#include "transport/domain/replay/past.h"
#include "transport/domain/replay/whole_side.h"
#include "transport/domain/sending/sender.h"

namespace heddle {
namespace {

using TierBytes = std::array<std::int64_t, LinkTiers::kMost>;

/// Turns `sent`, by slot of TierLoad, from what the island's ports have sent into what they have
/// sent before `time`, where the episode under way is replayed or a jump goes beyond. That much of
/// the episode is counted then.
void CountUnderWay(Island* island, Time time, TierBytes* sent) {
  const std::int64_t after = (time - island->begin).ps;
  if (island->mode == Island::Mode::kReplaying) {
    const std::vector<LoadCurve>& load = island->record->load;
    island->loaded.resize(std::max(island->loaded.size(), load.size()), 0);
    for (std::size_t slot = 0; slot < load.size(); ++slot)
      (*sent)[slot] += island->loaded[slot] = load[slot].Before(after);
  } else if (island->mode == Island::Mode::kRecording) {
    IslandJump& jump = island->jump;
    for (std::size_t slot = 0; slot < jump.totals.size(); ++slot) {
      jump.loaded[slot] = std::min(jump.totals[slot], island->record->load[slot].Before(after));
      (*sent)[slot] += jump.loaded[slot] - jump.totals[slot];
    }
  }
}

}  // namespace

template <class Visit>
void WholeSide::ForEachEpisode(const Whole& whole, const Visit& visit) const {
  const WholeRecord& record = *whole.record;
  for (std::size_t i = 0; i < whole.episodes.size(); ++i)
    visit(*whole.episodes[i], whole.begin + Time{record.parts[i].after});
  if (record.complete || record.dead) return;
  // The one that its maker is in.
  const Island& maker = side_->islands()[record.island];
  if (maker.mode == Island::Mode::kRecording || maker.mode == Island::Mode::kReplaying)
    visit(*maker.record, whole.begin + (maker.begin - wholes_[record.island].begin));
}

void WholeSide::Schedule(DomainState& state, std::uint32_t number) {
  const Whole& whole = wholes_[number];
  const WholeRecord& record = *whole.record;
  Island* island = &side_->islands()[number];
  island->wake_time = Time::Max();
  std::int64_t after = record.quiet;
  if (whole.told < record.ends.size()) {
    after = record.ends[whole.told].after;
  } else if (!record.complete) {
    return;  // whoever makes the record wakes it
  }
  side_->WakeAt(state, island, whole.begin + Time{after}, OrderOf(*island));
}

void WholeSide::Run(DomainState& state, std::uint32_t number) {
  Whole& whole = wholes_[number];
  const WholePtr record = whole.record;
  if (record->dead) return Relive(state, number, state.now(), state.clock().reached);
  if (!PairsAreAlike(state, number)) return Deviate(state, number);
  while (whole.told < record->ends.size()) {
    const WholeEnd end = record->ends[whole.told];
    if (whole.begin + Time{end.after} > state.now()) break;
    ++whole.told;
    agent_->EndWhole(whole.name, whole.gpus[end.rank], whole.begin + Time{end.at});
  }
  const bool is_over = record->complete && whole.told == record->ends.size() &&
                       whole.begin + Time{record->quiet} <= state.now();
  if (is_over) {
    Finish(state, number);
  } else {
    Schedule(state, number);
  }
}

bool WholeSide::PairsAreAlike(DomainState& state, std::uint32_t number) {
  Whole& whole = wholes_[number];
  for (; whole.checked < whole.record->pairs.size(); ++whole.checked) {
    const WholePair& pair = whole.record->pairs[whole.checked];
    EpisodeKey way;
    if (!FindPath(state, number, whole.gpus[pair.source], whole.gpus[pair.destination], &way) ||
        way != pair.way)
      return false;
  }
  return true;
}

bool WholeSide::FindPath(DomainState& state, std::uint32_t island, NodeId source,
                         NodeId destination, EpisodeKey* way) {
  QueuePair pair;
  pair.flow.source = source;
  pair.destination = destination;
  const std::uint32_t port = state.parts().nic_routing.Only(*state.FindNode(source), destination);
  return port != QueuePair::kParked && side_->map().island_of[port] == island &&
         side_->FindOnlyPath(state, island, pair, port, way);
}

void WholeSide::Finish(DomainState& state, std::uint32_t number) {
  const WholePtr record = wholes_[number].record;
  CountLoad(state, &wholes_[number], Time::Max());
  const Whole whole = std::move(wholes_[number]);
  Leave(number);
  replaying_.erase(std::find(replaying_.begin(), replaying_.end(), number));
  Island* island = &side_->islands()[number];
  Watch(state, *island, false);
  AddFlows(state, whole);
  for (const EpisodePtr& episode : whole.episodes) side_->AddReplayed(state, island, episode);
  memo_->Use(record);
  agent_->ForgetWhole(whole.name);
  worths_[island->shape].Replayed();
  ++side_->figures().whole;
}

void WholeSide::AddFlows(DomainState& state, const Whole& whole) {
  for (const WholeFlow& flow : whole.record->flows) {
    const FlowRecord row = RowOf(state, whole, flow);
    state.ledger().AddFlow(row);
    state.ledger().AddArrival({row.flow, whole.begin + Time{flow.arrived}});
    state.clock().last = std::max(state.clock().last, row.start + row.completion);
  }
  const auto flows = static_cast<std::int64_t>(whole.record->flows.size());
  state.books().flows_started += flows;
  state.books().flows_finished += flows;
}

FlowRecord WholeSide::RowOf(DomainState& state, const Whole& whole, const WholeFlow& flow) {
  FlowPost post;
  post.source = whole.gpus[flow.source];
  post.destination = whole.gpus[flow.destination];
  post.connection = flow.connection;
  const FlowNumbers numbers = state.parts().desk.NumberReplayed(state, post, flow.part);
  FlowRecord row;
  row.flow = {post.source, numbers.number};
  row.destination = post.destination;
  row.source_port = numbers.source_port;
  row.destination_port = flow.destination_port;
  row.priority = flow.priority;
  row.message = numbers.message;
  row.size = flow.size;
  row.start = whole.begin + Time{flow.start};
  row.completion = Time{flow.completion};
  row.ideal = Time{flow.ideal};
  row.origin = {whole.name.operation, flow.chunk, flow.channel, whole.name.job};
  return row;
}

void WholeSide::CountLoad(DomainState& state, Whole* whole, Time time) const {
  std::vector<std::int64_t> sums;
  ForEachEpisode(*whole, [&](const EpisodeRecord& episode, Time begin) {
    sums.resize(std::max(sums.size(), episode.load.size()), 0);
    for (std::size_t slot = 0; slot < episode.load.size(); ++slot) {
      const LoadCurve& curve = episode.load[slot];
      sums[slot] += time == Time::Max() ? curve.total()
                    : time <= begin     ? 0
                                        : curve.Before((time - begin).ps);
    }
  });
  whole->loaded.resize(std::max(whole->loaded.size(), sums.size()), 0);
  for (std::size_t slot = 0; slot < sums.size(); ++slot) {
    state.tier_load().Add(static_cast<std::uint8_t>(slot), sums[slot] - whole->loaded[slot]);
    whole->loaded[slot] = sums[slot];
  }
}

Time WholeSide::LoadUntil(DomainState& state, Time edge, Time next) {
  for (const std::uint32_t number : replaying_) {
    Whole* whole = &wholes_[number];
    CountLoad(state, whole, edge);
    ForEachEpisode(*whole, [&](const EpisodeRecord& episode, Time begin) {
      for (const LoadCurve& curve : episode.load) {
        const std::int64_t after = curve.Next(std::max<std::int64_t>((edge - begin).ps, 0));
        if (after >= 0) next = std::min(next, begin + Time{after});
      }
    });
  }
  return next;
}

void WholeSide::Settle(DomainState& state, Time last) {
  const std::vector<std::uint32_t> replaying = replaying_;
  for (const std::uint32_t number : replaying) Relive(state, number, last, ~std::uint64_t{0});
  for (std::uint32_t number = 0; number < wholes_.size(); ++number) {
    if (wholes_[number].mode == Mode::kRecording) Abandon(state, number);
  }
}

void WholeSide::Deviate(DomainState& state, std::uint32_t number) {
  worths_[side_->islands()[number].shape].Failed();
  Relive(state, number, state.now(), state.clock().reached);
}

void WholeSide::Relive(DomainState& state, std::uint32_t number, Time time, std::uint64_t reached) {
  Island* island = &side_->islands()[number];
  const Whole whole = std::move(wholes_[number]);
  Leave(number);
  std::vector<std::uint32_t>& followers = whole.record->followers;
  followers.erase(std::remove(followers.begin(), followers.end(), number), followers.end());
  replaying_.erase(std::find(replaying_.begin(), replaying_.end(), number));
  island->wake_time = Time::Max();
  Watch(state, *island, false);
  ++side_->figures().relived;
  agent_->TakeBackEnds(whole.name);
  TierBytes sent{};
  for (const std::uint32_t port : island->ports)
    sent[state.ports()[port].tier] -= state.ports()[port].sent_bytes;
  const TierBytes load = state.tier_load().current();
  reliving_ = true;
  InPast(state, whole.begin, false, [&] {
    for (const FlowHeap::Item& item : whole.kept) state.parts().desk.StartWhenDue(state, item);
    state.RunPast(time, reached);
    if (island->jump.is_on() && time >= island->jump.end) side_->EndJump(state, island);
  });
  reliving_ = false;
  state.tier_load().SetCurrent(load);
  for (const std::uint32_t port : island->ports)
    sent[state.ports()[port].tier] += state.ports()[port].sent_bytes;
  CountUnderWay(island, time, &sent);
  for (std::size_t slot = 0; slot < whole.loaded.size(); ++slot) sent[slot] -= whole.loaded[slot];
  for (std::size_t slot = 0; slot < sent.size(); ++slot)
    state.tier_load().Add(static_cast<std::uint8_t>(slot), sent[slot]);
}

}  // namespace heddle
