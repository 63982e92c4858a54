// SPDX-License-Identifier: GPL-2.0-only
/// One GPU of a job: the clock of its program, a list of steps or a graph, and the runner of its
/// collectives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collectives/execution/collective_runner.h"
#include "collectives/execution/execution_context.h"
#include "collectives/execution/step_clock.h"
#include "collectives/execution/trace_clock.h"

namespace heddle {

class NodeNames;  // topology/graph/node_names.h

/// Neither copied nor moved, as its parts know each other.
class GpuExecution final : private ProgramClock {
 public:
  /// `rank`: the GPU's rank of the job. `context` and `port` must outlive it. `wake`: of programs
  /// that are graphs, for calls of Woken().
  GpuExecution(ExecutionContext* context, FlowPoster* port, std::uint32_t job, std::uint32_t rank,
               TraceClock::WakeCall wake = nullptr)
      : runner_(context, port, job, rank, this) {
    if (context->jobs[job]->job().program.graph != nullptr) {
      graph_.emplace(context, &runner_, std::move(wake));
    } else {
      steps_.emplace(context, &runner_);
    }
  }
  GpuExecution(const GpuExecution&) = delete;
  GpuExecution& operator=(const GpuExecution&) = delete;

  /// Starts the program at the job's start; messages may be posted.
  void Begin() { graph_ ? graph_->Begin() : steps_->Begin(); }
  /// Whether the program has ended; it is then among the context's finishes.
  bool finished() const { return graph_ ? graph_->finished() : steps_->finished(); }
  /// Runs what is due at `now`; only graphs ask for it.
  void Woken(Time now) { graph_->Woken(now); }
  /// Returns the calls of Woken() that were asked for, ascending.
  std::vector<Time> wakes() const { return graph_ ? graph_->wakes() : std::vector<Time>(); }
  /// Returns the runner, which is to be notified of messages and of ends of collectives.
  CollectiveRunner& runner() { return runner_; }
  const CollectiveRunner& runner() const { return runner_; }
  /// Describes what an unfinished GPU waits for (gpu_waiting.cc).
  std::string Waiting(const NodeNames& names) const;
  /// Memory in bytes, itself included.
  std::size_t memory() const {
    return sizeof(*this) + runner_.memory() + (graph_ ? graph_->memory() : steps_->memory());
  }

  /// Saves the position in the program, participations in progress, and the sums of this GPU's
  /// layers (execution_state.cc).
  void Save(StateWriter* to) const;
  /// Replaces the state by a saved one, after Begin(). A GPU that had finished is then among the
  /// context's finishes.
  void Load(StateReader* from);

 private:
  /// Passes the end on to the program.
  void Ended(std::uint32_t operation, Time issued, Time at) override {
    graph_ ? graph_->Ended(operation, issued, at) : steps_->Ended(operation, issued, at);
  }
  /// Passes the permission on to the program.
  void MayGoOn(std::uint32_t operation, Time at) override {
    graph_ ? graph_->MayGoOn(operation, at) : steps_->MayGoOn(operation, at);
  }

  CollectiveRunner runner_;
  std::optional<StepClock> steps_;
  std::optional<TraceClock> graph_;  ///< in place of steps_
};

}  // namespace heddle
