// SPDX-License-Identifier: GPL-2.0-only
/// A training step of a model as a workload that `heddle run` and SimAI run.
///
/// Lines say which part of the pipeline has them: the first stage has the embedding, the last one
/// the output layer and the loss. With ParallelPlan::stages_alike, as in SimAI's text, all GPUs run
/// one stage, which has both. Lines that are run once a step come first and last, those of the
/// micro-batches between them (docs/formats/workload.md, Pipeline stages).
///
/// Sources: Megatron-LM, core 0.13 (which collective is where); Korthikanti et al. 2022 (sequence
/// parallelism); Rajbhandari et al. 2020 (ZeRO 1); AICB's files for the form.
/// Not modelled: AllGathers of a column's input that its weight gradient hides, buckets.
#pragma once

#include "io/workload_model/step_lines.h"

namespace heddle {

struct StepSpeed {
  GpuSpeed gpu;
  double efficiency = kUsualEfficiency, fp8_efficiency = kUsualFp8Efficiency;
  ComputeTable table = {};
};

/// Throws UserError as CheckPlan() does, and for compute times above 11 days.
Workload MakeStepWorkload(const ModelShape& shape, const ParallelPlan& plan,
                          const StepSpeed& speed);

/// Writes the step by the rules kMegatron. The plan was checked.
Workload MegatronStep(const StepModel& model);
Workload AicbStep(const StepModel& model);  ///< likewise by the rules kAicb

}  // namespace heddle
