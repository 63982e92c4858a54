// SPDX-License-Identifier: GPL-2.0-only
/// One NPU's part of ChunkScheduler (chunk_scheduler.h): its sets, their chunks, the ready list and
/// the queues of its lanes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "collectives/phased/phase_delays.h"
#include "collectives/phased/phase_plan.h"
#include "core/containers/flat_map.h"
#include "core/traffic/flow_agent.h"

namespace heddle {

class StateReader;
class StateWriter;
struct ChunkStand;  // collectives/phased/chunk_deadlock.h

/// What a message's cookie says.
struct PhasedName {
  std::uint32_t node = 0;       ///< of the destination
  std::uint32_t source = 0;     ///< node
  std::uint32_t operation = 0;  ///< of the job
  std::uint32_t group = 0;
  std::uint32_t chunk = 0;
  std::uint32_t number = 0;  ///< of the message in its phase
  std::uint16_t job = 0;
  std::uint16_t phase = 0;
  std::uint32_t unused = 0;
};

/// Something that an NPU does at a time of its own. Ordered, so that equal times have one order.
struct NpuAction {
  enum class Kind : std::uint8_t { kEndPhase, kBegin };
  std::uint32_t npu = 0;
  Kind kind = Kind::kBegin;
  std::uint32_t set = 0;
  std::uint32_t chunk = 0;

  bool operator<(const NpuAction& o) const {
    return std::tie(npu, kind, set, chunk) < std::tie(o.npu, o.kind, o.set, o.chunk);
  }
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& npu& kind& set& chunk;
  }
};

/// What an NPU asks of its domain.
class NpuActions {
 public:
  /// Asks for a call of NpuScheduler::Act() at `when`.
  virtual void At(Time when, const NpuAction& action) = 0;
  virtual void Post(const FlowPost& post) = 0;  ///< hands a message to the transport
  /// The collective has ended at this NPU.
  virtual void Ended(const CollectiveName& name, NodeId npu, Time when) = 0;
  /// Reports what a chunk waited for when it left the ready list (`phase` 0) or ended its phase: 1,
  /// 2, ...
  virtual void Delayed(const CollectiveName& name, std::uint32_t phase,
                       const PhaseDelays& delays) = 0;

 protected:
  ~NpuActions() = default;
};

/// What a call of a collective says, or would say, to the scheduler of an NPU that takes part.
struct KnownCall {
  bool known = false;  ///< there is such a collective, and the NPU takes part in it
  Operation operation = Operation::kAllReduce;
  std::int64_t bytes = 0;
  std::uint32_t dimensions = 0;
};

class NpuScheduler {
 public:
  using CallOf = std::function<KnownCall(const CollectiveName&, NodeId npu)>;

  /// `planner` and `actions` must outlive it.
  NpuScheduler(const PhasePlanner* planner, NodeId npu, NpuActions* actions);

  NodeId npu() const { return npu_; }
  /// Adds a set, which starts at call.start. `dimensions`: of PhasePlanner::DimensionsOf(). Calls
  /// of an NPU come in the order of their start. `late`: the start is over, by less than an
  /// endpoint delay.
  void Begin(const CollectiveCall& call, std::uint32_t dimensions, bool late = false);
  /// Does what At() asked for: starts a set, or ends a chunk's phase.
  void Act(const NpuAction& action, Time now);
  /// Counts a message that came at `when`; one of a phase that has not started here is kept.
  void Received(const PhasedName& name, Time when);

  /// Writes all but the plans, which follow from the calls.
  void Save(StateWriter* to) const;
  /// Replaces the state by a saved one; `call_of` is asked for its collectives. Throws UserError
  /// "the saved state has ...".
  void Load(StateReader* from, const CallOf& call_of);
  /// Checks a loaded state. `actions`: what was asked for with NpuActions::At() and is to come.
  /// Throws as Load().
  void Check(const std::vector<NpuAction>& actions) const;
  /// Appends where the chunks stand that have begun here (npu_state.cc).
  void AddStands(std::vector<ChunkStand>* to) const;
  std::size_t memory() const;  ///< with sets and early messages [byte]

