// SPDX-License-Identifier: GPL-2.0-only
/// The program of one GPU as a graph (collectives/program/graph_program.h): which nodes run when.
///
/// Source: ASTRA-sim 2's replay of Chakra's traces. A node is free when all that it waits for have
/// ended. At the job's start and whenever something has ended, free nodes are tried in the order of
/// their indices. The CPU computes one node at a time, the GPU one, remote memory serves one. Nodes
/// that communicate start when they are free, or one at a time (GraphProgram::one_communication);
/// those that receive always start when they are free.
///
/// The clock is behind the domain's clock by ExecutionContext::graph_lag: what happens at T runs
/// when the domain is at T plus the lag, when all that has happened until T is known. What follows
/// is issued at T; no time depends on the lag.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "collectives/execution/collective_runner.h"
#include "collectives/execution/execution_context.h"
#include "collectives/execution/program_clock.h"
#include "collectives/program/graph_program.h"

namespace heddle {

class TraceClock final : public ProgramClock {
 public:
  /// Asks for a call of Woken() at this time of the domain's clock.
  using WakeCall = std::function<void(Time)>;

  /// `runner`: of the same GPU. Both must outlive it, and `context` be complete.
  TraceClock(ExecutionContext* context, CollectiveRunner* runner, WakeCall wake);

  /// Starts what waits for nothing, at the job's start.
  void Begin();
  /// The domain's clock is at `now`, which was asked for.
  void Woken(Time now);
  void Ended(std::uint32_t operation, Time issued, Time at) override;
  void MayGoOn(std::uint32_t operation, Time at) override;

  /// Whether all nodes have ended; it is then among the context's finishes.
  bool finished() const { return done_; }
  /// What the program waits for: "a receive from 3, tag 7, node 812 of trace.5.et; ...".
  std::string Waiting() const;
  /// Memory in bytes, itself included.
  std::size_t memory() const;

  /// For checkpoints (graph_state.cc). Load() comes after Begin(), and throws UserError for what no
  /// run of this program can have saved.
  void Save(StateWriter* to) const;
  void Load(StateReader* from);
  /// The calls of Woken() that were asked for, ascending.
  std::vector<Time> wakes() const { return {wakes_.rbegin(), wakes_.rend()}; }

 private:
  /// Instead of a number of waits: it is free, it has started, it has ended.
  static constexpr std::uint32_t kFree = ~2U, kStarted = ~1U, kEnded = ~0U;
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

  const GraphNode& NodeAt(std::uint32_t node) const { return rank_.nodes[node]; }
  Slot SlotOf(const GraphNode& node) const;
  void RunUntil(Time until);
  /// Starts all free nodes that find their slots empty, and what follows at the same time.
  void StartFree(Time at);
  void Start(std::uint32_t node, Time at);
  void End(std::uint32_t node, Time at);
  void WakeForNext();
  void FinishIfDone();
  void RecordFinish();
  void AddStep(StepRecord::Kind kind, const GraphNode& node, Time start, Time end);
  /// Counts the time since until_ as waited for, if only communication is under way.
  void CountWait(Time at);
  LayerRecord& LayerOf(const GraphNode& node);
  std::string Describe(const GraphNode& node) const;
  void CheckLoaded() const;
  void FindStarted();
  void LoadLayers(StateReader* from);

  ExecutionContext* context_;
  CollectiveRunner* runner_;
  PlacedJob& job_;
  const GraphProgram& graph_;
  const GraphRank& rank_;
  WakeCall wake_;
  std::vector<std::uint32_t> waits_;                ///< by node
  std::set<std::uint32_t> free_;                    ///< nodes
  std::uint32_t slots_[kSlots];                     ///< the node in each
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
