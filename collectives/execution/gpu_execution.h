// SPDX-License-Identifier: GPL-2.0-only
/// One GPU of a job: the clock of its program and the runner of its collectives.
#pragma once

#include <cstdint>

#include "collectives/execution/collective_runner.h"
#include "collectives/execution/execution_context.h"
#include "collectives/execution/step_clock.h"

namespace heddle {

/// Neither copied nor moved, as its two parts know each other.
class GpuExecution {
 public:
  /// `rank`: the GPU's rank of the job. `context` and `port` must outlive it.
  GpuExecution(ExecutionContext* context, FlowPoster* port, std::uint32_t job, std::uint32_t rank)
      : runner_(context, port, job, rank, &clock_), clock_(context, &runner_) {}
  GpuExecution(const GpuExecution&) = delete;
  GpuExecution& operator=(const GpuExecution&) = delete;

  void Begin() { clock_.Begin(); }
  bool finished() const { return clock_.finished(); }
  /// Hears of messages and of ends of collectives.
  CollectiveRunner& runner() { return runner_; }
  const CollectiveRunner& runner() const { return runner_; }
  /// Memory in bytes, itself included.
  std::size_t memory() const { return runner_.memory() + clock_.memory(); }

  /// Saves the position in the program, what is under way, and the sums of this GPU's layers
  /// (execution_state.cc).
  void Save(StateWriter* to) const;
  /// Call it after Begin(). A GPU that had finished is then among the context's finishes.
  void Load(StateReader* from);

 private:
  CollectiveRunner runner_;
  StepClock clock_;
};

}  // namespace heddle