 private:
  struct Chunk {
    std::uint16_t phase = 0;
    bool running = false;        ///< its phase has started
    std::uint32_t received = 0;  ///< messages of the phase
    Time sent;     ///< when the phase's last message may leave, or the latest one since has come
    Time since;    ///< when it began to wait; while its phase runs, for how long it had waited
    Time posted;   ///< when the phase's last message of its own left
    Time network;  ///< PhaseDelays::network of the phase so far
    std::vector<std::uint32_t> ahead;  ///< numbers of messages that came before their step, sorted
    std::vector<std::uint32_t> lanes;  ///< by phase, of its dimension

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& phase& running& received& sent& since& posted& network& ahead& lanes;
    }
  };
  struct Set {
    CollectiveName name;
    Operation operation = Operation::kAllReduce;
    std::int64_t bytes = 0;
    std::uint32_t dimensions = 0;
    std::int64_t priority = 0;  ///< larger first
    std::uint32_t left = 0;     ///< chunks that have not ended
    std::vector<Chunk> chunks;
    PhasePlan plan;  ///< follows from the above

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& name.operation& name.group& name
          .job& operation& bytes& dimensions& priority& left& chunks;
    }
  };
  /// A chunk that waits: in the ready list, or for a lane.
  struct Waiting {
    std::int64_t priority = 0;
    std::uint32_t set = 0, chunk = 0;

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& priority& set& chunk;
    }
  };
  struct LaneQueue {
    std::uint32_t running = 0;
    std::vector<Waiting> waiting;  ///< the next one first

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& running& waiting;
    }
  };
  /// Job, operation, group, chunk, phase.
  using Early =
      std::tuple<std::uint16_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

  /// Packs a name into one number: 12 bits of job, 32 of operation and 20 of group, if they fit.
  static std::uint64_t KeyOf(std::uint16_t job, std::uint32_t operation, std::uint32_t group) {
    return std::uint64_t{job} << 52 ^ std::uint64_t{operation} << 20 ^ group;
  }
  class Places;

  /// Fills a loaded set's plan, after a check against its call.
  void LoadPlan(Set* set, const CallOf& call_of) const;
  /// Removes a set that has ended.
  void Forget(std::uint32_t set);
  /// Gives each chunk its lane in every phase, the lanes of a dimension or half in turn.
  void ChooseLanes(Set* set);
  /// Inserts by priority, larger first; before or after equal ones, as phases.equal says.
  void Insert(std::vector<Waiting>* list, const Waiting& chunk) const;
  /// Issues chunks from the ready list while fewer than the threshold are in their first phase.
  void Dispatch(Time now);
  /// Starts the chunk's phase, or queues it if its lane has as many chunks as it may.
  void Enter(std::uint32_t set, std::uint32_t chunk, Time now);
  /// Starts the phase: posts its first messages after the endpoint delay, and counts those that
  /// came early.
  void Start(std::uint32_t set, std::uint32_t chunk, Time now);
  /// Reports the phase's delays and enters the next phase, or ends the chunk and with the last one
  /// the set; then frees the lane.
  void EndPhase(std::uint32_t set, std::uint32_t chunk, Time now);
  /// Starts waiting chunks while the lane has room.
  void StartNext(std::uint32_t lane, Time now);
  /// Counts a message of the phase that runs. One of a later step is kept until its turn.
  void Arrive(std::uint32_t set, std::uint32_t chunk, std::uint32_t number, Time when);
  /// Counts a message of the step that the chunk awaits, and sends what follows it after the
  /// endpoint delay and the addition.
  void Take(std::uint32_t set, std::uint32_t chunk, std::uint32_t number, Time when);
  /// Posts messages begin, ..., begin + count - 1 of the chunk's phase, which may start at `start`.
  void Send(const Set& set, std::uint32_t chunk, std::uint32_t begin, std::uint32_t count,
            Time start);
  /// Whether all messages of the chunk's phase have come.
  bool HasAll(const Set& set, std::uint32_t chunk) const;
  /// Returns the number of the chunk's lane in its phase, among those of all dimensions.
  std::uint32_t LaneOf(const Set& set, std::uint32_t chunk) const;
  Time EndpointDelay(const PlannedPhase& phase) const;  ///< of the first dimension, or of others

  const PhasePlanner& planner_;
  NodeId npu_;
  NpuActions* actions_;
  std::map<std::uint32_t, Set> sets_;  ///< by the order of their calls
  FlatMap numbers_;                    ///< of sets, by KeyOf their names
  std::uint32_t next_set_ = 0;
  std::vector<Waiting> ready_;
  std::vector<LaneQueue> lanes_;      ///< by number of the lane
  std::vector<std::uint32_t> turns_;  ///< by dimension, and half: lane of the next chunk
  std::uint32_t in_first_phase_ = 0;  ///< chunks
  std::map<Early, std::vector<std::uint32_t>> early_;  ///< numbers, of phases that have not started
};

}  // namespace heddle
