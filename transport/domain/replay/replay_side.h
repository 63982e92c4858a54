// SPDX-License-Identifier: GPL-2.0-only
/// Episodes of a domain's islands: written down where they are new, replayed where they repeat.
///
/// An episode lasts from the first flow on an island at rest to the moment when none is left. While
/// its inputs are those of a record, nothing of it is simulated: each step that others hear of
/// (EpisodeStep) is given at its time, at its place in the order of events. Nothing is ever taken
/// back. Where an input is missing, or another one comes, the island is simulated again from its
/// first input up to that event, told nothing twice, and goes on from there. So no result changes;
/// a replay that goes wrong costs what it had saved, at most.
///
/// While an episode is written down, whole cycles of a steady state are skipped (island_cycle.h).
///
/// Not replayed, but simulated: flows that are not RoCE's alone or leave the island, episodes into
/// which a packet comes from elsewhere, and those with a queue that might have been marked, or with
/// a loss, a NACK, a timeout or a pause anywhere in the domain. What switches it off for a run:
/// WhyNoReplay(). Where nothing repeats, fewer and fewer episodes are written down (EpisodeWorth).
/// Source: the idea of Wormhole (NSDI 2026) to remember what repeats, here without its error.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/memory_account.h"
#include "core/containers/recent_map.h"
#include "core/events/event.h"
#include "transport/domain/replay/island.h"
#include "transport/domain/replay/island_cycle.h"
#include "transport/domain/replay/island_keeper.h"
#include "transport/domain/replay/whole_side.h"
#include "transport/domain/state/domain_state.h"
#include "transport/domain/state/replay_watcher.h"
#include "transport/model/replay/episode_memo.h"
#include "transport/model/replay/replay_figures.h"

namespace heddle {

class ReplaySide final : public ReplayWatcher, private IslandKeeper {
 public:
  /// Finds the islands; `memo` keeps their records, and outlives this. Sets
  /// DomainState::watcher(). Before the first event only.
  void Begin(DomainState& state, EpisodeMemo* memo);

  /// Collectives of islands that are replayed whole.
  WholeSide& whole() { return whole_; }

  bool TakesMessage(DomainState& state, std::uint32_t node, const FlowHeap::Item& item) override {
    return whole_.Takes(state, node, item);
  }
  bool TakesFlow(DomainState& state, std::uint32_t slot, std::uint32_t port) override;
  bool Notifies(DomainState& state, std::uint32_t slot, EpisodeStep step) override;
  bool NotifiesArrival(DomainState& state, std::uint32_t queue_pair, FlowId flow) override;
  void FlowEnded(DomainState& state, std::uint32_t slot, const FlowRecord* row) override;
  void PortSends(DomainState& state, std::uint32_t port, std::uint32_t bytes) override;
  /// Islands that follow this one leave its record now, as their ports draw from random streams of
  /// their own.
  void MarkIsDrawn(DomainState& state, std::uint32_t port) override;
  /// A packet has come to a port of Port::kRecorded. From elsewhere: the island is simulated.
  void Enters(DomainState& state, std::uint32_t port);

  // Events.
  /// Whether the event has not been overtaken.
  bool IsDue(const Event& event) const {
    const Island& island = islands_[event.argument];
    return island.wake_time == event.time && island.wake_order == event.order;
  }
  /// Returns whether something happened to the fabric.
  bool Run(DomainState& state, const Event& event);
  /// As TierLoad::Turn, with what is replayed in all bins before.
  void TurnLoad(DomainState& state, Time before);

  /// All islands are simulated from here on, before the events at `end`: for checkpoints, and for
  /// what is told of runs that end early.
  void Settle(DomainState& state, Time end);
  /// After loading: islands with flows under way are simulated until they are at rest.
  void Restore(DomainState& state);

  const ReplayFigures& figures() const { return figures_; }
  void AddMemory(MemoryAccount* account) const;

 private:
  static constexpr std::uint32_t kNoInput = ~0U;

  /// What a queue pair is to an island.
  struct Member {
    std::uint32_t island = Island::kNone, input = kNoInput;
  };

  // replay_side.cc
  std::uint32_t NumberOf(const Island& island) const {
    return static_cast<std::uint32_t>(&island - islands_.data());
  }
  /// Whether an episode may have this flow. Its way is in words_ then.
  bool IsRegular(const DomainState& state, std::uint32_t island, const QueuePair& pair,
                 std::uint32_t port);
  /// Names the way of a pair's data and of its ACKs, by labels of ports. Returns false if it leaves
  /// the island.
  bool FindPath(const DomainState& state, std::uint32_t island, const QueuePair& pair,
                std::uint32_t port, EpisodeKey* way);
  bool FindOnlyPath(const DomainState& state, std::uint32_t island, const QueuePair& pair,
                    std::uint32_t port, EpisodeKey* way) override;
  std::uint32_t IslandOf(std::uint32_t slot) const override { return members_[slot].island; }
  bool BeginEpisode(DomainState& state, Island* island);
  /// words_ has the way of `pair`. Returns the key of the inputs up to it.
  EpisodeKey KeyWith(const DomainState& state, const Island& island, const QueuePair& pair);
  /// A replaying island is given an input: it goes on with a record, or is simulated.
  void Match(DomainState& state, Island* island, const EpisodeKey& key, std::int64_t size);
  /// Whether an episode is to be written down, of which no record can be replayed. `size`: of the
  /// last flow that it was given [byte].
  bool MayRecord(const DomainState& state, const Island& island, const EpisodeKey& key,
                 std::int64_t size) const;
  /// Places in records with the inputs of `key` that the island may follow.
  std::vector<EpisodeMemo::Place> PlacesFor(const DomainState& state, const Island& island,
                                            const EpisodeKey& key) const;
  bool IsNext(const DomainState& state, const Island& island, const EpisodeKey& key) const;
  /// Something happens that no record may have: it is simulated from here on.
  void Open(DomainState& state, Island* island);
  static std::int64_t OddEvents(const DomainState& state, const Island& island);

