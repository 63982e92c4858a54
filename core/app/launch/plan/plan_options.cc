// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/plan/plan_options.h"

#include <fmt/format.h>

namespace heddle {
namespace {

/// Tables say themselves how many experts and tokens there are.
bool DrawsExperts(const ModelShape& shape, const ExpertOptions& experts) {
  return shape.has_experts() && experts.on() && experts.table.empty();
}

}  // namespace

CollectiveOptions OptionsOf(const FoundPlan& found, CollectiveOptions options) {
  const StepPlan& plan = found.plan;
  if (!found.schedule.empty()) options.pipeline.schedule = found.schedule;
  if (!found.schedule.empty() && plan.parallel.virtual_pipeline > 1)
    options.pipeline.chunks = plan.parallel.virtual_pipeline;
  ExpertOptions& experts = options.experts;
  if (!DrawsExperts(plan.shape, experts)) return options;
  experts.count = plan.shape.experts;
  experts.top_k = plan.shape.top_k;
  // Sequence parallelism, which models with experts have, divides them.
  experts.tokens = TokensOf(plan.shape, plan.parallel) / plan.parallel.tensor;
  return options;
}

std::vector<std::string> SettingsOf(const FoundPlan& found, const CollectiveOptions& options) {
  const CollectiveOptions of_plan = OptionsOf(found, options);
  std::vector<std::string> settings;
  const auto add = [&](const char* key, const auto& value, const auto& usual) {
    if (value != usual) settings.push_back(fmt::format("{}={}", key, value));
  };
  add("pipeline.schedule", of_plan.pipeline.schedule, options.pipeline.schedule);
  add("pipeline.chunks", of_plan.pipeline.chunks, options.pipeline.chunks);
  if (of_plan.pipeline.schedule == "interleaved" && settings.size() == 1)
    settings.push_back(fmt::format("pipeline.chunks={}", of_plan.pipeline.chunks));
  add("experts.count", of_plan.experts.count, options.experts.count);
  add("experts.top_k", of_plan.experts.top_k, options.experts.top_k);
  add("experts.tokens", of_plan.experts.tokens, options.experts.tokens);
  return settings;
}

}  // namespace heddle
