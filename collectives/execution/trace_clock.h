// SPDX-License-Identifier: GPL-2.0-only
/// The program of one GPU as a graph (collectives/graph/graph_program.h): which nodes run when.
///
/// Source: ASTRA-sim 2's replay of Chakra's traces. A node is free when all that it waits for have
/// ended. At the job's start and whenever something has ended, free nodes are tried in the order of
/// their indices. The CPU computes one node at a time, the GPU one, remote memory serves one. Nodes
/// that communicate start when they are free, or one at a time (GraphProgram::one_communication);
/// nodes that receive always start when they are free.
///
/// In memory are the nodes that are free or have started, and those that wait for some of what they
/// waited for at first. The others have not been touched or have ended, and need no state.
///
/// The clock lags the domain's clock by ExecutionContext::graph_lag: what happens at T runs when
/// the domain is at T plus the lag, when all that has happened until T is known. What follows is
/// issued at T; no time depends on the lag.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "collectives/execution/collective_runner.h"
#include "collectives/execution/execution_context.h"
#include "collectives/execution/program_clock.h"
#include "collectives/graph/graph_window.h"
#include "core/containers/flat_map.h"

namespace heddle {

class TraceClock final : public ProgramClock {
 public:
  /// `runner`: of the same GPU. Both must outlive it, and `context` be complete.
  TraceClock(ExecutionContext* context, CollectiveRunner* runner, WakeCall wake);

  /// Starts what waits for nothing, at the job's start.
  void Begin() override;
  void Woken(Time now) override;
  /// Adds the time since `issued` to the node's layer.
  void Ended(std::uint32_t operation, Time issued, Time at) override;
  /// Lets the node's end happen at `at`, when the lag has passed.
  void MayGoOn(std::uint32_t operation, Time at) override;

  bool finished() const override { return done_; }  ///< all nodes have ended
  /// Describes what the program waits for: "a receive from 3, tag 7, node 812 of trace.5.et; ...".
  std::string Waiting() const override;
  std::size_t memory() const override;

  /// Writes the nodes' states, events and layers for a checkpoint (graph_state.cc).
  void SavePosition(StateWriter* to) const override;
  void LoadPosition(StateReader* from) override;
  std::vector<Time> wakes() const override { return {wakes_.rbegin(), wakes_.rend()}; }

 private:
  static constexpr std::uint32_t kNobody = ~0U;
  enum Slot { kCpuSlot, kGpuSlot, kMemorySlot, kCommunicationSlot, kSlots, kNoSlot };

  struct Event {
    Time time;
    std::uint32_t node = 0;  ///< that ends

    bool operator<(const Event& other) const {
      return time != other.time ? time < other.time : node < other.node;
    }
    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& time& node;
    }
  };

  /// A node that is free, or has started and not ended.
  struct Live {
    GraphNode node;
    bool started = false;
  };

  /// Returns a node that is free or has started.
  const GraphNode& NodeAt(std::uint32_t node) const { return live_.at(node).node; }
  /// Makes a node free.
  void Free(std::uint32_t node);
  /// Returns what a node occupies while it runs; kNoSlot: nothing.
  Slot SlotOf(const GraphNode& node) const;
  /// Runs events until this time of the program, and starts what becomes free.
  void RunUntil(Time until);
  /// Starts all free nodes that find their slots empty, and what follows at the same time.
  void StartFree(Time at);
  /// Starts a node: issues it, or sets the event of its end. Throws Error for an end beyond
  /// kEndOfTime.
  void Start(std::uint32_t node, Time at);
  /// Ends a node: empties its slot and frees followers that wait for nothing else. It is live no
  /// longer.
  void End(std::uint32_t node, Time at);
  /// Asks for a call of Woken() for the first event, unless one comes by then.
  void WakeForNext();
  /// Records the program's end once all nodes have ended.
  void FinishIfDone();
  /// Adds the program's end to the context's finishes.
  void RecordFinish();
  /// Adds an interval of the time line, if the context records it.
  void AddStep(StepRecord::Kind kind, const GraphNode& node, Time start, Time end);
  /// Counts the time since until_ as waited for, if nodes communicate and none computes.
  void CountWait(Time at);
  /// Returns the record of the node's name, a new one if need be.
  LayerRecord& LayerOf(const GraphNode& node);
  /// Describes what a node does, in words for an error message.
  std::string Describe(const GraphNode& node) const;
  /// Checks waits, wakes and events of a loaded state against the graph. Throws UserError.
  void CheckLoaded();
  /// Checks that what is live, what waits and what has ended of a loaded state fit the graph.
  /// Throws UserError.
  void CheckFrontier();
  /// Fills free nodes, slots and what communicates from the loaded states of nodes. Throws
  /// UserError.
  void FindStarted();
  /// Replaces this GPU's layer records by saved ones. Throws UserError for a name that no node has.
  void LoadLayers(StateReader* from);

  ExecutionContext* context_;
  CollectiveRunner* runner_;
  PlacedJob& job_;
  const GraphProgram& graph_;
  const GraphRank& rank_;
  GraphWindow window_;
  WakeCall wake_;
  FlatMap waits_;  ///< by node that waits for some, not all, of what it waited for: for how many
  std::map<std::uint32_t, Live> live_;              ///< by node
  std::set<std::uint32_t> free_;                    ///< nodes
  std::uint32_t slots_[kSlots];                     ///< the node in each
  std::uint32_t open_ = kNobody;                    ///< kOpen that has ended and keeps its slot
  std::map<std::uint32_t, std::uint32_t> started_;  ///< nodes that communicate, by operation
  std::map<std::uint32_t, std::size_t> layers_;     ///< of the context, by name of nodes
  std::set<Event> events_;
  std::vector<Time> wakes_;  ///< asked for and not yet come, descending
  Time until_;               ///< all before has run
  Time end_;                 ///< latest end of a node
  std::uint64_t ended_ = 0;  ///< nodes
  bool running_ = false, done_ = false;
};

}  // namespace heddle
