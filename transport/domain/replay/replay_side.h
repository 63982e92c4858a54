// SPDX-License-Identifier: GPL-2.0-only
/// Episodes of a domain's islands: written down where they are new, replayed where they repeat.
///
/// An episode lasts from the first flow on an island at rest to the moment when none is left. While
/// its inputs are those of a record, nothing of it is simulated: each step that others are notified
/// of (EpisodeStep) is given at its time, at its place in the order of events. What was reported is
/// never revoked. Where an input is missing, or another one comes, the island is simulated again
/// from its first input up to that event; its steps are not reported twice, and it goes on from
/// there. So no result changes; a replay that goes wrong costs what it had saved, at most.
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

  /// Returns the part that replays collectives of islands whole.
  WholeSide& whole() { return whole_; }

  /// Whether WholeSide replays the message's collective.
  bool TakesMessage(DomainState& state, std::uint32_t node, const FlowHeap::Item& item) override {
    return whole_.Takes(state, node, item);
  }
  /// Adds a flow to the episode of its island: the next input of a record, a new input, or the end
  /// of the episode's replay. Returns whether it is replayed.
  bool TakesFlow(DomainState& state, std::uint32_t slot, std::uint32_t port) override;
  /// Writes the step down if the island is recorded. Returns false in a past that is simulated
  /// again, for flows of an episode.
  bool Notifies(DomainState& state, std::uint32_t slot, EpisodeStep step) override;
  /// Does the same for kArrived if `queue_pair` is still that of the flow; else returns true.
  bool NotifiesArrival(DomainState& state, std::uint32_t queue_pair, FlowId flow) override;
  /// Takes a flow off its island. With the last one the episode ends: its record is complete, or
  /// what it left out is added.
  void FlowEnded(DomainState& state, std::uint32_t slot, const FlowRecord* row) override;
  /// Adds the bytes to the load curve of the island's record, and looks for a cycle where the curve
  /// repeats.
  void PortSends(DomainState& state, std::uint32_t port, std::uint32_t bytes) override;
  /// Has the islands that follow this one leave its record now, as their ports draw from random
  /// streams of their own.
  void MarkIsDrawn(DomainState& state, std::uint32_t port) override;
  /// Has an island simulated from now on if a packet has reached one of its edges. `port`: of
  /// Port::kRecorded.
  void Enters(DomainState& state, std::uint32_t port);

  // Events.
  /// Whether the event is still its island's pending one.
  bool IsDue(const Event& event) const {
    const Island& island = islands_[event.argument];
    return island.wake_time == event.time && island.wake_order == event.order;
  }
  /// Runs an island's event: a look for cycles, a step of a replay, a missing input, or a
  /// collective's end. Returns whether something happened to the fabric.
  bool Run(DomainState& state, const Event& event);
  /// Does TierLoad::Turn up to `before`, with what is replayed in all bins before.
  void TurnLoad(DomainState& state, Time before);

  /// Has all islands simulated from here on, before the events at `end`: for checkpoints, and for
  /// what is reported of runs that end early.
  void Settle(DomainState& state, Time end);
  /// Has islands with flows under way simulated until they are at rest. Called after loading.
  void Restore(DomainState& state);

  const ReplayFigures& figures() const { return figures_; }  ///< of this domain, so far
  /// Adds the bytes of islands, of records that are being made and of WholeSide to
  /// Structure::kReplay.
  void AddMemory(MemoryAccount* account) const;

 private:
  static constexpr std::uint32_t kNoInput = ~0U;

  /// What a queue pair is to an island.
  struct Member {
    std::uint32_t island = Island::kNone, input = kNoInput;
  };

  // replay_side.cc
  /// Returns the island's index in islands_.
  std::uint32_t NumberOf(const Island& island) const {
    return static_cast<std::uint32_t>(&island - islands_.data());
  }
  /// Whether an episode may have this flow. Its path is in words_ then.
  bool IsRegular(const DomainState& state, std::uint32_t island, const QueuePair& pair,
                 std::uint32_t port);
  /// Names the path of a pair's data and of its ACKs, by labels of ports. Returns false if it
  /// leaves the island.
  bool FindPath(const DomainState& state, std::uint32_t island, const QueuePair& pair,
                std::uint32_t port, EpisodeKey* way);
  /// Does the same, and returns false also if a hash decides on the path.
  bool FindOnlyPath(const DomainState& state, std::uint32_t island, const QueuePair& pair,
                    std::uint32_t port, EpisodeKey* way) override;
  /// Returns the island at which the queue pair started.
  std::uint32_t IslandOf(std::uint32_t slot) const override { return members_[slot].island; }
  /// Begins an episode now: notes its ports' totals and its key, and watches its edges. Returns
  /// false if the island is not at rest.
  bool BeginEpisode(DomainState& state, Island* island);
  /// Returns the key of the inputs up to `pair`, whose path is in words_.
  EpisodeKey KeyWith(const DomainState& state, const Island& island, const QueuePair& pair);
  /// Gives a quiet or replaying island an input: it goes on with a record, is written down, or is
  /// simulated.
  void Match(DomainState& state, Island* island, const EpisodeKey& key, std::int64_t size);
  /// Whether an episode is to be written down, of which no record can be replayed. `size`: of the
  /// last flow that it was given [byte].
  bool MayRecord(const DomainState& state, const Island& island, const EpisodeKey& key,
                 std::int64_t size) const;
  /// Returns the places in records with the inputs of `key` that the island may follow.
  std::vector<EpisodeMemo::Place> PlacesFor(const DomainState& state, const Island& island,
                                            const EpisodeKey& key) const;
  /// Whether the next step of the island's record is this input, now.
  bool IsNext(const DomainState& state, const Island& island, const EpisodeKey& key) const;
  /// Has the island simulated from here on, as something happens that no record may have.
  void Open(DomainState& state, Island* island);
  /// Returns the count of events that no record may have: drops, reordering, duplicates, NACKs,
  /// timeouts, pauses and resends of the domain, and possible marks of the island.
  static std::int64_t OddEvents(const DomainState& state, const Island& island);

  // replaying.cc
  /// Lets the island replay; Follow() says what.
  void StartReplay(Island* island);
  /// Lets the island go on at this place of a record, which may still be made.
  void Follow(Island* island, const EpisodeMemo::Place& place);
  /// Takes the island off the followers of its record.
  void Unfollow(Island* island);
  /// Sets the island's event to the next step of its record. If there is none yet, whoever makes
  /// the record schedules it.
  void Schedule(DomainState& state, Island* island);
  /// Sets the island's event; an earlier one still comes, but is not due (IsDue).
  void WakeAt(DomainState& state, Island* island, Time time, std::uint64_t order) override;
  /// Gives all steps of the event that runs, and schedules the next.
  void GiveEvent(DomainState& state, Island* island);
  /// Reports one step of a flow to the desk, the ledger or the flow's life.
  void Give(DomainState& state, Island* island, const EpisodeItem& item);
  /// Goes on with another record without the input that did not come, or simulates the island
  /// again.
  void Miss(DomainState& state, Island* island);
  /// Ends a replay at its record's end: counts its load, ports and books.
  void FinishReplay(DomainState& state, Island* island);
  /// Adds the ports' totals and the books of an episode that was not simulated.
  void AddReplayed(DomainState& state, Island* island, const EpisodePtr& record) override;
  /// Counts in TierLoad what a replaying island has sent before `time`.
  static void LoadUntil(DomainState& state, Island* island, Time time);

  // recording.cc
  /// Begins a record that is written down from now on, at the episode's beginning.
  void StartRecord(DomainState& state, Island* island);
  /// Appends a step to the record. Gives it up if the step is at no port of the island, an odd
  /// event came before, or it is too long.
  void Write(DomainState& state, Island* island, std::uint32_t input, EpisodeStep step);
  /// Schedules the islands that had reached the end of the record.
  void WakeFollowers(DomainState& state, Island* island);
  /// Completes the record of an island at rest, unless odd events came since it began.
  void FinishRecord(DomainState& state, Island* island);
  /// Abandons the island's record: islands that follow it are rebuilt at this time.
  void ReleaseFollowers(DomainState& state, const Island& island);
  /// Stops recording: the island is simulated until it is at rest.
  void Lose(DomainState& state, Island* island);
  /// Flags all ports of the island (FlagRecorded).
  static void SetRecorded(DomainState& state, const Island& island, bool recorded);
  /// Charges the shape's balance with an episode of this many packet-hops that was written down, or
  /// was about to be.
  void Charge(Island* island, std::int64_t packets);
  /// Returns the packet-hops of the episode so far.
  static std::int64_t SentBy(const DomainState& state, const Island& island);
  /// Forgets the episode when the island is at rest, or when nothing of its past is needed any
  /// more.
  void Forget(DomainState& state, Island* island, Island::Mode mode);

  // rebuilding.cc
  /// Simulates the island again from its first input, with all that has happened until `time`, and
  /// of its events at this time those up to `reached` (DomainState::reached_).
  void Rebuild(DomainState& state, Island* island, Time time, std::uint64_t reached);
  /// Counts in TierLoad what a rebuilt island has sent until `time` and was not counted.
  static void CountRelived(DomainState& state, Island* island, Time time);
  /// Runs the past up to this input, and starts its flow once more.
  void StartAgain(DomainState& state, Island* island, std::uint32_t input);
  /// Removes all pending events of replays from the domain's queue.
  static void DropReplays(DomainState& state);

  // jumping.cc: cycles that are skipped.
  /// Whether cycles can be skipped in this run.
  static bool MayJump(const DomainState& state);
  /// Begins to search for a cycle of this length or a multiple, as what the island sends repeats
  /// with it.
  void SearchCycle(DomainState& state, Island* island, Time length);
  /// Looks at the island once more: skips cycles if its state is that of the search's first look.
  void LookForCycle(DomainState& state, Island* island);
  /// Puts off the search, the longer the more often it was in vain.
  void PutOff(DomainState& state, Island* island, std::uint32_t failures);
  /// Skips as many cycles as there are before a flow sends its last packet. Returns false if these
  /// are too few, or if the load curves do not repeat with them.
  bool Jump(DomainState& state, Island* island, const IslandCycle& cycle);
  /// Adds these cycles to the load curves of the record. Returns false, with nothing added, if a
  /// curve does not repeat with them.
  bool RepeatLoad(const DomainState& state, Island* island, const IslandCycle& cycle,
                  std::int64_t times);
  /// Adds `times` cycles to the books and the figures; negative: takes them off.
  void CountJump(DomainState& state, Island* island, const IslandCycle& cycle, std::int64_t times);
  /// Moves the island's state to that of `time`, after events up to `reached`, as something comes
  /// that is not its own. The search for cycles begins anew.
  void Disturb(DomainState& state, Island* island, Time time, std::uint64_t reached);
  /// Ends a jump before its end: moves the state back by whole cycles, and simulates the rest up to
  /// `time` and `reached`.
  void StepBack(DomainState& state, Island* island, Time time, std::uint64_t reached);
  /// Forgets a jump whose end is past, after the rest of its load is counted.
  void EndJump(DomainState& state, Island* island) override;
  /// Counts in TierLoad what was sent before `time` and skipped.
  static void LoadJump(DomainState& state, Island* island, Time time);

  struct PathEnds {
    std::uint32_t port = ~0U;  ///< a NIC's, numbered within the domain
    NodeId destination;

    /// Returns a hash of both.
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
  RecentMap<PathEnds, EpisodeKey> ways_;  ///< paths that no hash decides on
  std::vector<std::uint32_t> replaying_;  ///< islands
  std::vector<std::uint32_t> jumping_;    ///< islands with a jump whose load is not counted in full
  bool may_jump_ = false;
  std::int64_t flows_ = 0;  ///< for debug.refuse_replay
  WholeSide whole_;
};

}  // namespace heddle
