// SPDX-License-Identifier: GPL-2.0-only
/// Collectives within one server that are replayed whole: none of their messages is posted, starts
/// or is told of, one by one.
///
/// A collective that begins on an island at rest, of which all participants have begun and been
/// told of nothing, goes by what they had posted then (WholeCollectives::AddState). It is written
/// down while its episodes (replay_side.h) are simulated or replayed. Another one that begins with
/// the same, on an island of the same shape, is taken whole: its first messages are kept back, its
/// participants hear of their ends at the time of those of the record, and when the island is quiet
/// again its flows, ports and books get what the record has. A record may be followed while it is
/// made.
///
/// If anything else starts at a GPU of the island before that, or comes to the island, or the run
/// is saved, the collective is lived through again (Relive): from its first message on, all happens
/// as if it had not been taken whole, except that what participants have heard of their ends they
/// do not hear again. Its episodes may be replayed then.
///
/// Not taken whole: collectives of several servers, and those that overlap with others on their
/// GPUs; runs with divided messages, a central controller or drawn source ports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/traffic/whole_collectives.h"
#include "transport/domain/replay/island.h"
#include "transport/domain/replay/island_keeper.h"
#include "transport/domain/state/domain_state.h"
#include "transport/model/nic/posted_flows.h"
#include "transport/model/replay/whole_memo.h"

namespace heddle {

class WholeSide {
 public:
  /// `side` has found its islands; `memo` outlives this.
  void Begin(IslandKeeper* side, WholeMemo* memo);
  /// A message of a node is due. Returns whether it is replayed with its collective: then it must
  /// not start.
  bool Takes(DomainState& state, std::uint32_t node, const FlowHeap::Item& item);

  // What happens to collectives that are written down. `slot`: of a queue pair.
  /// A flow starts at `port`, of the island.
  void Started(DomainState& state, std::uint32_t slot, std::uint32_t port, std::uint32_t island);
  void Arrived(const DomainState& state, std::uint32_t slot);
  /// `row`: as FlowLife::End made it.
  void Ended(DomainState& state, std::uint32_t slot, const FlowRecord& row);
  /// The island is at rest; `record` is complete.
  void EpisodeEnded(std::uint32_t island, const EpisodePtr& record, Time begin);
  /// If that was all, the collective is complete.
  void MayBeComplete(DomainState& state, std::uint32_t island);
  void ParticipationEnded(DomainState& state, const CollectiveName& name, NodeId node, Time when);

  /// What happens on the island is not written down, or something comes from elsewhere.
  void Open(DomainState& state, std::uint32_t island);
  bool Replays(std::uint32_t island) const { return wholes_[island].mode == Mode::kReplaying; }
  /// The event of an island that replays.
  void Run(DomainState& state, std::uint32_t island);
  bool replays_any() const { return !replaying_.empty(); }
  /// Counts in TierLoad what is sent before `edge`. Returns when the next is sent, at most `next`.
  Time LoadUntil(DomainState& state, Time edge, Time next);
  /// As ReplaySide::Settle: everything up to `last` is as if nothing were replayed.
  void Settle(DomainState& state, Time last);

  /// Bytes that it has allocated.
  std::size_t memory() const;

 private:
  static constexpr std::uint32_t kNone = ~0U;

  enum class Mode : std::uint8_t { kNone, kRecording, kReplaying };
  /// The collective of an island that is written down or replayed.
  struct Whole {
    Mode mode = Mode::kNone;
    WholePtr record;
    CollectiveName name;
    std::vector<NodeId> gpus;  ///< by rank
    Time begin;
    // Recording.
    std::vector<FlowNumbers> last;  ///< by rank: of its last flow; the port counts its message's
    std::uint32_t connection = 0;   ///< of the message that is about to start
    // Replaying.
    std::vector<FlowHeap::Item> kept;  ///< messages that were due
    std::vector<EpisodePtr> episodes;  ///< of the record's parts
    std::size_t told = 0;              ///< ends
    std::size_t checked = 0;           ///< pairs
    std::vector<std::int64_t> loaded;  ///< bytes counted in TierLoad, by slot
  };

