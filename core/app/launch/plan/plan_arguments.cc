// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/plan/plan_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/app/base/cli/parse_arguments.h"
#include "core/base/ids.h"
#include "core/options/nearest_name.h"
#include "io/plan/plan_file.h"

namespace heddle {
namespace {

constexpr const char* kUsualSchedules = "1f1b,interleaved";  // Megatron-LM's

void AddInputs(CLI::App* app, PlanSearchArguments* given) {
  app->add_option("-n,--network", given->fabric, "the fabric, as heddle run reads it")
      ->required()
      ->type_name("FILE");
  auto* plan =
      app->add_option("-w,--workload", given->plan,
                      "a plan: its schedule, and what it says above 1 of tp, cp, pp, vpp, ep and "
                      "micro_batch, is kept");
  plan->type_name("PLAN.toml");
  app->add_option("--model", given->model, "the model of the plans, instead of a plan")
      ->type_name("NAME")
      ->excludes(plan);
  app->add_option("--global-batch", given->global_batch,
                  "sequences of a step, of which all plans have as many")
      ->check(WholeNumber(1, 1 << 24))
      ->type_name("NUMBER");
  app->add_option("--plan", given->replaced, "a key of the plan with another value; repeatable")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  app->add_option("--most-tp", given->most_tensor,
                  "largest TP that is tried (default: GPUs of a server)")
      ->check(WholeNumber(1, kMaxNodes))
      ->type_name("NUMBER");
  app->add_option(
         "--most-cp", given->most_context,
         fmt::format("largest CP that is tried (default: as leaves {} positions to a rank)",
                     kUsualPositions))
      ->check(WholeNumber(1, kMaxNodes))
      ->type_name("NUMBER");
  app->add_option("--schedules", given->schedules,
                  fmt::format("pipeline schedules that are tried: words of pipeline.schedule, or "
                              "all (default: the plan's, else {})",
                              kUsualSchedules))
      ->type_name("WORD,...");
  app->add_option("--most-chunks", given->most_chunks,
                  "most chunks of a stage's layers that are tried, if interleaved")
      ->check(WholeNumber(2, 1024))
      ->type_name("NUMBER")
      ->capture_default_str();
  app->add_option("--most-memory", given->most_memory,
                  "largest share of a GPU's memory that a plan may take by formulas, which leave "
                  "out CUDA's context, NCCL's buffers and fragmentation")
      ->check(CLI::Range(0.01, 1.0))
      ->type_name("SHARE")
      ->capture_default_str();
}

void AddRuns(CLI::App* app, PlanSearchArguments* given) {
  app->add_option("--top", given->top, "plans that are printed, written and run")
      ->check(WholeNumber(1, 1000))
      ->type_name("NUMBER")
      ->capture_default_str();
  app->add_option("--check", given->check,
                  "run the printed plans with this backend of heddle run; none: closed forms alone")
      ->type_name("none|analytical|flow|packet")
      ->capture_default_str();
  app->add_option("--set", given->settings, "an option of each run (heddle options); repeatable")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  app->add_option("--like", given->like, "nccl or simai, as of heddle run")->type_name("NAME");
  app->add_option("-o,--output", given->folder, "folder of the plans and results")
      ->type_name("FOLDER")
      ->capture_default_str();
  app->add_flag("--force", given->force, "replace files, and run again what has a result");
  AddJsonFlag(app, &given->json);
}

/// Throws UsageError.
void CheckBackend(const std::string& name) {
  const std::vector<std::string> names = {"none", "analytical", "flow", "packet"};
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  throw UsageError("--check: unknown name '" + Printable(name) + "'" + NearestIs(name, names) +
                   ". Expected: none, analytical, flow or packet");
}

/// The search and the model say what these do. Throws UsageError.
void CheckSettings(const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    for (const char* key : {"pipeline.schedule", "pipeline.chunks"}) {
      if (setting.rfind(key + std::string("="), 0) == 0)
        throw UsageError("--set " + Printable(setting) +
                         ": the search chooses it. Expected: --schedules or --most-chunks");
    }
    if (setting.rfind("pipeline.group=", 0) == 0)
      throw UsageError("--set " + Printable(setting) + ": plans say it. Expected: --plan group=N");
    for (const char* key : {"experts.count", "experts.top_k", "experts.tokens"}) {
      if (setting.rfind(key + std::string("="), 0) == 0)
        throw UsageError("--set " + Printable(setting) +
                         ": the model says it. Expected: --plan experts=N, top_k=N, or another "
                         "sequence or micro_batch");
    }
  }
}

/// Whether a text KEY=VALUE sets a key of the plan's table [experts].
bool SetsExperts(const std::string& setting) {
  const std::vector<ExpertKey>& keys = ExpertKeys();
  return std::any_of(keys.begin(), keys.end(), [&](const ExpertKey& key) {
    return setting.rfind(std::string("experts.") + key.key + "=", 0) == 0;
  });
}

/// Moves settings of experts to the plan's table, if they or the plan say by which law tokens
/// choose: a table without one means another law than options without one.
void MoveExperts(std::vector<std::string>* settings, PlanRequest* request) {
  const bool routed = std::any_of(settings->begin(), settings->end(), [](const std::string& text) {
    return text.rfind("experts.routing=", 0) == 0;
  });
  if (!routed && request->experts.empty()) return;
  const auto rest =
      std::stable_partition(settings->begin(), settings->end(),
                            [](const std::string& text) { return !SetsExperts(text); });
  std::for_each(rest, settings->end(),
                [request](const std::string& text) { ReplaceKey(text, request); });
  settings->erase(rest, settings->end());
}

}  // namespace

bool ParsePlanSearch(const std::vector<std::string>& arguments, PlanSearchArguments* given) {
  CLI::App app(
      "Price every legal division of a training step over a fabric's GPUs, and say which "
      "is fastest.",
      "plan search");
  AddInputs(&app, given);
  AddRuns(&app, given);
  app.footer(
      Examples({"heddle plan search -n fabric.txt --model llama3-70b --global-batch 1024",
                "heddle plan search -n fabric.txt -w plan.toml --top 3 --check flow -o best"}));
  if (!ParseArguments(&app, arguments)) return false;
  if (given->plan.empty() && given->model.empty())
    throw UsageError("heddle plan search needs a step. Expected: --model NAME or -w PLAN.toml");
  if (!given->plan.empty() && !IsPlanFile(given->plan))
    throw UsageError("-w: '" + Printable(given->plan) +
                     "' is no plan, which divisions could be tried of. Expected: a .toml file "
                     "(heddle workload --as-plan)");
  CheckBackend(given->check);
  CheckSettings(given->settings);
  return true;
}

PlanRequest CommonRequest(PlanSearchArguments* given) {
  PlanRequest request;
  if (given->plan.empty()) {
    request.model = given->model;
    for (const std::string& text : given->replaced) ReplaceKey(text, &request);
  } else {
    request = ReadPlan(given->plan, given->replaced);
  }
  MoveExperts(&given->settings, &request);
  if (given->schedules.empty())
    given->schedules = request.schedule.empty() ? kUsualSchedules : request.schedule;
  if (given->global_batch > 0) request.parallel.global_batch = given->global_batch;
  if (request.parallel.global_batch == 0)
    throw UsageError(
        "--global-batch is required: plans are compared by steps of as many sequences");
  return request;
}

}  // namespace heddle
