// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/plan/priced_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/app/run/plans/plan_options.h"
#include "core/app/run/setup/job_setup.h"
#include "core/app/run/traffic/pricing_fabric.h"
#include "core/base/check.h"
#include "io/pipeline/pipeline_file.h"

namespace heddle {
namespace {

constexpr const char* kWho = "heddle plan search";

/// Sets the GPUs to those of the fabric. Throws UserError if the plan says others.
void TakeGpus(const Graph& graph, const std::string& fabric, PlanRequest* request) {
  std::int64_t& gpus = request->parallel.gpus;
  if (gpus == 0) gpus = graph.gpu_count();
  if (gpus != graph.gpu_count())
    throw UserError(fmt::format("gpus: {}, and {} has {}. Expected: as many", gpus,
                                Printable(fabric), graph.gpu_count()));
}

/// The options of one plan's step: what it says itself, unless --set says it.
CollectiveOptions OptionsOf(const StepPlan& plan, const PlanSearchArguments& given,
                            CollectiveOptions options) {
  OptionSet set;
  options.Declare(&set);
  for (const std::string& setting : given.settings) {
    const std::size_t equal = setting.find('=');
    if (set.Knows(setting.substr(0, equal)))
      set.Set(setting.substr(0, equal), setting.substr(equal + 1));
  }
  AppliedPlans ignored;
  ApplyPlan(plan, kWho, &set, &ignored);
  LoadPipelineTable(&options.pipeline);
  options.experts = ReadExperts(options.experts);
  return options;
}

void ExpectPlans(const PlanChoices& choices, const std::string& model) {
  if (!choices.plans.empty()) return;
  if (choices.too_large > 0)
    throw UserError(fmt::format(
        "{}: each of {} legal plans takes more than a GPU's memory, the smallest {:.0f} GB. "
        "Expected: more GPUs, larger ones, or --plan scale=true --plan layers=N for a look",
        Printable(model), choices.too_large, choices.least_memory * 1e-9));
  throw UserError(fmt::format(
      "{}: none of {} divisions is legal. Expected: a batch and GPUs that have common divisors",
      Printable(model), choices.tried));
}

}  // namespace

PricedPlans PricePlans(const PlanSearchArguments& given,
                       void (*progress)(std::size_t number, std::size_t all)) {
  const PricingFabric fabric(given.fabric, given.settings, given.like, kWho);
  PlanRequest request = CommonRequest(given);
  TakeGpus(fabric.graph(), given.fabric, &request);
  PlanSpace space;
  space.most_tensor = given.most_tensor > 0 ? given.most_tensor : fabric.graph().gpus_per_server();
  PricedPlans priced;
  priced.choices = FindPlans(request, space);
  ExpectPlans(priced.choices, request.model);
  std::vector<NodeId> gpus;
  for (std::uint32_t gpu = 0; gpu < fabric.graph().gpu_count(); ++gpu) gpus.emplace_back(gpu);
  ClosedPrices prices(fabric.graph(), fabric.collectives(), fabric.wire());
  CollectiveOptions options = fabric.collectives();
  options.experts = ReadExperts(options.experts);
  JobSpec spec;
  spec.workload = kWho;
  std::vector<StepPlan>& plans = priced.choices.plans;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    progress(i, plans.size());
    std::vector<std::string> notes;  // of plans that are printed, heddle run says them
    const CollectiveOptions own =
        plans[i].settings.empty() ? options : OptionsOf(plans[i], given, options);
    const Job job =
        MakeStepJob(spec, MakeStepWorkload(plans[i].shape, plans[i].parallel, plans[i].speed), gpus,
                    fabric.graph(), own, kWho, &notes);
    const std::vector<LockstepStage> stages = RunLockstep(job, &prices);
    const auto last = std::max_element(
        stages.begin(), stages.end(),
        [](const LockstepStage& a, const LockstepStage& b) { return a.end < b.end; });
    priced.plans.push_back({std::move(plans[i]), priced.choices.requests[i], *last, Time{0}});
  }
  plans.clear();
  std::stable_sort(priced.plans.begin(), priced.plans.end(),
                   [](const PricedPlan& a, const PricedPlan& b) { return a.end() < b.end(); });
  return priced;
}

}  // namespace heddle