  // whole_side.cc
  /// Whether a message of a node that is due in a past that is relived is to start in the present.
  bool PutsOff(const DomainState& state, std::uint32_t node, const FlowHeap::Item& item);
  /// Whether this run's collectives can be taken whole at all.
  bool IsOn(const DomainState& state);
  /// A message is due whose GPU takes part in no collective that is written down or replayed.
  bool TakesFirst(DomainState& state, std::uint32_t node, const FlowHeap::Item& item);
  /// The key of a collective that begins now, in key_; false if it cannot be taken whole.
  bool FindKey(DomainState& state, std::uint32_t island, const CollectiveName& name,
               const std::vector<NodeId>& gpus);
  void Start(DomainState& state, std::uint32_t island, Whole whole);
  /// Begins to replay the record of `whole`, of which the first message is due. Returns false if
  /// not all of its episodes are known any more.
  bool Follow(DomainState& state, std::uint32_t island, Whole whole);
  /// The island's GPUs are free for other collectives.
  void Leave(std::uint32_t island);
  void Abandon(DomainState& state, std::uint32_t island);
  void WakeFollowers(DomainState& state, const WholeRecord& record);
  /// Of a pair of GPUs on the island; false if no or several ways lead there.
  bool FindPath(DomainState& state, std::uint32_t island, NodeId source, NodeId destination,
                EpisodeKey* way);

  // whole_replaying.cc
  void Schedule(DomainState& state, std::uint32_t island);
  bool PairsAreAlike(DomainState& state, std::uint32_t island);
  void Finish(DomainState& state, std::uint32_t island);
  /// The place of the island's events in the order of all.
  static std::uint64_t OrderOf(const Island& island) {
    return EventOrder(island.places.front().node(), PortId(0), FabricEvent::kReplayedStart).bits();
  }
  static void AddFlows(DomainState& state, const Whole& whole);
  static FlowRecord RowOf(DomainState& state, const Whole& whole, const WholeFlow& flow);
  /// Counts in TierLoad what the island has sent before `time`.
  void CountLoad(DomainState& state, Whole* whole, Time time) const;
  /// The collective is not what its record has: relives it up to now.
  void Deviate(DomainState& state, std::uint32_t island);
  /// Takes the collective back; it is simulated with all that has happened until `time`, and of its
  /// events at this time those up to `reached`.
  void Relive(DomainState& state, std::uint32_t island, Time time, std::uint64_t reached);
  /// Calls visit(record, begin) for each episode of the collective that has begun.
  template <class Visit>
  void ForEachEpisode(const Whole& whole, const Visit& visit) const;

  IslandKeeper* side_ = nullptr;
  WholeMemo* memo_ = nullptr;
  WholeCollectives* agent_ = nullptr;
  bool looked_ = false;  ///< agent_ is known
  bool reliving_ = false;
  std::vector<Whole> wholes_;                          ///< by island
  std::vector<std::vector<std::uint32_t>> hosts_;      ///< by island: what may post there
  std::unordered_map<EpisodeKey, WholeWorth> worths_;  ///< by shape
  std::vector<std::uint32_t> busy_;                    ///< by host: the island of its collective
  std::vector<std::uint32_t> rank_of_;                 ///< by host: there
  std::vector<std::uint32_t> flow_of_;    ///< by slot of a queue pair: index in the record
  std::vector<std::uint32_t> replaying_;  ///< islands
  /// The message for which a collective is relived, and those of its node after it.
  std::vector<FlowHeap::Item> put_off_;
  std::uint32_t put_off_at_ = 0;  ///< node
  std::vector<std::uint64_t> words_;
  EpisodeKey key_;
  std::int64_t messages_ = 0;  ///< for debug.refuse_replay
};

}  // namespace heddle
