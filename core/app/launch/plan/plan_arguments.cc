// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/plan/plan_arguments.h"

#include "core/app/base/cli/parse_arguments.h"
#include "core/base/ids.h"
#include "io/plan/plan_file.h"
#include "transport/run/backends/make_backend.h"

namespace heddle {
namespace {

void AddInputs(CLI::App* app, PlanSearchArguments* given) {
  app->add_option("-n,--network", given->fabric, "the fabric, as heddle run reads it")
      ->required()
      ->type_name("FILE");
  auto* plan =
      app->add_option("-w,--workload", given->plan,
                      "a plan: what it says above 1 of tp, pp, ep and micro_batch is kept");
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
}

void AddRuns(CLI::App* app, PlanSearchArguments* given) {
  app->add_option("--top", given->top, "plans that are printed, written and run")
      ->check(WholeNumber(1, 1000))
      ->type_name("NUMBER")
      ->capture_default_str();
  app->add_option("--check", given->check,
                  "run the printed plans with this backend of heddle run; none: closed forms alone")
      ->type_name("none|flow|packet")
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
  if (given->check != "none") ParseBackendKind(given->check);
  return true;
}

PlanRequest CommonRequest(const PlanSearchArguments& given) {
  PlanRequest request;
  if (given.plan.empty()) {
    request.model = given.model;
    for (const std::string& text : given.replaced) ReplaceKey(text, &request);
  } else {
    request = ReadPlan(given.plan, given.replaced);
  }
  if (given.global_batch > 0) request.parallel.global_batch = given.global_batch;
  if (request.parallel.global_batch == 0)
    throw UsageError(
        "--global-batch is required: plans are compared by steps of as many sequences");
  return request;
}

}  // namespace heddle
