// SPDX-License-Identifier: GPL-2.0-only
/// What a GPU computes and sends in a step, from its workload.
#pragma once

#include <array>
#include <cstdint>

#include "io/workload_model/parallel_plan.h"

namespace heddle {

/// The communication of one GPU in the groups of one type.
struct GroupTraffic {
  std::int64_t collectives = 0;
  double buffer_bytes = 0;  ///< of the collectives, NCCL's full buffers
  double sent_bytes = 0;    ///< by each GPU: of a ring; of an AllToAll directly
};

struct StepSummary {
  std::int64_t lines = 0;
  double compute_seconds = 0;
  std::array<GroupTraffic, kGroupTypes> groups;  ///< by GroupType

  const GroupTraffic& of(GroupType group) const { return groups[static_cast<std::size_t>(group)]; }
};

/// Sums up what a GPU of a stage does in a step of all micro-batches. PP: activations to the next
/// stage and gradients back, of a stage that sends most.
StepSummary Summarize(const Workload& workload, const ParallelPlan& plan, PipelinePart part);
/// The same of the stage that computes longest.
StepSummary Summarize(const Workload& workload, const ParallelPlan& plan);

}  // namespace heddle
