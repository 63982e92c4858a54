// SPDX-License-Identifier: GPL-2.0-only
/// What `heddle plan search` prints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/app/launch/plan/priced_plans.h"
#include "io/table/json_document.h"

namespace heddle {

/// The version of the object of --json (docs/formats/json/plan-search.json).
constexpr int kPlanSearchSchema = 1;

/// Returns "plans/tp8_pp4_ep1_mb2_1f1b": what the plan's file and result begin with.
std::string PlanPathOf(const PlanSearchArguments& given, const PricedPlan& plan);

/// Tokens that pass in a second, all GPUs together, at a step of this time.
double TokensPerSecond(const StepPlan& plan, Time step);
/// Share of the GPUs' peak in BF16, whatever the plan's precision (as Zhao et al., "Insights into
/// DeepSeek-V3", ISCA 2025, table 4, count a training in FP8), that the model's operations take in
/// a step of this time.
double ModelUse(const StepPlan& plan, Time step);

/// Illegal plans alike: how many, and what is wrong with one of them.
struct RefusalKind {
  std::string key;  ///< of the plan, or of an option: "tp", "global_batch", "pipeline.schedule"
  std::int64_t count = 0;
  std::string example;
};
/// Counts the refused plans by the key that they were refused for, the most frequent first.
std::vector<RefusalKind> CountRefusals(const std::vector<RefusedPlan>& refused);

/// Says how many plans were tried, and lists the first `count`.
std::string PlanSearchText(const PricedPlans& priced, std::size_t count,
                           const PlanSearchArguments& given);
/// The same as an object.
OrderedJson PlanSearchDocument(const PricedPlans& priced, std::size_t count,
                               const PlanSearchArguments& given);

}  // namespace heddle
