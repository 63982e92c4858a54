// SPDX-License-Identifier: GPL-2.0-only
/// Where the time of a job's step went, by cause: computing, what its GPUs only waited for by type
/// of group, other pipeline stages, GPUs that had ended. The parts add up to the step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/analysis/result_view.h"
#include "io/analysis/step_time.h"

namespace heddle {

/// A part of a step [ps]: a mean over the GPUs of the job.
struct StepShare {
  std::string name;   ///< "computing", "exposed TP", "waiting for other stages", ...
  std::string group;  ///< "TP" of "exposed TP"; empty: it is no communication of a group
  double ps = 0;
};

/// Reads tables "jobs", "ranks" and "layers", which the result must have.
StepTimes ReadStepTimes(const ReportSource& source);

/// Returns the parts of a job's time from its start to its end, which they add up to. All parts,
/// also those of 0, in one order for all results. `time`: of the same job, which has ended.
std::vector<StepShare> StepSharesOf(const ReportSource& source, std::uint32_t job,
                                    const StepTime& time);

}  // namespace heddle
