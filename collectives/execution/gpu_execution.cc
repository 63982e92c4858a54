// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/execution/gpu_execution.h"

#include <utility>

#include "collectives/execution/step_clock.h"
#include "collectives/execution/trace_clock.h"

namespace heddle {

GpuExecution::GpuExecution(ExecutionContext* context, FlowPoster* port, std::uint32_t job,
                           std::uint32_t rank, ProgramClock::WakeCall wake)
    : runner_(context, port, job, rank, this) {
  if (runner_.job().job().program.graph != nullptr) {
    clock_ = std::make_unique<TraceClock>(context, &runner_, std::move(wake));
  } else {
    clock_ = std::make_unique<StepClock>(context, &runner_);
  }
}

void GpuExecution::Save(StateWriter* to) const {
  clock_->SavePosition(to);
  runner_.SaveQueues(to);
  clock_->SaveSums(to);
  runner_.SaveParts(to);
}

void GpuExecution::Load(StateReader* from) {
  clock_->LoadPosition(from);
  runner_.LoadQueues(from);
  clock_->LoadSums(from);
  runner_.LoadParts(from);
}

}  // namespace heddle
