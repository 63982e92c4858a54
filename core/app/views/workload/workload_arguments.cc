// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/workload/workload_arguments.h"

#include <fmt/format.h>

#include "core/app/base/cli/parse_arguments.h"
#include "core/base/check.h"
#include "core/options/nearest_name.h"
#include "io/plan/plan_file.h"

namespace heddle {
namespace {

constexpr std::uint64_t kMostLayers = 1 << 20;

std::string NamesOfModels() {
  std::string names;
  for (const ModelShape& shape : KnownModels()) names += (names.empty() ? "" : "|") + shape.name;
  return names;
}

std::string NamesOfGpus() {
  std::string names;
  for (const GpuSpeed& gpu : KnownGpuSpeeds()) names += (names.empty() ? "" : "|") + gpu.name;
  return names;
}

void AddModelFlags(CLI::App* app, WorkloadArguments* given) {
  app->add_option("FAMILY", given->family,
                  "dense transformers, models with experts, or a plan (docs/formats/plan.md)")
      ->required()
      ->type_name("gpt|moe|PLAN.toml");
  PlanRequest* request = &given->request;
  app->add_option("--model", request->model,
                  "where the shape begins (default: gpt-13b, mixtral-8x7b)")
      ->type_name(NamesOfModels());
  for (std::size_t i = 0; i < ShapeNumbers().size(); ++i) {
    const ShapeNumber& flag = ShapeNumbers()[i];
    app->add_option(flag.name, request->shape[i], flag.help)
        ->check(WholeNumber(static_cast<std::uint64_t>(flag.least),
                            static_cast<std::uint64_t>(flag.most)))
        ->type_name("NUMBER");
  }
  app->add_flag(
      "--scale", request->scale,
      "a quick look: write only --layers of the model's layers, and say what that changes");
  app->add_option("--model-layers", request->model_layers,
                  "with --scale: layers of the whole model (default: those of --model)")
      ->check(WholeNumber(1, kMostLayers))
      ->type_name("NUMBER");
}

void AddPlanFlags(CLI::App* app, WorkloadArguments* given) {
  PlanRequest* request = &given->request;
  for (const PlanNumber& flag : PlanNumbers())
    app->add_option(flag.name, request->parallel.*flag.number, flag.help)
        ->check(WholeNumber(1, static_cast<std::uint64_t>(flag.most)))
        ->type_name("NUMBER");
  app->add_option("--cp-comm-type", request->cp_comm_type,
                  "how context parallel GPUs come to all keys and values: p2p passes them round a "
                  "ring under attention, a2a divides heads in place of positions, allgather "
                  "gathers them (default: p2p)")
      ->type_name("p2p|a2a|allgather");
  app->add_option(
         "--schedule", request->schedule,
         "order of pipeline stages, for a plan: 1f1b, interleaved, gpipe, zb-h1, dualpipe, "
         "dualpipev, file:NAME (default: 1f1b, with --vpp interleaved)")
      ->type_name("WORD");
  app->add_option("--senders", request->senders,
                  "go-on, or wait: a stage waits until its message is sent, for a plan")
      ->type_name("go-on|wait");
  app->add_option(
         "--recompute", request->recompute,
         "none, or full: of a layer only the input is kept, and its forward pass runs once "
         "more (default: none)")
      ->type_name("none|full");
  app->add_option("--precision", request->precision,
                  "of products of layers with their weights (default: bf16)")
      ->type_name("bf16|fp8");
  app->add_option("--plan", given->replaced, "of a plan file: a key with another value; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app->add_flag("--no-sequence-parallel", request->no_sequence_parallel,
                "AllReduce activations over TP, as without Megatron-LM's --sequence-parallel");
  app->add_option("--zero", request->zero,
                  "what is split over replicas: 0 nothing, 1 optimizer states, 3 parameters and "
                  "gradients too, which a plan gathers ahead (default: 1)")
      ->check(CLI::IsMember({"0", "1", "3"}))
      ->type_name("0|1|3");
  app->add_flag_callback(
      "--no-zero", [request] { request->zero = 0; },
      "AllReduce gradients, and each GPU updates all; without, they are reduced to their "
      "owners and parameters gathered (ZeRO 1)");
  auto* overlap = app->add_flag("--overlap-gradients", request->overlap_gradients,
                                "each block reduces its gradients in the last micro-batch, under "
                                "the backward pass (default, but for --rules aicb)");
  app->add_flag("--no-overlap-gradients", request->no_overlap_gradients,
                "gradients are reduced together, behind the last micro-batch")
      ->excludes(overlap);
  app->add_flag("--tp-comm-overlap", request->tp_comm_overlap,
                "TP's collectives run under the products beside them; of plans only");
  app->add_flag("--overlap-experts", request->overlap_experts,
                "one micro-batch's exchanges with experts run under the computing of another, for "
                "a plan: with --pp 1, --vpp above 1, dualpipe or dualpipev");
  app->add_option("--rules", request->rules,
                  "whose communication: Megatron-LM's, or that of AICB's files, defects too")
      ->capture_default_str()
      ->type_name("megatron|aicb");
}

void AddTimeFlags(CLI::App* app, PlanRequest* request) {
  app->add_option("--gpu", request->gpu, "type of the GPUs")
      ->default_str(kUsualGpu)
      ->type_name(NamesOfGpus());
  app->add_option("--peak", request->peak, "dense bf16 [TFLOPS], instead of the type's")
      ->type_name("NUMBER");
  app->add_option("--memory-bandwidth", request->bandwidth, "[GB/s], instead of the type's")
      ->type_name("NUMBER");
  app->add_option("--efficiency", request->efficiency,
                  fmt::format("share of the peak that products of matrices reach (default: {})",
                              kUsualEfficiency))
      ->type_name("NUMBER");
  app->add_option("--fp8-efficiency", request->fp8_efficiency,
                  fmt::format("the same of the peak in FP8, with --precision fp8 (default: {})",
                              kUsualFp8Efficiency))
      ->type_name("NUMBER");
  app->add_option("--compute-table", request->compute_table,
                  "measured times: lines of block, forward, input and weight gradient [us]")
      ->type_name("FILE");
}

/// Throws UsageError for flags that do not go with a plan file, or with flags in its place.
void CheckFlags(const CLI::App& app, const WorkloadArguments& given) {
  if (!IsPlanFile(given.family)) {
    if (!given.replaced.empty())
      throw UsageError("--plan: replaces a key of a plan. Expected: heddle workload PLAN.toml");
    if (given.request.parallel.gpus == 0) throw UsageError("--gpus is required");
    return;
  }
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    const bool may = name == "FAMILY" || name == "--output" || name == "--force" ||
                     name == "--plan" || name == "--as-plan";
    if (option->count() > 0 && !may)
      throw UsageError(name + ": a plan file says this. Expected: --plan KEY=VALUE");
  }
}

}  // namespace

