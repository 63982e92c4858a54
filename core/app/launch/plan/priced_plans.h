// SPDX-License-Identifier: GPL-2.0-only
/// Plans with the times that closed forms give their steps on a fabric.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "collectives/lockstep/lockstep.h"
#include "core/app/launch/plan/plan_arguments.h"
#include "core/base/units.h"

namespace heddle {

/// A plan, and its step on the fabric.
struct PricedPlan {
  FoundPlan found;
  LockstepStage last;  ///< the stage that ends last
  Time checked;        ///< by the backend of --check; 0: not run

  Time end() const { return last.end; }  ///< of the step, by closed forms
};

struct PricedPlans {
  std::vector<PricedPlan> plans;   ///< the fastest first; of equal ones the one with fewer stages
  PlanChoices choices;             ///< how many were tried; its plans have moved to `plans`
  std::vector<std::string> notes;  ///< what was chosen for the user, and what does not fit
};

/// Finds all plans for the GPUs of the fabric, and prices them. `request`: CommonRequest()'s. Calls
/// `progress` before each plan, with its number and how many there are. Throws UserError for a
/// fabric that closed forms do not know, and if there is no plan.
PricedPlans PricePlans(const PlanSearchArguments& given, PlanRequest request,
                       void (*progress)(std::size_t number, std::size_t all));

}  // namespace heddle
