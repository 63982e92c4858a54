// SPDX-License-Identifier: GPL-2.0-only
/// Options that the plans of a run set: what a step's lines do not say, such as the order of its
/// pipeline.
///
/// An option that the user sets by its own key, in a file, a variable or a flag, keeps the user's
/// value. Options hold for all jobs of a run, so two plans may not say different things.
#pragma once

#include <string>
#include <vector>

#include "core/app/run/arguments/run_arguments.h"
#include "core/options/options.h"
#include "io/plan/resolve_plan.h"

namespace heddle {

/// The outcome.
struct AppliedPlans {
  std::vector<std::string> set;      ///< KEY=VALUE
  std::vector<std::string> kept;     ///< KEY=VALUE, given by the user where a plan has another
  std::vector<std::string> unknown;  ///< keys that `options` does not have

  /// Returns "pipeline.schedule=zb-h1; given: experts.form=rank": one line without its end, empty
  /// if no plan has anything to set.
  std::string Describe() const;
};

/// Sets what one plan says, unless the user has. `name` begins messages: the plan's file. Throws
/// UserError for values that the options do not take.
void ApplyPlan(const StepPlan& plan, const std::string& name, OptionSet* options,
               AppliedPlans* applied);

/// Sets what the plans of a run's jobs say. Call it when files, variables and flags have been
/// applied. Throws UserError if two plans differ, and as ReadPlan() and ApplyPlan() do.
AppliedPlans ApplyPlans(const RunArguments& run, OptionSet* options);

/// Checks that a plan's schedule is legal for its sizes, and that options take what it says,
/// without a run. Returns how many micro-batches' activations a stage holds at most, in those of a
/// whole stage, as the schedule's table has it; 0 without stages. Throws UserError.
double CheckPlanOptions(const StepPlan& plan, const std::string& name);

}  // namespace heddle