bool ParseWorkloadArguments(const std::vector<std::string>& arguments, WorkloadArguments* given) {
  CLI::App app("Write a workload for heddle run from the shape of a model.", "workload");
  AddModelFlags(&app, given);
  AddPlanFlags(&app, given);
  AddTimeFlags(&app, &given->request);
  app.add_option("-o,--output", given->output,
                 "file for the workload; without or \"-\": standard output")
      ->type_name("FILE");
  app.add_flag("--force", given->force, "replace an existing file");
  app.add_flag("--as-plan", given->as_plan,
               "write the plan, for heddle run -w PLAN.toml, not its step");
  app.footer(Examples(
      {"heddle workload gpt --gpus 512 --tp 8 --pp 2 --global-batch 512 -o gpt.txt",
       "heddle workload gpt --model llama-65b --layers 4 --scale --gpus 64 --tp 8 --gpu A100 -o "
       "quick.txt",
       "heddle workload moe --gpus 256 --tp 2 --ep 8 --no-overlap-gradients -o moe.txt",
       "heddle workload gpt --model llama3-70b --gpus 1024 --tp 8 --as-plan -o plan.toml",
       "heddle workload plan.toml --plan pp=4"}));
  if (!ParseArguments(&app, arguments)) return false;
  CheckFlags(app, *given);
  return true;
}

PlanRequest RequestOf(const WorkloadArguments& given) {
  if (IsPlanFile(given.family)) return ReadPlan(given.family, given.replaced);
  const bool moe = given.family == "moe";
  if (!moe && given.family != "gpt")
    throw UsageError(fmt::format("family '{}'{}. Expected: gpt, moe or a plan, PLAN.toml",
                                 Printable(given.family), NearestIs(given.family, {"gpt", "moe"})));
  PlanRequest request = given.request;
  if (request.model.empty()) request.model = moe ? "mixtral-8x7b" : "gpt-13b";
  for (const ModelShape& shape : KnownModels()) {
    if (EqualLetters(shape.name, request.model) && shape.has_experts() != moe)
      throw UsageError(fmt::format("--model {}: has {}experts. Expected: heddle workload {}",
                                   shape.name, moe ? "no " : "", moe ? "gpt" : "moe"));
  }
  return request;
}

StepPlan PlanOf(const WorkloadArguments& given, const PlanRequest& request) {
  PlanRequest asked = request;
  asked.parallel.stages_alike = !given.as_plan;  // a text describes all stages by one
  return IsPlanFile(given.family) ? ResolvePlanFile(asked, given.family) : ResolvePlan(asked);
}

std::string WorkloadCommandText(const std::vector<std::string>& arguments) {
  std::string text = "heddle workload";
  for (const std::string& argument : arguments) text += " " + Printable(argument, 1000);
  return text;
}

}  // namespace heddle
