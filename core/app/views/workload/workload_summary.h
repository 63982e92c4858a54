// SPDX-License-Identifier: GPL-2.0-only
/// What `heddle workload` prints about the step that it wrote.
#pragma once

#include <string>

#include "io/plan/resolve_plan.h"

namespace heddle {

/// Model, groups, computing and bytes of a step; what a part of the layers changes; and the command
/// to run next. `file`: where `workload` went, for the command.
std::string WorkloadSummary(const StepPlan& request, const Workload& workload,
                            const std::string& file);

/// Returns what a plan sets of a run's options: "pipeline.schedule=zb-h1, experts.form=server";
/// empty: nothing.
std::string SettingsText(const StepPlan& request);

}  // namespace heddle
