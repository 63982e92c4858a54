// SPDX-License-Identifier: GPL-2.0-only
/// A step in closed form as the time line of its rank 0, which stands for all ranks: rows forward,
/// then backward, each phase's computing and after it the exposed part of its communication. What
/// is hidden of a communication lies over the computing before it. At the end come the message
/// between stages and the bubble.
#pragma once

#include <vector>

#include "collectives/closed_form/step_time.h"
#include "collectives/execution/execution_records.h"
#include "collectives/program/program.h"
#include "core/records/collective_rows.h"

namespace heddle {

struct StepTimeline {
  std::vector<ProgramOp> ops;         ///< every communication, in the order of time
  std::vector<CollectivePart> parts;  ///< of group 0, one an op
  std::vector<StepRecord> steps;      ///< by start, as table "steps" has them
  std::vector<LayerRecord> layers;    ///< by layer
  Time end;
};

/// `gpu`: of rank 0.
StepTimeline TimelineOf(const Workload& workload, const ParallelGroups& groups,
                        const PredictedStep& step, NodeId gpu);

}  // namespace heddle
