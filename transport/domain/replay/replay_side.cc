// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/replay/replay_side.h"

#include <algorithm>
#include <vector>

#include "core/base/check.h"
#include "core/containers/state_count.h"
#include "core/traffic/future_visitors.h"
#include "transport/domain/host/nic_routing.h"
#include "transport/domain/sending/sender.h"
#include "transport/domain/switching/switch_side.h"

namespace heddle {
namespace {

/// Whether queue pairs begin with the same.
[[maybe_unused]] bool SameGiven(const QueuePair& a, const QueuePair& b) {
  std::vector<std::uint64_t> of_a, of_b;
  GivenWords visit_a(&of_a), visit_b(&of_b);
  QueuePair::VisitFuture(a, visit_a);
  QueuePair::VisitFuture(b, visit_b);
  return of_a == of_b;
}

}  // namespace

void ReplaySide::Begin(DomainState& state, EpisodeMemo* memo) {
  memo_ = memo;
  islands_ = FindIslands(state);
  if (islands_.empty()) return;
  state.SetWatcher(this);
  may_jump_ = MayJump(state);
  ways_ = RecentMap<PathEnds, EpisodeKey>(kPairsOfHost * state.parts().sender.hosts());
  map_.island_of.assign(state.ports().size(), Island::kNone);
  map_.label_of.assign(state.ports().size(), 0);
  map_.edge_of.assign(state.ports().size(), Island::kNone);
  for (std::uint32_t i = 0; i < islands_.size(); ++i) {
    const std::vector<std::uint32_t>& ports = islands_[i].ports;
    for (std::size_t label = 0; label < ports.size(); ++label) {
      map_.island_of[ports[label]] = i;
      map_.label_of[ports[label]] = static_cast<std::uint16_t>(label);
    }
    for (std::uint32_t edge : islands_[i].edges) map_.edge_of[edge] = i;
    islands_[i].worth = memo->WorthOf(islands_[i].shape);
    islands_[i].worth->AddIsland();
    islands_[i].has_peers = std::any_of(islands_.begin(), islands_.end(), [&](const Island& other) {
      return &other != &islands_[i] && other.shape == islands_[i].shape;
    });
  }
  whole_.Begin(this, &memo->whole());
}

bool ReplaySide::TakesFlow(DomainState& state, std::uint32_t slot, std::uint32_t port) {
  if (members_.size() <= slot) members_.resize(slot + slot / 2 + 16);
  members_[slot] = {map_.island_of[port], kNoInput};
  if (members_[slot].island == Island::kNone) return false;
  Island* island = &islands_[members_[slot].island];
  HEDDLE_INVARIANT(!whole_.Replays(members_[slot].island),
                   "a flow starts where a collective is replayed whole");
  whole_.Started(state, slot, port, members_[slot].island);
  // It may move when the island is simulated again.
  const QueuePair& pair = state.parts().sender.pairs()[slot];
  if (island->mode == Island::Mode::kRecording)
    Disturb(state, island, state.now(), state.clock().reached);
  ++island->live;
  if (island->mode == Island::Mode::kOpen) return false;
  if (island->mode == Island::Mode::kQuiet && island->worth->Skips()) {
    Open(state, island);
    return false;
  }
  const bool regular = IsRegular(state, members_[slot].island, pair, port);
  if (!regular || (island->mode == Island::Mode::kQuiet && !BeginEpisode(state, island))) {
    Open(state, island);
    return false;
  }
  const EpisodeKey key = KeyWith(state, *island, pair);
  const StartedFlow flow = StartedFlow::Of(pair);
  HEDDLE_ASSERT(SameGiven(pair, flow.Pair(state.context(), state.now())));
  if (island->mode != Island::Mode::kRecording) Match(state, island, key, flow.size);
  if (island->mode == Island::Mode::kOpen) return false;
  if (island->mode == Island::Mode::kRecording)
    Disturb(state, island, state.now(), state.clock().reached);
  island->key = key;
  island->keys.push_back(key);
  members_[slot].input = static_cast<std::uint32_t>(island->inputs.size());
  island->under_way.push_back(members_[slot].input);
  island->inputs.push_back({state.now(), state.clock().reached, slot, port, false, flow});
  if (island->mode == Island::Mode::kRecording) {
    memo_->AddInput(island->record, key, (state.now() - island->begin).ps, map_.label_of[port]);
    WakeFollowers(state, island);
    return false;
  }
  GiveEvent(state, island);
  return true;
}

bool ReplaySide::IsRegular(const DomainState& state, std::uint32_t island, const QueuePair& pair,
                           std::uint32_t port) {
  const auto is_gpu = [&](NodeId node) {
    return state.context().graph->kind(node) == NodeKind::kGpu;
  };
  if (EventOrder(state.clock().order).kind() != std::uint32_t{FabricEvent::kFlowStart})
    return false;
  const std::int64_t refused = state.context().options.replay.refused;
  if (refused > 0 && ++flows_ % refused == 0) return false;
  NewCheck plain(state.now());
  QueuePair::VisitFuture(pair, plain);
  if (!plain.holds()) return false;
  if (!is_gpu(pair.flow.source) || !is_gpu(pair.destination)) return false;
  EpisodeKey way;
  if (!FindPath(state, island, pair, port, &way)) return false;
  words_ = {way.low, way.high};
  return true;
}

bool ReplaySide::FindPath(const DomainState& state, std::uint32_t island, const QueuePair& pair,
                          std::uint32_t port, EpisodeKey* way) {
  const PathEnds ends{port, pair.destination};
  if (const EpisodeKey* known = ways_.Find(ends)) {
    *way = *known;
    return true;
  }
  const DomainState::Node* far = state.FindNode(pair.destination);
  if (far == nullptr) return false;
  Packet packet{};
  packet.source = pair.flow.source;
  packet.destination = pair.destination;
  packet.source_port = pair.source_port;
  packet.destination_port = pair.destination_port;
  NicRouting& nics = state.parts().nic_routing;
  bool only = nics.Only(state.NodeOf(state.ports()[port]), pair.destination) == port;
  words_.clear();
  if (!AddPath(state, map_, island, port, packet, &words_, &only)) return false;
  words_.push_back(~std::uint64_t{0});
  std::swap(packet.source, packet.destination);
  std::swap(packet.source_port, packet.destination_port);
  const std::uint32_t back =
      nics.Choose(*far, pair.flow.source, pair.destination_port, pair.source_port);
  only = only && nics.Only(*far, pair.flow.source) == back;
  if (back == QueuePair::kParked || !AddPath(state, map_, island, back, packet, &words_, &only))
    return false;
  *way = Extend({}, words_);
  if (only) ways_.Keep(ends, *way);
  return true;
}

bool ReplaySide::BeginEpisode(DomainState& state, Island* island) {
  if (!AtRest(state, *island)) return false;
  island->begin = state.now();
  std::vector<std::uint64_t> words;
  AddDynamicWords(state, *island, &words);
  island->key = Extend(island->shape, words);
  island->starts.clear();
  for (std::uint32_t index : island->ports) {
    Port& port = state.ports()[index];
    island->starts.push_back({port.sent, port.sent_bytes, port.max_queued_bytes});
    port.max_queued_bytes = 0;
  }
  Watch(state, *island, true);
  return true;
}

bool ReplaySide::FindOnlyPath(const DomainState& state, std::uint32_t island, const QueuePair& pair,
                              std::uint32_t port, EpisodeKey* way) {
  return FindPath(state, island, pair, port, way) &&
         ways_.Find(PathEnds{port, pair.destination}) != nullptr;
}

void ReplaySide::Enters(DomainState& state, std::uint32_t port) {
  if (map_.edge_of[port] == Island::kNone) return;
  whole_.Open(state, map_.edge_of[port]);
  Island* island = &islands_[map_.edge_of[port]];
  Open(state, island);
}

EpisodeKey ReplaySide::KeyWith(const DomainState& state, const Island& island,
                               const QueuePair& pair) {
  words_.push_back(static_cast<std::uint64_t>((state.now() - island.begin).ps));
  GivenWords visit(&words_);
  QueuePair::VisitFuture(pair, visit);
  return Extend(island.key, words_);
}

std::vector<EpisodeMemo::Place> ReplaySide::PlacesFor(const DomainState& state,
                                                      const Island& island,
                                                      const EpisodeKey& key) const {
  std::vector<EpisodeMemo::Place> places = memo_->Find(key, &state);
  // Who makes a record that is followed must have begun earlier, or come first in the order of
  // events. One that began later is met by an island of a collective that is executed again.
  const auto comes_late = [&](const EpisodeMemo::Place& place) {
    const EpisodeRecord& record = *place.record;
    return !record.complete &&
           (record.begin > island.begin ||
            (record.begin == island.begin && !ComesBefore(state, islands_[record.island], island)));
  };
  places.erase(std::remove_if(places.begin(), places.end(), comes_late), places.end());
  return places;
}

bool ReplaySide::IsNext(const DomainState& state, const Island& island,
                        const EpisodeKey& key) const {
  const EpisodeRecord& record = *island.record;
  if (record.dead || island.at >= record.items.size()) return false;
  const EpisodeItem& next = record.items[island.at];
  return next.step == EpisodeStep::kInput && next.after == (state.now() - island.begin).ps &&
         record.keys[next.flow] == key;
}

bool ReplaySide::MayRecord(const DomainState& state, const Island& island, const EpisodeKey& key,
                           std::int64_t size) const {
  // Others of its domain may follow it from the first event on. Else one record for the rank will
  // do, unless flows are long enough for cycles.
  constexpr std::int64_t kLongFlow = 1000;  // packets
  return island.has_peers || !memo_->IsBeingMade(key) ||
         (may_jump_ && size >= kLongFlow * state.context().options.payload);
}

void ReplaySide::Match(DomainState& state, Island* island, const EpisodeKey& key,
                       std::int64_t size) {
  const bool begins = island->mode == Island::Mode::kQuiet;
  if (!begins && IsNext(state, *island, key)) {
    ++island->at;
    return;
  }
  const std::vector<EpisodeMemo::Place> places = PlacesFor(state, *island, key);
  if (!places.empty() && (begins || !island->record->dead)) {
    if (!begins) Unfollow(island);
    if (begins) StartReplay(island);
    Follow(island, places.front());
  } else if (begins && MayRecord(state, *island, key, size)) {
    StartRecord(state, island);
  } else if (begins) {
    Open(state, island);
  } else {
    Rebuild(state, island, state.now(), state.clock().reached);
  }
}

void ReplaySide::Open(DomainState& state, Island* island) {
  if (island->mode == Island::Mode::kReplaying)
    Rebuild(state, island, state.now(), state.clock().reached);
  if (island->mode == Island::Mode::kRecording) {
    Lose(state, island);
  } else if (island->mode == Island::Mode::kQuiet) {
    Forget(state, island, Island::Mode::kOpen);
  }
}

void ReplaySide::FlowEnded(DomainState& state, std::uint32_t slot, const FlowRecord* row) {
  if (slot >= members_.size() || members_[slot].island == Island::kNone) return;
  if (row != nullptr) whole_.Ended(state, slot, *row);
  Island* island = &islands_[members_[slot].island];
  if (members_[slot].input != kNoInput && island->mode != Island::Mode::kOpen) {
    const std::uint32_t input = members_[slot].input;
    island->inputs[input].ended = true;
    island->under_way.erase(std::find(island->under_way.begin(), island->under_way.end(), input));
  }
  members_[slot] = {};
  if (state.clock().reexecutes || --island->live > 0) return;
  switch (island->mode) {
    case Island::Mode::kReplaying:
      FinishReplay(state, island);
      break;
    case Island::Mode::kRecording:
      FinishRecord(state, island);
      break;
    default:
      island->mode = Island::Mode::kQuiet;
  }
  whole_.MayBeComplete(state, NumberOf(*island));
}

void ReplaySide::Forget(DomainState& state, Island* island, Island::Mode mode) {
  if (mode == Island::Mode::kOpen) whole_.Open(state, NumberOf(*island));
  for (std::size_t label = 0; label < island->starts.size(); ++label) {
    Port& port = state.ports()[island->ports[label]];
    port.max_queued_bytes = std::max(port.max_queued_bytes, island->starts[label].max_queued);
  }
  Watch(state, *island, false);
  island->mode = mode;
  island->starts.clear();
  island->inputs.clear();
  island->under_way.clear();
  island->keys.clear();
  island->record.reset();
  island->at = 0;
  island->wake_time = Time::Max();
  island->search = {};
  island->jump = {};
  island->jumped = 0;
}

void ReplaySide::Restore(DomainState& state) {
  if (state.watcher() == nullptr) return;
  const SlotPool<QueuePair>& pairs = state.parts().sender.pairs();
  members_.assign(pairs.size(), {});
  for (std::uint32_t slot : LiveQueuePairs(pairs)) {
    if (pairs[slot].port >= map_.island_of.size()) continue;  // at no port, or at a wrong one
    members_[slot].island = map_.island_of[pairs[slot].port];
    if (members_[slot].island == Island::kNone) continue;
    Island& island = islands_[members_[slot].island];
    island.mode = Island::Mode::kOpen;
    ++island.live;
  }
}

std::int64_t ReplaySide::OddEvents(const DomainState& state, const Island& island) {
  const DomainBooks& books = state.books();
  return books.dropped_packets + books.out_of_order + books.duplicates + books.nacks +
         books.timeouts + books.pauses + books.resent_bytes + island.draws;
}

void ReplaySide::AddMemory(MemoryAccount* account) const {
  std::size_t bytes = MemoryOf(islands_) + MemoryOf(map_.island_of) + MemoryOf(map_.label_of) +
                      MemoryOf(map_.edge_of) + MemoryOf(members_) + MemoryOf(words_) +
                      ways_.memory() + whole_.memory();
  for (const Island& island : islands_) {
    bytes += MemoryOf(island.ports) + MemoryOf(island.edges) + MemoryOf(island.places) +
             MemoryOf(island.keys) + MemoryOf(island.inputs) + MemoryOf(island.under_way) +
             MemoryOf(island.starts);
    if (island.search.first) bytes += MemoryOf(island.search.first->words);
    const bool own = island.mode == Island::Mode::kRecording;
    if (own) bytes += island.record->memory();
  }
  account->Add(Structure::kReplay, bytes);
}

}  // namespace heddle
