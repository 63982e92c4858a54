// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/workload/workload_arguments.h"

#include <fmt/format.h>

#include "core/app/base/cli/parse_arguments.h"
#include "core/base/check.h"
#include "core/base/ids.h"

namespace heddle {
namespace {

constexpr std::uint64_t kMostSize = 1 << 20, kMostSequence = 1 << 24, kMostBatch = 1 << 24;

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
  app->add_option("FAMILY", given->family, "dense transformers, or models with experts")
      ->required()
      ->type_name("gpt|moe");
  app->add_option("--model", given->model,
                  "where the shape begins (default: gpt-13b, mixtral-8x7b)")
      ->type_name(NamesOfModels());
  given->shape.resize(ShapeFlags().size());
  for (std::size_t i = 0; i < ShapeFlags().size(); ++i) {
    const ShapeFlag& flag = ShapeFlags()[i];
    app->add_option(flag.name, given->shape[i], flag.help)
        ->check(WholeNumber(flag.least, flag.most))
        ->type_name("NUMBER");
  }
  app->add_flag(
      "--scale", given->scale,
      "a quick look: write only --layers of the model's layers, and say what that changes");
  app->add_option("--model-layers", given->model_layers,
                  "with --scale: layers of the whole model (default: those of --model)")
      ->check(WholeNumber(1, kMostSize))
      ->type_name("NUMBER");
}

void AddPlanFlags(CLI::App* app, WorkloadArguments* given) {
  ParallelPlan* plan = &given->plan;
  plan->expert = 0;
  const auto number = [&](const char* name, std::int64_t* value, std::uint64_t most,
                          const char* help) {
    return app->add_option(name, *value, help)->check(WholeNumber(1, most))->type_name("NUMBER");
  };
  number("--gpus", &plan->gpus, kMaxNodes, "GPUs of the job")->required();
  number("--tp", &plan->tensor, kMaxNodes, "tensor parallel GPUs (default: 1)");
  number("--pp", &plan->pipeline, kMaxNodes, "pipeline stages (default: 1)");
  number("--vpp", &plan->virtual_pipeline, kMaxNodes,
         "parts of a stage that are interleaved (default: 1); written, and run as 1");
  number("--ep", &plan->expert, kMaxNodes,
         "expert parallel GPUs (default: as many as experts and DP have in common)");
  number("--micro-batch", &plan->micro_batch, kMostBatch, "sequences (default: 1)");
  number("--global-batch", &plan->global_batch, kMostBatch,
         "sequences of a step (default: one micro-batch for each replica, with stages 5 x PP)");
  number("--vocabulary-multiple", &plan->vocabulary_multiple, kMostSize,
         "the vocabulary is padded to a multiple of it x TP (default: 128)");
  app->add_flag("--no-sequence-parallel", given->no_sequence_parallel,
                "AllReduce activations over TP, as without Megatron-LM's --sequence-parallel");
  app->add_flag("--no-zero", given->no_zero,
                "AllReduce gradients, and each GPU updates all; without, they are reduced to their "
                "owners and parameters gathered (ZeRO 1)");
  auto* overlap = app->add_flag("--overlap-gradients", given->overlap_gradients,
                                "each block reduces its gradients in the last micro-batch, under "
                                "the backward pass (default, but for --rules aicb)");
  app->add_flag("--no-overlap-gradients", given->no_overlap_gradients,
                "gradients are reduced together, behind the last micro-batch")
      ->excludes(overlap);
  app->add_option("--rules", given->rules,
                  "whose communication: Megatron-LM's, or that of AICB's files, defects too")
      ->capture_default_str()
      ->type_name("megatron|aicb");
}

void AddTimeFlags(CLI::App* app, WorkloadArguments* given) {
  app->add_option("--gpu", given->gpu, "type of the GPUs")
      ->capture_default_str()
      ->type_name(NamesOfGpus());
  app->add_option("--peak", given->peak, "dense bf16 [TFLOPS], instead of the type's")
      ->type_name("NUMBER");
  app->add_option("--memory-bandwidth", given->bandwidth, "[GB/s], instead of the type's")
      ->type_name("NUMBER");
  app->add_option("--efficiency", given->efficiency,
                  fmt::format("share of the peak that products of matrices reach (default: {})",
                              kUsualEfficiency))
      ->type_name("NUMBER");
  app->add_option("--compute-table", given->compute_table,
                  "measured times: lines of block, forward, input and weight gradient [us]")
      ->type_name("FILE");
}

}  // namespace

const std::vector<ShapeFlag>& ShapeFlags() {
  using S = ModelShape;
  static const std::vector<ShapeFlag> flags = {
      {"--layers", &S::layers, 1, kMostSize, false, "transformer layers"},
      {"--hidden", &S::hidden, 1, kMostSize, false, "hidden size"},
      {"--heads", &S::heads, 1, kMostSize, false, "attention heads"},
      {"--kv-heads", &S::kv_heads, 1, kMostSize, false, "heads of keys and values"},
      {"--head-size", &S::head_dim, 1, kMostSize, false, "numbers of a head"},
      {"--ffn", &S::ffn, 1, kMostSize, false, "inner size of the MLP"},
      {"--vocabulary", &S::vocabulary, 1, kMostSequence, false, "words"},
      {"--sequence", &S::sequence, 1, kMostSequence, false, "tokens of a sequence"},
      {"--experts", &S::experts, 1, kMostSize, true, "experts of a layer"},
      {"--top-k", &S::top_k, 1, kMostSize, true, "experts that a token passes through"},
      {"--expert-ffn", &S::expert_ffn, 1, kMostSize, true, "inner size of an expert"},
      {"--shared-ffn", &S::shared_ffn, 0, kMostSize, true,
       "inner size of the expert that sees all tokens, 0: none"},
      {"--dense-layers", &S::dense_layers, 0, kMostSize, true,
       "first layers without experts; with stages they count as the others"},
  };
  return flags;
}

bool ParseWorkloadArguments(const std::vector<std::string>& arguments, WorkloadArguments* given) {
  CLI::App app("Write a workload for heddle run from the shape of a model.", "workload");
  AddModelFlags(&app, given);
  AddPlanFlags(&app, given);
  AddTimeFlags(&app, given);
  app.add_option("-o,--output", given->output,
                 "file for the workload; without or \"-\": standard output")
      ->type_name("FILE");
  app.add_flag("--force", given->force, "replace an existing file");
  app.footer(Examples(
      {"heddle workload gpt --gpus 512 --tp 8 --pp 2 --global-batch 512 -o gpt.txt",
       "heddle workload gpt --model llama-65b --layers 4 --scale --gpus 64 --tp 8 --gpu A100 -o "
       "quick.txt",
       "heddle workload moe --gpus 256 --tp 2 --ep 8 --no-overlap-gradients -o moe.txt"}));
  return ParseArguments(&app, arguments);
}

std::string WorkloadCommandText(const std::vector<std::string>& arguments) {
  std::string text = "heddle workload";
  for (const std::string& argument : arguments) text += " " + Printable(argument, 1000);
  return text;
}

}  // namespace heddle
