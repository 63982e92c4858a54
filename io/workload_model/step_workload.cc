// SPDX-License-Identifier: GPL-2.0-only
#include "io/workload_model/step_workload.h"

namespace heddle {

Workload MakeStepWorkload(const ModelShape& shape, const ParallelPlan& plan,
                          const StepSpeed& speed) {
  CheckPlan(shape, plan);
  const LayerWork work(shape, plan);
  const StepModel model{
      shape, plan, work,
      ComputeTimes(work, speed.gpu, speed.efficiency, speed.fp8_efficiency, speed.table)};
  return plan.rules == LineRules::kAicb ? AicbStep(model) : MegatronStep(model);
}

}  // namespace heddle
