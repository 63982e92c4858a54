// SPDX-License-Identifier: GPL-2.0-only
/// Collectives within one server that are replayed whole: none of their messages is posted, starts
/// or is reported one by one.
///
/// A collective that begins on an island at rest, of which all participants have begun and none has
/// been notified of anything, goes by what they had posted then (WholeCollectives::AddState). It is
/// written down while its episodes (replay_side.h) are simulated or replayed. Another one that
/// begins with the same, on an island of the same shape, is taken whole: its first messages are
/// kept back, and its participants are notified of their ends at the time of those of the record.
/// When the island is quiet again, its flows, ports and books get what the record has. A record may
/// be followed while it is made.
///
/// Where anything else starts at a GPU of the island before that, or enters the island, or the run
/// is saved, the collective is executed again (Relive): from its first message on, all happens as
/// if it had not been taken whole, except that participants are not notified again of ends that
/// they know. Its episodes may be replayed then.
///
/// Not taken whole: collectives of several servers; collectives that overlap with others on their
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
  /// Makes room for the islands of `side`, which has found them. `side` and `memo` outlive this.
  void Begin(IslandKeeper* side, WholeMemo* memo);
  /// Takes a message of a node that is due. Returns whether it is replayed with its collective:
  /// then it must not start.
  bool Takes(DomainState& state, std::uint32_t node, const FlowHeap::Item& item);

  // What happens to collectives that are written down. `slot`: of a queue pair.
  /// Writes down a flow that starts at `port`, of the island.
  void Started(DomainState& state, std::uint32_t slot, std::uint32_t port, std::uint32_t island);
  /// Writes down when a flow arrived.
  void Arrived(const DomainState& state, std::uint32_t slot);
  /// Writes down a flow's end. `row`: as FlowLife::End made it; a failed or recovered flow ends the
  /// record.
  void Ended(DomainState& state, std::uint32_t slot, const FlowRecord& row);
  /// Adds an episode to the record, and to its followers. The island is at rest; `record` is
  /// complete.
  void EpisodeEnded(std::uint32_t island, const EpisodePtr& record, Time begin);
  /// Completes the record if the island is at rest and all participations have ended.
  void MayBeComplete(DomainState& state, std::uint32_t island);
  /// Writes down that the participation of `node` ended at `when`, as its agent reports now.
  void ParticipationEnded(DomainState& state, const CollectiveName& name, NodeId node, Time when);

  /// Ends recording or replay of the island's collective: its episode is not written down, or
  /// something comes from elsewhere.
  void Open(DomainState& state, std::uint32_t island);
  /// Whether the island replays a collective now.
  bool Replays(std::uint32_t island) const { return wholes_[island].mode == Mode::kReplaying; }
  /// Runs the event of an island that replays: notifies participants of the ends that are due, and
  /// ends the replay with the last.
  void Run(DomainState& state, std::uint32_t island);
  /// Whether a collective of this domain is replayed now.
  bool replays_any() const { return !replaying_.empty(); }
  /// Counts in TierLoad what is sent before `edge`. Returns when the next byte is sent, at most
  /// `next`.
  Time LoadUntil(DomainState& state, Time edge, Time next);
  /// Makes everything up to `last` as if nothing were replayed (ReplaySide::Settle).
  void Settle(DomainState& state, Time last);

  /// Returns the bytes allocated, records that are being made included.
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
    std::vector<FlowNumbers> last;  ///< by rank: its last flow; the port: part of its message
    std::uint32_t connection = 0;   ///< of the message that is about to start
    // Replaying.
    std::vector<FlowHeap::Item> kept;  ///< messages that were due
    std::vector<EpisodePtr> episodes;  ///< of the record's parts
    std::size_t told = 0;              ///< ends that participants were notified of
    std::size_t checked = 0;           ///< pairs
    std::vector<std::int64_t> loaded;  ///< bytes counted in TierLoad, by slot
  };

  // whole_side.cc
  /// Whether a message of a node that is due in a re-executed past is to start in the present;
  /// keeps it then.
  bool PutsOff(const DomainState& state, std::uint32_t node, const FlowHeap::Item& item);
  /// Whether this run's collectives can be taken whole at all.
  bool IsOn(const DomainState& state);
  /// Takes a message that is due whose GPU takes part in no collective that is written down or
  /// replayed: begins a record, or follows one. Returns whether the message is replayed.
  bool TakesFirst(DomainState& state, std::uint32_t node, const FlowHeap::Item& item);
  /// Writes the key of a collective that begins now to key_. Returns false if it cannot be taken
  /// whole.
  bool FindKey(DomainState& state, std::uint32_t island, const CollectiveName& name,
               const std::vector<NodeId>& gpus);
  /// Sets the island's collective, and its GPUs as busy with it.
  void Start(DomainState& state, std::uint32_t island, Whole whole);
  /// Begins to replay the record of `whole`, of which the first message is due. Returns false if
  /// not all of its episodes are known any more.
  bool Follow(DomainState& state, std::uint32_t island, Whole whole);
  /// Forgets the island's collective: its GPUs are free for others.
  void Leave(std::uint32_t island);
  /// Gives up the record that the island makes. Islands that follow it are woken now, and execute
  /// theirs again.
  void Abandon(DomainState& state, std::uint32_t island);
  /// Schedules the islands that had reached the end of the record.
  void WakeFollowers(DomainState& state, const WholeRecord& record);
  /// Names the path of a pair of GPUs on the island. Returns false if none or several lead there.
  bool FindPath(DomainState& state, std::uint32_t island, NodeId source, NodeId destination,
                EpisodeKey* way);

  // whole_replaying.cc
  /// Sets the island's event to the next end of its record, or to the time when it is quiet. If
  /// neither is known yet, whoever makes the record schedules it.
  void Schedule(DomainState& state, std::uint32_t island);
  /// Whether the pairs of GPUs that the record has so far have the same paths on this island.
  bool PairsAreAlike(DomainState& state, std::uint32_t island);
  /// Ends a replay: adds flows, ports and books of the record.
  void Finish(DomainState& state, std::uint32_t island);
  /// Returns the place of the island's events in the order of all.
  static std::uint64_t OrderOf(const Island& island) {
    return EventOrder(island.places.front().node(), PortId(0), FabricEvent::kReplayedStart).bits();
  }
  /// Adds rows and arrivals of all flows of the record to the ledger.
  static void AddFlows(DomainState& state, const Whole& whole);
  /// Returns the row of a flow of the record, with the numbers that it would have got here.
  static FlowRecord RowOf(DomainState& state, const Whole& whole, const WholeFlow& flow);
  /// Counts in TierLoad what the island has sent before `time`.
  void CountLoad(DomainState& state, Whole* whole, Time time) const;
  /// Executes the collective again up to now, as it is not what its record has.
  void Deviate(DomainState& state, std::uint32_t island);
  /// Executes the collective again: it is simulated with all that has happened until `time`, and of
  /// its events at this time those up to `reached`.
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
  /// The message for which a collective is executed again, and the messages of its node after it.
  std::vector<FlowHeap::Item> put_off_;
  std::uint32_t put_off_at_ = 0;  ///< node
  std::vector<std::uint64_t> words_;
  EpisodeKey key_;
  std::int64_t messages_ = 0;  ///< for debug.refuse_replay
};

}  // namespace heddle
