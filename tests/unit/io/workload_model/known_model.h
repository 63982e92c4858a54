// SPDX-License-Identifier: GPL-2.0-only
/// Models and steps for the tests of this folder.
#pragma once

#include <string>

#include "core/base/check.h"
#include "io/workload_model/step_workload.h"

namespace heddle {

/// Throws UserError for an unknown name.
inline ModelShape KnownModel(const std::string& name) {
  for (const ModelShape& shape : KnownModels()) {
    if (shape.name == name) return shape;
  }
  throw UserError("no model " + name);
}

/// A plan with one micro-batch for each replica.
inline ParallelPlan PlanFor(std::int64_t gpus, std::int64_t tensor, std::int64_t pipeline = 1) {
  ParallelPlan plan;
  plan.gpus = gpus;
  plan.tensor = tensor;
  plan.pipeline = pipeline;
  plan.global_batch = plan.data();
  return plan;
}

inline Workload StepOn(const ModelShape& shape, const ParallelPlan& plan) {
  StepSpeed speed;
  speed.gpu = {"H100", 989.4, 3350};
  return MakeStepWorkload(shape, plan, speed);
}

}  // namespace heddle
