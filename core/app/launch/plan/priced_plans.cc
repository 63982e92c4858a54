// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/plan/priced_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/app/launch/plan/schedule_choices.h"
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

/// Plans are of the fabric's GPUs unless the request says others, which a note says.
void TakeGpuType(const Graph& graph, PlanRequest* request, std::vector<std::string>* notes) {
  const bool says = !request->gpu.empty();
  if (!says && IsKnownGpu(graph.gpu_type())) request->gpu = graph.gpu_type();
  if (!says && request->gpu.empty())
    notes->push_back(fmt::format(
        "the fabric's GPUs are '{}', whose speed is not known: plans compute on {}. Expected: "
        "--plan gpu=TYPE, or peak, memory_bandwidth",
        Printable(graph.gpu_type()), kUsualGpu));
  if (const std::string note = OtherGpuNote(request->gpu, graph.gpu_type()); !note.empty())
    notes->push_back(note);
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
  AppliedPlans ignored;  // heddle run says what it applies
  ApplyPlan(plan, kWho, &set, &ignored);
  LoadPipelineTable(&options.pipeline);
  options.experts = ReadExperts(options.experts);
  return options;
}

void ExpectPlans(const PlanChoices& choices, const PlanRequest& request, double most_memory) {
  if (!choices.plans.empty()) return;
  const std::string& model = request.model;
  if (choices.too_large > 0)
    throw UserError(fmt::format(
        "{}: each of {} legal plans takes more than {:g} % of a GPU's memory, the smallest {:.0f} "
        "GB. Expected: more GPUs, larger ones, {}or --plan scale=true --plan layers=N for a look",
        Printable(model), choices.too_large, 100 * most_memory, choices.least_memory * 1e-9,
        request.recompute == "full" ? "" : "--plan recompute=full, "));
  throw UserError(fmt::format("{}: none of {} divisions is legal; the last: {}", Printable(model),
                              choices.tried,
                              choices.refused.empty() ? "" : choices.refused.back().why));
}

/// Says so if no plan with stages could have the chunks that the request gives.
void NoteChunks(const PlanSpace& space, const PlanRequest& request,
                std::vector<std::string>* notes) {
  const std::int64_t given = request.parallel.virtual_pipeline;
  const bool some = std::any_of(space.schedules.begin(), space.schedules.end(),
                                [](const ScheduleChoice& one) { return one.takes_chunks(); });
  if (given > 1 && !some)
    notes->push_back(
        fmt::format("vpp = {}: none of the schedules takes chunks, so no plan with "
                    "stages is priced. Expected: --schedules interleaved",
                    given));
}

/// The stage that ends last.
LockstepStage PriceOf(const StepPlan& plan, const PlanSearchArguments& given, const Graph& graph,
                      const CollectiveOptions& options, ClosedPrices* prices) {
  const CollectiveOptions own = plan.settings.empty() ? options : OptionsOf(plan, given, options);
  std::vector<NodeId> gpus;
  for (std::uint32_t gpu = 0; gpu < graph.gpu_count(); ++gpu) gpus.emplace_back(gpu);
  JobSpec spec;
  spec.workload = kWho;
  std::vector<std::string> notes;  // of plans that are run, heddle run says them
  const Job job = MakeStepJob(spec, MakeStepWorkload(plan.shape, plan.parallel, plan.speed), gpus,
                              graph, own, kWho, &notes);
  const std::vector<LockstepStage> stages = RunLockstep(job, prices);
  return *std::max_element(
      stages.begin(), stages.end(),
      [](const LockstepStage& a, const LockstepStage& b) { return a.end < b.end; });
}

}  // namespace

PricedPlans PricePlans(const PlanSearchArguments& given, PlanRequest request,
                       void (*progress)(std::size_t number, std::size_t all)) {
  const PricingFabric fabric(given.fabric, given.settings, given.like, kWho);
  PricedPlans priced;
  priced.notes = fabric.warnings();
  TakeGpus(fabric.graph(), given.fabric, &request);
  TakeGpuType(fabric.graph(), &request, &priced.notes);
  CollectiveOptions options = fabric.collectives();
  PlanSpace space;
  space.most_tensor = given.most_tensor > 0 ? given.most_tensor : fabric.graph().gpus_per_server();
  space.most_memory = given.most_memory;
  space.most_context = given.most_context;
  space.schedules = ScheduleChoices(given.schedules, given.most_chunks, options.pipeline);
  priced.choices = FindPlans(request, space);
  ExpectPlans(priced.choices, request, given.most_memory);
  NoteChunks(space, request, &priced.notes);
  ClosedPrices prices(fabric.graph(), fabric.collectives(), fabric.wire());
  options.experts = ReadExperts(options.experts);
  std::vector<FoundPlan>& plans = priced.choices.plans;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    progress(i, plans.size());
    try {
      const LockstepStage last = PriceOf(plans[i].plan, given, fabric.graph(), options, &prices);
      priced.plans.push_back({std::move(plans[i]), last, Time{0}});
    } catch (const UserError& error) {  // of the tables of experts and schedules
      priced.choices.refused.push_back({plans[i].request, plans[i].schedule, error.what()});
    }
  }
  plans.clear();
  if (priced.plans.empty()) throw UserError(priced.choices.refused.back().why);
  std::stable_sort(priced.plans.begin(), priced.plans.end(),
                   [](const PricedPlan& a, const PricedPlan& b) { return a.end() < b.end(); });
  return priced;
}

}  // namespace heddle
