// SPDX-License-Identifier: GPL-2.0-only
/// One GPU of a job: the clock of its program and the runner of its collectives.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectives/execution/collective_runner.h"
#include "collectives/execution/execution_context.h"
#include "collectives/execution/program_clock.h"

namespace heddle {

class NodeNames;  // topology/graph/node_names.h

/// Neither copied nor moved, as its parts know each other.
class GpuExecution final : private OperationReports {
 public:
  /// Makes the clock that the job's program needs: of a graph, or of a list of steps. `rank`: the
  /// GPU's rank of the job. `context` and `port` must outlive it. `wake`: for calls of Woken(), of
  /// programs that ask for them.
  GpuExecution(ExecutionContext* context, FlowPoster* port, std::uint32_t job, std::uint32_t rank,
               ProgramClock::WakeCall wake = nullptr);
  GpuExecution(const GpuExecution&) = delete;
  GpuExecution& operator=(const GpuExecution&) = delete;

  /// Starts the program at the job's start; messages may be posted.
  void Begin() { clock_->Begin(); }
  /// Whether the program has ended; it is then among the context's finishes.
  bool finished() const { return clock_->finished(); }
  /// Runs what is due at `now`, which the program asked for.
  void Woken(Time now) { clock_->Woken(now); }
  /// Returns the calls of Woken() that were asked for, ascending.
  std::vector<Time> wakes() const { return clock_->wakes(); }
  /// Returns the runner, which is to be notified of messages and of ends of collectives.
  CollectiveRunner& runner() { return runner_; }
  const CollectiveRunner& runner() const { return runner_; }
  /// Describes what an unfinished GPU waits for (gpu_waiting.cc).
  std::string Waiting(const NodeNames& names) const;
  /// Memory in bytes, itself included.
  std::size_t memory() const { return sizeof(*this) + runner_.memory() + clock_->memory(); }

  /// Saves the position in the program, participations in progress, and the sums of this GPU's
  /// layers.
  void Save(StateWriter* to) const;
  /// Replaces the state by a saved one, after Begin(). A GPU that had finished is then among the
  /// context's finishes.
  void Load(StateReader* from);

 private:
  /// Passes the end on to the program.
  void Ended(std::uint32_t operation, Time issued, Time at) override {
    clock_->Ended(operation, issued, at);
  }
  /// Passes the permission on to the program.
  void MayGoOn(std::uint32_t operation, Time at) override { clock_->MayGoOn(operation, at); }

  CollectiveRunner runner_;
  std::unique_ptr<ProgramClock> clock_;
};

}  // namespace heddle
