// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/plans/plan_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "collectives/choice/collective_options.h"
#include "collectives/pipeline/make_table.h"
#include "collectives/pipeline/schedule_picture.h"
#include "core/app/run/arguments/traffic_sources.h"
#include "core/base/check.h"
#include "io/pipeline/pipeline_file.h"
#include "io/plan/plan_file.h"

namespace heddle {
namespace {

const Option& OptionNamed(const OptionSet& options, const std::string& key) {
  const std::vector<const Option*> found = options.FindByName(key);
  HEDDLE_INVARIANT(found.size() == 1, "no option " + key);
  return *found.front();
}

/// The plans of a run's jobs, with their files' names.
std::vector<std::pair<std::string, StepPlan>> PlansOf(const RunArguments& run) {
  std::vector<std::pair<std::string, StepPlan>> plans;
  for (const TrafficSource& source : TrafficSources()) {
    if (!source.has_jobs()) continue;
    for (const std::string& given : source.Given(run)) {
      const std::string path = source.FileOf(given);
      if (IsPlanFile(path))
        plans.emplace_back(path, ResolvePlanFile(ReadPlan(path, run.plan), path));
    }
  }
  return plans;
}

/// Who said what of an option.
using Said = std::map<std::string, std::pair<std::string, std::string>>;

/// Throws UserError if another plan has said something else of an option that the user leaves open.
void ExpectSame(const StepPlan& plan, const std::string& name, const OptionSet& options,
                Said* said) {
  for (const PlanSetting& setting : plan.settings) {
    const auto [at, is_new] = said->try_emplace(setting.option, setting.value, name);
    if (is_new || at->second.first == setting.value) continue;
    if (OptionNamed(options, setting.option).set_by_user) continue;
    throw UserError(fmt::format(
        "{}: {}={}, and {} has {}. Expected: one value for all jobs of a run, or --set {}=VALUE",
        Printable(name), setting.option, Printable(setting.value), Printable(at->second.second),
        Printable(at->second.first), setting.option));
  }
}

}  // namespace

std::string AppliedPlans::Describe() const {
  std::string text = fmt::format("{}", fmt::join(set, ", "));
  const auto add = [&](const char* what, const std::vector<std::string>& keys) {
    if (!keys.empty())
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", what, fmt::join(keys, ", "));
  };
  add("given", kept);
  add("not used", unknown);
  return text;
}

void ApplyPlan(const StepPlan& plan, const std::string& name, OptionSet* options,
               AppliedPlans* applied) {
  const auto note = [](std::vector<std::string>* list, const std::string& text) {
    if (std::find(list->begin(), list->end(), text) == list->end()) list->push_back(text);
  };
  for (const PlanSetting& setting : plan.settings) {
    if (!options->Knows(setting.option)) {
      note(&applied->unknown, setting.option);
      continue;
    }
    try {
      const bool open = options->Preset(setting.option, setting.value);
      const std::string now = setting.option + "=" + OptionNamed(*options, setting.option).get();
      note(open ? &applied->set : &applied->kept, now);
    } catch (const UserError& error) {
      throw UserError(fmt::format("{}: {}: found '{}'. E{}", Printable(name), setting.key,
                                  Printable(setting.value), std::string(error.what()).substr(1)));
    }
  }
}

AppliedPlans ApplyPlans(const RunArguments& run, OptionSet* options) {
  AppliedPlans applied;
  Said said;
  for (const auto& [name, plan] : PlansOf(run)) {
    ExpectSame(plan, name, *options, &said);
    ApplyPlan(plan, name, options, &applied);
  }
  return applied;
}

double CheckPlanOptions(const StepPlan& plan, const std::string& name) {
  CollectiveOptions collectives;
  OptionSet options;
  collectives.Declare(&options);
  AppliedPlans ignored;
  ApplyPlan(plan, name, &options, &ignored);
  if (plan.parallel.pipeline == 1) return 0;
  LoadPipelineTable(&collectives.pipeline);
  const PipelineTable table =
      MakePipelineTable(collectives.pipeline, static_cast<std::uint32_t>(plan.parallel.pipeline),
                        static_cast<std::uint32_t>(plan.parallel.micro_batches()), Printable(name));
  std::uint32_t most = 0;
  for (std::uint32_t stage = 0; stage < table.shape.stages; ++stage)
    most = std::max(most, MostHeld(table, stage));
  const bool whole = table.shape.placement == ChunkPlacement::kBothEnds;
  return static_cast<double>(most) / (whole ? 1 : table.shape.chunks);
}

}  // namespace heddle
