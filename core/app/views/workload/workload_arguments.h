// SPDX-License-Identifier: GPL-2.0-only
/// Flags of `heddle workload`, and the plan that they stand for.
#pragma once

#include <string>
#include <vector>

#include "io/plan/resolve_plan.h"

namespace heddle {

struct WorkloadArguments {
  std::string family;                 ///< "gpt", "moe", or a plan file
  PlanRequest request;                ///< what the flags say
  std::vector<std::string> replaced;  ///< KEY=VALUE, in place of keys of the plan file
  bool as_plan = false;               ///< the plan is written, not the step
  std::string output = "-";
  bool force = false;
};

/// Returns false if help was asked for (and printed). Throws UsageError.
bool ParseWorkloadArguments(const std::vector<std::string>& arguments, WorkloadArguments* given);

/// Returns the command line as the end of the file says it.
std::string WorkloadCommandText(const std::vector<std::string>& arguments);

/// Returns what is asked for, by flags or by a plan file. Throws UsageError for an unknown family
/// or a model of another one, UserError for the file.
PlanRequest RequestOf(const WorkloadArguments& given);

/// Returns the plan of RequestOf(given). Throws UsageError for names and flags that do not fit
/// together, UserError for values and the table of compute times.
StepPlan PlanOf(const WorkloadArguments& given, const PlanRequest& request);

}  // namespace heddle
