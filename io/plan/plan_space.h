// SPDX-License-Identifier: GPL-2.0-only
/// All legal divisions of a step over its GPUs, and the pipeline schedules that each may have.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/plan/resolve_plan.h"
#include "io/workload_model/memory_use.h"

namespace heddle {

/// A pipeline schedule that plans with stages may have. Its order is known to others.
struct ScheduleChoice {
  std::string name;  ///< of the plan's key: "1f1b", "file:NAME"
  /// Chunks of a stage's layers: all divisors of these between the two are tried, which are the
  /// plan's VPP. 1: the schedule's own number, if it has chunks.
  std::int64_t least_chunks = 1, most_chunks = 1;
  bool takes_chunks() const { return most_chunks > 1; }  ///< whether a plan may say their number
  /// Returns what it holds with this plan's stages, micro-batches and chunks. Throws UserError if
  /// it is not legal for them.
  std::function<StageLoad(const ParallelPlan&)> load = UsualLoad;
};

/// Positions that a rank keeps where a search chooses CP: half of the 8,192 from which on Megatron
/// Core's guide to MoE training advises CP.
constexpr std::int64_t kUsualPositions = 4096;

/// What divisions may have.
struct PlanSpace {
  std::int64_t most_tensor = 8;  ///< GPUs of a TP group: those of a server
  /// Ranks of a CP group; 0: as many as leave kUsualPositions to each, beyond which attention no
  /// longer hides what they exchange.
  std::int64_t most_context = 0;
  std::int64_t most_micro_batch = 8;       ///< sequences; powers of two are tried
  double most_memory = kUsualMemoryShare;  ///< share of a GPU's memory, in (0, 1]
  std::vector<ScheduleChoice> schedules = {{"1f1b"}};
};

/// A plan that can be run.
struct FoundPlan {
  StepPlan plan;
  PlanRequest request;   ///< by which it can be written; it says its schedule
  std::string schedule;  ///< empty: it has one stage
  MemoryUse memory;      ///< with its schedule
};

/// A plan that cannot.
struct RefusedPlan {
  PlanRequest request;
  std::string schedule;  ///< as above
  std::string why;       ///< in the names of keys: "tp: found 8, which ..."
};

struct PlanChoices {
  std::vector<FoundPlan> plans;  ///< in the order of TP, CP, PP, EP, micro-batch, schedule, VPP
  std::vector<RefusedPlan> refused;
  std::int64_t tried = 0;      ///< legal or not
  std::int64_t too_large = 0;  ///< legal, but beyond PlanSpace::most_memory
  double least_memory = 0;     ///< of those, of the smallest [byte]; 0: none was too large
};

/// Tries every TP, CP and PP that divide the GPUs, every EP that experts and replicas have in
/// common, each micro-batch, and with stages each schedule; all else is the request's, but for the
/// micro-batches in a row of schedules that have none. A size above 1 that the request gives is
/// kept, and its VPP is tried even if it is more than a schedule's most; a schedule without chunks
/// refuses it. The request's schedule is not kept: `space` has them. Requires GPUs and a global
/// batch. Throws UsageError and UserError for what no division mends, such as an unknown model.
PlanChoices FindPlans(const PlanRequest& request, const PlanSpace& space);

/// Returns the floating point operations of the model in a step, all GPUs together: for each token
/// 6 for each parameter that it is multiplied with, and for attention 6 x layers x sequence x
/// numbers of all heads (Chowdhery et al., "PaLM", 2022, appendix B, with half of the pairs, as
/// attention is causal).
double ModelOperations(const ModelShape& shape, const ParallelPlan& plan);

}  // namespace heddle
