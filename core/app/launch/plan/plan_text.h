// SPDX-License-Identifier: GPL-2.0-only
/// What `heddle plan search` prints.
#pragma once

#include <string>

#include "core/app/launch/plan/priced_plans.h"
#include "io/table/json_document.h"

namespace heddle {

/// The version of the object of --json (docs/formats/json/plan-search.json).
constexpr int kPlanSearchSchema = 1;

/// Tokens that pass in a second, all GPUs together, at a step of this time.
double TokensPerSecond(const StepPlan& plan, Time step);
/// Share of the GPUs' peak that the model's operations take in a step of this time.
double ModelUse(const StepPlan& plan, Time step);

/// Says how many plans were tried, and lists the first `count`.
std::string PlanSearchText(const PricedPlans& priced, std::size_t count, const std::string& check);
/// The same as an object.
OrderedJson PlanSearchDocument(const PricedPlans& priced, std::size_t count,
                               const PlanSearchArguments& given);

}  // namespace heddle