  // replaying.cc
  void StartReplay(Island* island);
  void Follow(Island* island, const EpisodeMemo::Place& place);
  void Unfollow(Island* island);
  void Schedule(DomainState& state, Island* island);
  void WakeAt(DomainState& state, Island* island, Time time, std::uint64_t order) override;
  /// Gives the steps of one event.
  void GiveEvent(DomainState& state, Island* island);
  void Give(DomainState& state, Island* island, const EpisodeItem& item);
  /// The input that the record has now did not come.
  void Miss(DomainState& state, Island* island);
  void FinishReplay(DomainState& state, Island* island);
  void AddReplayed(DomainState& state, Island* island, const EpisodePtr& record) override;
  /// Counts what a replaying island has sent before `time`.
  static void LoadUntil(DomainState& state, Island* island, Time time);

  // recording.cc
  void StartRecord(DomainState& state, Island* island);
  void Write(DomainState& state, Island* island, std::uint32_t input, EpisodeStep step);
  void WakeFollowers(DomainState& state, Island* island);
  void FinishRecord(DomainState& state, Island* island);
  /// Abandons the island's record: those that follow it are rebuilt at this time.
  void ReleaseFollowers(DomainState& state, const Island& island);
  /// Stops recording: the island is simulated until it is at rest.
  void Lose(DomainState& state, Island* island);
  static void SetRecorded(DomainState& state, const Island& island, bool recorded);
  /// An episode of this many packet-hops was written down, or was about to be.
  void Charge(Island* island, std::int64_t packets);
  /// Packet-hops of the episode so far.
  static std::int64_t SentBy(const DomainState& state, const Island& island);
  /// The island is at rest, or nothing of its past is needed any more.
  void Forget(DomainState& state, Island* island, Island::Mode mode);

  // rebuilding.cc
  /// The island is simulated again from its first input, with all that has happened until `time`,
  /// and of its events at this time those up to `reached` (DomainState::reached_).
  void Rebuild(DomainState& state, Island* island, Time time, std::uint64_t reached);
  /// Counts in TierLoad what a rebuilt island has sent until `time` and was not counted.
  static void CountRelived(DomainState& state, Island* island, Time time);
  void StartAgain(DomainState& state, Island* island, std::uint32_t input);
  static void DropReplays(DomainState& state);

  // jumping.cc: cycles that are skipped.
  /// Whether there can be any in this run.
  static bool MayJump(const DomainState& state);
  /// What the island sends repeats a cycle of this length.
  void SearchCycle(DomainState& state, Island* island, Time length);
  /// The time has come to look at the island once more.
  void LookForCycle(DomainState& state, Island* island);
  /// Of the search: later, the later the more often it was in vain.
  void PutOff(DomainState& state, Island* island, std::uint32_t failures);
  /// Returns false if the flows are too near to their ends.
  bool Jump(DomainState& state, Island* island, const IslandCycle& cycle);
  /// What is to be added to its load curves for these cycles.
  bool RepeatLoad(const DomainState& state, Island* island, const IslandCycle& cycle,
                  std::int64_t times);
  void CountJump(DomainState& state, Island* island, const IslandCycle& cycle, std::int64_t times);
  /// Something comes that is not the island's own: its state becomes that of `time`, after events
  /// up to `reached`, and it looks for cycles from the beginning.
  void Disturb(DomainState& state, Island* island, Time time, std::uint64_t reached);
  void StepBack(DomainState& state, Island* island, Time time, std::uint64_t reached);
  void EndJump(DomainState& state, Island* island) override;
  /// Counts what was sent before `time` and skipped.
  static void LoadJump(DomainState& state, Island* island, Time time);

  struct PathEnds {
    std::uint32_t port = ~0U;  ///< a NIC's, numbered within the domain
    NodeId destination;

    std::uint64_t Mixed() const {
      return (std::uint64_t{port} << 32 | destination.value) * 0x9E3779B97F4A7C15ULL;
    }
    friend bool operator==(const PathEnds& a, const PathEnds& b) {
      return a.port == b.port && a.destination == b.destination;
    }
  };

  EpisodeMemo* memo_ = nullptr;
  std::vector<Member> members_;  ///< by slot of a queue pair
  std::vector<std::uint64_t> words_;
  RecentMap<PathEnds, EpisodeKey> ways_;  ///< those that no hash decides on
  std::vector<std::uint32_t> replaying_;  ///< islands
  std::vector<std::uint32_t> jumping_;    ///< islands with a jump whose load is not counted in full
  bool may_jump_ = false;
  std::int64_t flows_ = 0;  ///< for debug.refuse_replay
  WholeSide whole_;
};

}  // namespace heddle
