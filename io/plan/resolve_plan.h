// SPDX-License-Identifier: GPL-2.0-only
/// The model, the division over GPUs and the speed that a request stands for.
#pragma once

#include <string>
#include <vector>

#include "io/plan/plan_request.h"

namespace heddle {

/// An option of a run that a plan sets.
struct PlanSetting {
  std::string key;            ///< of the plan: "schedule"
  std::string option, value;  ///< "pipeline.schedule", "zb-h1"
};

/// A step that can be written.
struct StepPlan {
  ModelShape shape;
  ModelShape whole;  ///< the same with all its layers, if only some are written
  ParallelPlan parallel;
  StepSpeed speed;
  /// What the step's lines do not say: the order of its pipeline, and which experts tokens choose.
  std::vector<PlanSetting> settings;
  std::vector<std::string> notes;  ///< what was chosen for the user, and what is not as asked

  /// Whether only some of the model's layers are written.
  bool is_part() const { return shape.layers != whole.layers; }
};

/// Fills in what the request leaves open, and reads its table of compute times. Throws UsageError
/// for names and flags that do not fit together, UserError for values and the table; messages name
/// flags of `heddle workload`.
StepPlan ResolvePlan(const PlanRequest& given);

/// Whether the speed of GPUs of this type is known, whatever the capitals.
bool IsKnownGpu(const std::string& type);
/// Returns a note that a plan's GPUs are others than the fabric's; empty if they are the same, or
/// if nobody knows the fabric's. `of_plan`: the type; empty: kUsualGpu.
std::string OtherGpuNote(const std::string& of_plan, const std::string& of_fabric);

}  // namespace heddle
