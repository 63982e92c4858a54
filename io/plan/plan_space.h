// SPDX-License-Identifier: GPL-2.0-only
/// All legal divisions of a step over its GPUs.
#pragma once

#include <cstdint>
#include <vector>

#include "io/plan/resolve_plan.h"

namespace heddle {

/// What divisions may have.
struct PlanSpace {
  std::int64_t most_tensor = 8;       ///< GPUs of a TP group: those of a server
  std::int64_t most_micro_batch = 8;  ///< sequences; powers of two are tried
};

/// The plans that can be run, and how many could not.
struct PlanChoices {
  std::vector<StepPlan> plans;        ///< in the order of TP, PP, EP, micro-batch
  std::vector<PlanRequest> requests;  ///< of the plans, by which they can be written
  std::int64_t tried = 0;             ///< legal or not
  std::int64_t too_large = 0;         ///< legal, but beyond the memory of a GPU
  double least_memory = 0;            ///< of those, of the smallest [byte]; 0: none was too large
};

/// Tries every TP, PP, EP and micro-batch that divides what it must; all else is the request's. A
/// size above 1 that the request gives is kept. Requires GPUs and a global batch. Throws UsageError
/// and UserError for what no division mends, such as an unknown model.
PlanChoices FindPlans(const PlanRequest& request, const PlanSpace& space);

/// Returns the floating point operations of the model in a step, all GPUs together: for each token
/// 6 for each parameter that it is multiplied with, and for attention 6 x layers x sequence x
/// numbers of all heads (Chowdhery et al., "PaLM", 2022, appendix B, with half of the pairs, as
/// attention is causal).
double ModelOperations(const ModelShape& shape, const ParallelPlan& plan);

}  // namespace heddle
