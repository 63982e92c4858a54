// SPDX-License-Identifier: GPL-2.0-only
/// The step that `heddle analytical` is asked for: its inputs, read and checked, and its time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/closed_form/step_time.h"
#include "collectives/pipeline/pipeline_options.h"
#include "core/app/studies/analytical/step_arguments.h"
#include "core/app/studies/analytical/step_fabric.h"
#include "core/traffic/workload.h"

namespace heddle {

struct StepStudy {
  Workload workload;
  ParallelGroups groups;
  GpuRates rates;
  double unit = 1e9;                         ///< bytes of a GB
  std::unique_ptr<Calibration> calibration;  ///< of a file; null: none
  std::unique_ptr<StepFabric> fabric;        ///< of -n; null: bandwidths are flags'
  PredictedStep step;
  std::vector<std::string> warnings;
  std::optional<PipelineOptions> schedule;  ///< none: one stage, or interleaved by vpp
};

/// Throws UserError with file and line, or the flag: for types without a bandwidth, groups that do
/// not divide the GPUs, and what the readers refuse.
StepStudy StudyStep(const StepArguments& given);

}  // namespace heddle
