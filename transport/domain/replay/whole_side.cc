// SPDX-License-Identifier: GPL-2.0-only
// Which collectives are taken whole, and how they are written down.
#include "transport/domain/replay/whole_side.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "transport/domain/host/nic_routing.h"
#include "transport/domain/messages/message_desk.h"
#include "transport/domain/sending/sender.h"

namespace heddle {
namespace {

bool AreSame(const CollectiveName& a, const CollectiveName& b) {
  return a.operation == b.operation && a.group == b.group && a.job == b.job;
}

}  // namespace

void WholeSide::Begin(IslandKeeper* side, WholeMemo* memo) {
  side_ = side;
  memo_ = memo;
  wholes_.resize(side->islands().size());
}

bool WholeSide::IsOn(const DomainState& state) {
  if (looked_) return agent_ != nullptr;
  looked_ = true;
  const FabricContext& context = state.context();
  FlowAgent* agent = state.parts().desk.agent();
  const bool may = context.reports && !context.controlled() && !context.requests.active() &&
                   !context.draws_ports;
  if (may && agent != nullptr) agent_ = agent->whole();
  if (agent_ == nullptr) return false;
  for (const Island& island : side_->islands()) {
    std::vector<std::uint32_t> hosts;
    for (const std::uint32_t port : island.ports) {
      const std::uint32_t host = state.NodeOf(state.ports()[port]).host;
      if (host != DomainState::kNone && (hosts.empty() || hosts.back() != host))
        hosts.push_back(host);
    }
    hosts_.push_back(std::move(hosts));
  }
  busy_.assign(state.parts().sender.hosts(), kNone);
  rank_of_.assign(busy_.size(), kNone);
  return true;
}

bool WholeSide::Takes(DomainState& state, std::uint32_t node, const FlowHeap::Item& item) {
  if (reliving_) return PutsOff(state, node, item);
  if (!IsOn(state)) return false;
  const std::uint32_t island = busy_[state.nodes()[node].host];
  if (island == kNone) return TakesFirst(state, node, item);
  Whole& whole = wholes_[island];
  const bool is_own = AreSame(agent_->CollectiveOf(item.flow.cookie), whole.name);
  if (whole.mode == Mode::kRecording) {
    whole.connection = item.flow.connection;
    if (!is_own) Abandon(state, island);
    return false;
  }
  const std::int64_t refused = state.context().options.replay.refused;
  if (is_own && (refused == 0 || ++messages_ % refused != 0)) {
    whole.kept.push_back(item);
    return true;
  }
  // It starts after the messages before it, which are executed again, and before those after it.
  put_off_ = {item};
  put_off_at_ = node;
  Deviate(state, island);
  for (const FlowHeap::Item& later : put_off_) state.parts().desk.StartWhenDue(state, later);
  put_off_.clear();
  return true;
}

bool WholeSide::PutsOff(const DomainState& state, std::uint32_t node, const FlowHeap::Item& item) {
  if (put_off_.empty() || node != put_off_at_ || state.now() < put_off_.front().flow.start ||
      FlowHeap::After{&FlowPost::start}(put_off_.front(), item))
    return false;
  put_off_.push_back(item);
  return true;
}

bool WholeSide::TakesFirst(DomainState& state, std::uint32_t node, const FlowHeap::Item& item) {
  const FlowPost& flow = item.flow;
  if (item.has_turn || flow.numbers.given() || flow.in_tree() ||
      !state.context().graph->SameServer(flow.source, flow.destination))
    return false;
  const std::uint32_t port = state.parts().nic_routing.Only(state.nodes()[node], flow.destination);
  if (port == QueuePair::kParked) return false;
  const std::uint32_t number = side_->map().island_of[port];
  if (number == Island::kNone) return false;
  const Island& island = side_->islands()[number];
  const std::vector<std::uint32_t>& hosts = hosts_[number];
  const bool is_free = island.mode == Island::Mode::kQuiet && island.live == 0 &&
                       wholes_[number].mode == Mode::kNone &&
                       std::all_of(hosts.begin(), hosts.end(),
                                   [&](std::uint32_t host) { return busy_[host] == kNone; });
  if (!is_free) return false;
  Whole whole;
  whole.name = agent_->CollectiveOf(flow.cookie);
  whole.gpus = agent_->MembersOf(whole.name);
  if (!FindKey(state, number, whole.name, whole.gpus)) return false;
  if (worths_[island.shape].Skips()) return false;
  whole.begin = state.now();
  whole.connection = flow.connection;
  whole.record = memo_->Find(key_, &state);
  if (whole.record == nullptr) {
    whole.mode = Mode::kRecording;
    whole.record = memo_->Begin(key_, &state);
    whole.record->island = number;
    whole.last.resize(whole.gpus.size());
    Start(state, number, std::move(whole));
    return false;
  }
  whole.kept.push_back(item);
  return Follow(state, number, std::move(whole));
}

bool WholeSide::Follow(DomainState& state, std::uint32_t island, Whole whole) {
  whole.mode = Mode::kReplaying;
  for (const WholeRecord::Part& part : whole.record->parts) {
    whole.episodes.push_back(part.episode.lock());
    if (whole.episodes.back() == nullptr) return false;
  }
  if (!whole.record->complete) whole.record->followers.push_back(island);
  Start(state, island, std::move(whole));
  replaying_.push_back(island);
  Watch(state, side_->islands()[island], true);
  Schedule(state, island);
  return true;
}

bool WholeSide::FindKey(DomainState& state, std::uint32_t island, const CollectiveName& name,
                        const std::vector<NodeId>& gpus) {
  if (gpus.size() < 2) return false;
  words_.clear();
  for (std::size_t rank = 0; rank < gpus.size(); ++rank) {
    const DomainState::Node* gpu = state.FindNode(gpus[rank]);
    const NodeId next = gpus[(rank + 1) % gpus.size()];
    const std::uint32_t port = state.parts().nic_routing.Only(*gpu, next);
    if (port == QueuePair::kParked || side_->map().island_of[port] != island) return false;
    words_.push_back(side_->map().label_of[port]);
  }
  if (!agent_->AddState(name, state.now(), &words_)) return false;
  const Island& here = side_->islands()[island];
  if (!AtRest(state, here)) return false;
  AddDynamicWords(state, here, &words_);
  key_ = Extend(here.shape, words_);
  return true;
}

void WholeSide::Start(DomainState& state, std::uint32_t island, Whole whole) {
  wholes_[island] = std::move(whole);
  for (const std::uint32_t host : hosts_[island]) busy_[host] = island;
  const std::vector<NodeId>& gpus = wholes_[island].gpus;
  for (std::uint32_t rank = 0; rank < gpus.size(); ++rank)
    rank_of_[state.FindNode(gpus[rank])->host] = rank;
}

void WholeSide::Leave(std::uint32_t island) {
  for (const std::uint32_t host : hosts_[island]) busy_[host] = rank_of_[host] = kNone;
  wholes_[island] = {};
}

void WholeSide::Started(DomainState& state, std::uint32_t slot, std::uint32_t port,
                        std::uint32_t island) {
  if (wholes_[island].mode != Mode::kRecording) return;
  Whole& whole = wholes_[island];
  WholeRecord& record = *whole.record;
  const QueuePair& pair = state.parts().sender.pairs()[slot];
  const std::uint32_t source = rank_of_[state.FindNode(pair.flow.source)->host];
  const DomainState::Node* far = state.FindNode(pair.destination);
  const std::uint32_t destination = far == nullptr ? kNone : rank_of_[far->host];
  EpisodeKey way;
  if (source == kNone || destination == kNone || pair.post == QueuePair::kParked ||
      !side_->FindOnlyPath(state, island, pair, port, &way) || memo_->TooLong(record))
    return Abandon(state, island);
  const auto is_pair = [&](const WholePair& known) {
    return known.source == source && known.destination == destination;
  };
  if (std::none_of(record.pairs.begin(), record.pairs.end(), is_pair)) {
    record.pairs.push_back(
        {static_cast<std::uint16_t>(source), static_cast<std::uint16_t>(destination), way});
  }
  FlowNumbers& last = whole.last[source];
  const bool goes_on = last.given() && last.message == pair.message;
  last = {pair.flow.number, pair.message,
          static_cast<std::uint16_t>(goes_on ? last.source_port + 1 : 0)};
  const FlowOrigin& origin = state.parts().desk.OriginOf(pair.post);
  WholeFlow flow;
  flow.start = (state.now() - whole.begin).ps;
  flow.size = pair.size;
  flow.part = last.source_port;
  flow.connection = whole.connection;
  flow.chunk = origin.chunk;
  flow.channel = origin.channel;
  flow.destination_port = pair.destination_port;
  flow.source = static_cast<std::uint16_t>(source);
  flow.destination = static_cast<std::uint16_t>(destination);
  flow.priority = pair.priority;
  if (flow_of_.size() <= slot) flow_of_.resize(slot + slot / 2 + 16, kNone);
  flow_of_[slot] = static_cast<std::uint32_t>(record.flows.size());
  record.flows.push_back(flow);
}

void WholeSide::Arrived(const DomainState& state, std::uint32_t slot) {
  if (slot >= flow_of_.size() || flow_of_[slot] == kNone) return;
  const Whole& whole = wholes_[side_->IslandOf(slot)];
  if (whole.mode == Mode::kRecording)
    whole.record->flows[flow_of_[slot]].arrived = (state.now() - whole.begin).ps;
}

void WholeSide::Ended(DomainState& state, std::uint32_t slot, const FlowRecord& row) {
  if (slot >= flow_of_.size() || flow_of_[slot] == kNone) return;
  const std::uint32_t island = side_->IslandOf(slot);
  const Whole& whole = wholes_[island];
  WholeFlow* flow = nullptr;
  if (whole.mode == Mode::kRecording) flow = &whole.record->flows[flow_of_[slot]];
  flow_of_[slot] = kNone;
  if (flow == nullptr) return;
  if (row.state != FlowState::kFinished || row.recovery.any()) return Abandon(state, island);
  flow->completion = row.completion.ps;
  flow->ideal = row.ideal.ps;
  flow->ended = true;
}

void WholeSide::EpisodeEnded(std::uint32_t island, const EpisodePtr& record, Time begin) {
  const Whole& whole = wholes_[island];
  if (whole.mode != Mode::kRecording) return;
  whole.record->parts.push_back({record, (begin - whole.begin).ps});
  for (const std::uint32_t follower : whole.record->followers)
    wholes_[follower].episodes.push_back(record);
}

void WholeSide::ParticipationEnded(DomainState& state, const CollectiveName& name, NodeId node,
                                   Time when) {
  if (busy_.empty()) return;
  const std::uint32_t host = state.FindNode(node)->host, island = busy_[host];
  if (island == kNone || wholes_[island].mode != Mode::kRecording ||
      !AreSame(name, wholes_[island].name))
    return;
  const Whole& whole = wholes_[island];
  whole.record->ends.push_back(
      {(state.now() - whole.begin).ps, (when - whole.begin).ps, rank_of_[host]});
  WakeFollowers(state, *whole.record);
  MayBeComplete(state, island);
}

void WholeSide::MayBeComplete(DomainState& state, std::uint32_t island) {
  const Whole& whole = wholes_[island];
  if (whole.mode != Mode::kRecording || side_->islands()[island].live > 0 ||
      whole.record->ends.size() < whole.gpus.size())
    return;
  const WholePtr record = whole.record;
  HEDDLE_INVARIANT(std::all_of(record->flows.begin(), record->flows.end(),
                               [](const WholeFlow& flow) { return flow.ended; }),
                   "a collective is over before its flows");
  record->quiet = (state.now() - whole.begin).ps;
  const std::vector<std::uint32_t> followers = record->followers;
  Leave(island);
  memo_->Complete(record);
  record->followers = followers;
  WakeFollowers(state, *record);
  record->followers.clear();
}

void WholeSide::WakeFollowers(DomainState& state, const WholeRecord& record) {
  for (const std::uint32_t follower : record.followers) {
    if (side_->islands()[follower].wake_time == Time::Max()) Schedule(state, follower);
  }
}

void WholeSide::Open(DomainState& state, std::uint32_t island) {
  if (wholes_[island].mode == Mode::kRecording) Abandon(state, island);
  if (wholes_[island].mode == Mode::kReplaying) Deviate(state, island);
}

void WholeSide::Abandon(DomainState& state, std::uint32_t island) {
  const WholePtr record = wholes_[island].record;
  worths_[side_->islands()[island].shape].Failed();
  memo_->Abandon(record);
  Leave(island);
  for (const std::uint32_t follower : record->followers) {
    Island* other = &side_->islands()[follower];
    side_->WakeAt(state, other, state.now(), OrderOf(*other));
  }
  record->followers.clear();
}

std::size_t WholeSide::memory() const {
  std::size_t bytes = MemoryOf(wholes_) + MemoryOf(hosts_) + MemoryOf(busy_) + MemoryOf(rank_of_) +
                      MemoryOf(flow_of_) + MemoryOf(words_) + MemoryOfHash(worths_);
  for (const auto& hosts : hosts_) bytes += MemoryOf(hosts);
  for (const Whole& whole : wholes_) {
    bytes += MemoryOf(whole.gpus) + MemoryOf(whole.last) + MemoryOf(whole.kept) +
             MemoryOf(whole.loaded) + MemoryOf(whole.episodes);
    if (whole.mode == Mode::kRecording) bytes += whole.record->memory();
  }
  return bytes;
}

}  // namespace heddle
